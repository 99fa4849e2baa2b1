#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/heads/lens.h"
#include "experiments/heads/model_heads.h"
#include "experiments/heads/what_if.h"
#include "experiments/model/experiment.h"
#include "experiments/model/result.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// Tokens of a part of a text where neither parameter nor file says fewer.
inline constexpr std::int64_t usual_tokens = 64;

/// "model".
ParamSpec asked_model_param();
/// It, and "text", "tokens" and "length" of the one text that it reads.
std::vector<ParamSpec> asked_text_params();
/// The same with "parts", of several texts. @param usual  tokens that length=0 stands for at most
std::vector<ParamSpec> asked_model_params(std::int64_t usual = usual_tokens,
                                          std::int64_t parts = 1);
/// The path of "model". Throws UsageError where none is given.
std::filesystem::path model_path(const Inputs& inputs);
/// "precision" of its passes.
ParamSpec asked_precision_param();

/// What a model is asked and has answered: kept for the next run, which mostly asks about the same.
class AskedModel {
 public:
  /// One that an earlier run has left, if it is of the same file and format; else a new one, which
  /// keeps decoded weights in at most half of what others leave of a third of the memory. Each run
  /// has one to itself; let go, it is left for the next one, in place of those of other files.
  ///
  /// Its texts are those of model_texts where the parameter "text" is used; else those of before.
  /// @param length  tokens of the sequences, if they are not those of the texts; 0 if they are
  /// @param least   tokens of other sequences, where they are longer than the texts
  /// @param usual   as asked_model_params has it
  static std::shared_ptr<AskedModel> take(const ParamSet& params, const Inputs& inputs,
                                          std::int64_t length = 0, std::int64_t least = 0,
                                          std::int64_t usual = usual_tokens);

  AskedModel();
  ~AskedModel();
  AskedModel(const AskedModel&) = delete;
  AskedModel& operator=(const AskedModel&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::string& key() const { return key_; }  ///< of its file and format
  LiveModel& live() { return *live_; }
  const PositionPlan& plan() const { return *plan_; }
  const std::vector<ModelText>& texts() const { return texts_; }
  /// Throws UsageError where there are several.
  const ModelText& only_text() const;
  /// At most so many tokens of a part: "length", or what its 0 stands for.
  std::int64_t most_tokens() const { return most_tokens_; }
  /// Says of a result how long the sequences are, and where that is beyond what the file names.
  void tell_length(const ParamSet& params, Result& result) const;
  /// How the tokens of the first text read.
  const std::vector<std::string>& labels() const { return labels_; }
  /// How other tokens read.
  std::vector<std::string> labels_of_ids(const std::vector<std::int32_t>& ids) const {
    return labels_of(tokenizer_.get(), ids);
  }

  /// What its tokenizer puts in front of a text; −1 for nothing.
  std::int32_t leading() const { return leading_; }

  /// The lens over the first text.
  const Lens& lens(const LensRequest& request, Progress& progress);
  /// Whether the scores of all heads were measured before.
  bool has_table(const HeadsRequest& request) const;
  /// The scores of all heads.
  const HeadTable& table(const HeadsRequest& request, Progress& progress);

 private:
  void read(const ParamSet& params, const Inputs& inputs, std::int64_t usual);
  void open(const ParamSet& params, std::int64_t length, std::int64_t least);

  std::string key_{};
  std::filesystem::path path_{};
  std::shared_ptr<const PositionPlan> plan_{};
  std::string texts_key_{};  ///< of everything that the texts follow from
  std::unique_ptr<LiveModel> live_{};
  std::vector<ModelText> texts_{};
  std::unique_ptr<Tokenizer> tokenizer_{};  ///< null without one
  std::vector<std::string> labels_{};
  std::int32_t leading_{-1};
  std::int64_t most_tokens_{0}, longest_read_{0};
  std::string lens_key_{};  ///< of its request; empty without a lens
  Lens lens_{};
  std::string table_key_{};
  HeadTable table_{};
};

/// "first", the token that stands before sequences of random tokens, and it: −1 for none.
ParamSpec first_token_param();
std::int32_t first_token(const ParamSet& params, const AskedModel& model);

/// The parameter "token". Throws UsageError unless it is below `count`, of which there are so many.
std::size_t token_in(const ParamSet& params, std::size_t count, const char* what);

/// Whether an experiment looks at a head by itself, so that it has the parameters "layer" and "head".
enum class EditedHead {
  looked_at,  ///< it has them
  declared    ///< they are declared with the edits
};

/// "edits" and what each of them reads; "edit", others in words.
std::vector<ParamSpec> edit_params(EditedHead head = EditedHead::looked_at);

/// The largest layer, head and pair that a model has: of "layer", "head", "edited_layer" and "pair".
std::vector<ValueInUse> edit_limits(int layers, int heads, const PositionPlan& plan);

/// The edits as parse_edit reads them, in the order of "edits", and those of "edit" behind them.
///
/// @param plan    of the model, whose pairing is exchanged
/// @param marked  heads that `silence_marked` means, where it is a choice: "16.0+11.1"
std::vector<std::string> edits_in(const ParamSet& params, const PositionPlan& plan,
                                  const std::string& marked = "");

}  // namespace orrery
