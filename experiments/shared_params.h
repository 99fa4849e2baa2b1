#pragma once

#include <string>
#include <vector>

#include "core/pipelines.h"
#include "experiments/experiment.h"

namespace orrery {

// The parameters that several experiments share, declared once each.

ParamSpec dim_param(std::int64_t default_value);  ///< "dim", d: channels of a head, even
ParamSpec heads_param();                          ///< "heads", H: heads of the layer
/// The parameter "head" as a number. Throws UsageError unless it is below "heads".
int head_of(const ParamSet& params);
ParamSpec max_distance_param(double max);  ///< "max_distance", r_max: tokens
ParamSpec causal_param(bool default_value);
/// An array of a .npy, .npz or .safetensors file, empty unless given.
ParamSpec array_file_param(const std::string& key, const std::string& description);
ParamSpec seed_param();
ParamSpec encodings_param(std::vector<std::string> default_names);  ///< "encoding": one or several
ParamSpec projection_param();

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
/// "stage.NAME": a format in place of the pipeline's. Read where one of the encodings that round
/// there is chosen, by the parameter "encoding".
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
/// Whether the computation runs in fp64; otherwise in fp32.
bool runs_in_fp64(const ParamSet& params);

/// Every used setting in one line: "d = 128 channels · base = 10000 · …". Figures carry it as
/// caption.
std::string caption_of(const ParamSet& params);

Provenance provenance_of(const ExperimentInfo& info, const ParamSet& params);

/// Legend name and colour slot of an encoding: the same in every figure.
std::string encoding_label(const std::string& name);
/// The same, with "(untrained tables)" where the encoding has tables: drawn by seed, they say
/// nothing about what training would put there.
std::string untrained_label(const std::string& name);

/// What the first distance with B_m = Σ cos(m θ_t) < 0 says, or that distances to `searched` have
/// none.
std::string first_negative_text(const std::optional<Position>& found, Position searched);
int encoding_color(const std::string& name);

}  // namespace orrery
