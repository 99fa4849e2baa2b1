#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/door.h"
#include "core/logit_rule.h"
#include "core/param_specs.h"
#include "core/params.h"
#include "core/pipelines.h"
#include "experiments/model/experiment.h"

namespace orrery {

// The parameters that several experiments share, declared once each.

/// The numbers of a list. Throws UsageError for one that is no whole number.
std::vector<std::int64_t> whole_numbers(const ParamSet& params, const std::string& key);

/// A length, or `usual` where it is 0. Throws UsageError for 1.
std::int64_t length_or(const ParamSet& params, const std::string& key, std::int64_t usual);

ParamSpec dim_param(std::int64_t default_value);  ///< "dim", d: channels of a head, even
ParamSpec heads_param();                          ///< "heads", H: heads of the layer
/// The parameter "head" as a number. Throws UsageError unless it is below "heads".
int head_of(const ParamSet& params);
ParamSpec max_distance_param(double max);  ///< "max_distance", r_max: tokens
ParamSpec causal_param(bool default_value);
/// A file whose name has one of these endings; "*" is any.
ParamSpec file_param(const std::string& key, const std::string& description,
                     std::vector<std::string> types, const std::string& usual = "");
/// An array of a .npy, .npz or .safetensors file, empty unless given.
ParamSpec array_file_param(const std::string& key, const std::string& description);
/// A model's configuration or GGUF, whose layers are read.
ParamSpec model_file_param(const std::string& key, const std::string& description,
                           const std::string& usual = "");
ParamSpec seed_param();
ParamSpec encodings_param(std::vector<std::string> default_names);  ///< "encoding": one or several
ParamSpec projection_param();
/// The feature maps of linear attention, as choices of a parameter.
std::vector<Choice> feature_map_choices();

/// Stages whose format an experiment reads.
struct RoundedStages {
  std::vector<Stage> always{};           ///< whatever the encoding
  std::vector<std::string> encodings{};  ///< and those of these encodings; none named means all
};

/// "precision", the name of a pipeline, and "stage.NAME" for each of the stages.
std::vector<ParamSpec> precision_params(const std::string& default_pipeline,
                                        const RoundedStages& stages);
/// The same with every stage of attention and of all encodings.
std::vector<ParamSpec> attention_precision_params(const std::string& default_pipeline);
/// Stages of attention up to the logits.
std::vector<Stage> score_stages();
/// "precision" as a list of pipelines.
ParamSpec pipelines_param(std::vector<std::string> default_names);
/// "stage.NAME": a format that replaces the pipeline's at one stage. Read only while the parameter
/// "encoding" names an encoding that rounds there.
std::vector<ParamSpec> stage_params(const RoundedStages& stages);

/// Appends the specs and the parameters of all encodings behind the selector "encoding".
std::vector<ParamSpec> with_encoding_params(std::vector<ParamSpec> specs);

/// The pipeline of that name, or of "precision", with the formats that "stage.NAME" put in place of
/// its own.
Pipeline pipeline_of(const ParamSet& params, const std::string& name);
Pipeline pipeline_of(const ParamSet& params);
StageRounding rounding_of(const ParamSet& params);
/// The format in whose units in the last place errors are counted.
Precision precision_of(const ParamSet& params);
bool contains(const std::vector<std::string>& names, const std::string& name);
/// Whether the list has that name.
bool names(const ParamSet& params, const char* list, const std::string& name);

/// Whether the computation runs in fp64; otherwise in fp32.
bool runs_in_fp64(const ParamSet& params);

/// Whether the pipeline is the exact one: no rounding could hide a change.
bool is_exact(const Pipeline& pipeline);
/// Whether rounding leaves a change to be seen: in exact it is at least twice what rounding may
/// cost, so that a pipeline keeps at least once that. A NaN is to be seen.
inline bool stands_out(double in_exact, double rounding) { return !(in_exact < 2 * rounding); }
/// "; not checked: …", of a change that does not.
std::string hidden_text(double in_exact, double rounding);

/// Names of the encodings that use at least one of these doors, in the order of the catalogue.
std::vector<std::string> encodings_with(const std::vector<Door>& doors);

/// Whether the encodings that "encoding" names treat all heads of a layer alike.
bool heads_are_alike(const ParamSet& params);

/// "encoding" with these names as its only choices.
ParamSpec encodings_param_among(const std::vector<std::string>& names,
                                std::vector<std::string> default_names);

/// Appends the parameters of these encodings behind the selector "encoding"; those of others are
/// left out, and so is what mutes parts of a score: these experiments look at encodings alone.
std::vector<ParamSpec> with_params_of(const std::vector<std::string>& names,
                                      std::vector<ParamSpec> specs);

/// "logit_rule" and what it reads: a factor of all logits of a query.
std::vector<ParamSpec> logit_rule_params();

/// No rule where the set has no such parameter. A strength or a length of 0 is the model's own.
LogitRule logit_rule_of(const ParamSet& params);

}  // namespace orrery
