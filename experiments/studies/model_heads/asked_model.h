#pragma once

#include <memory>
#include <vector>

#include "experiments/heads/model_heads.h"
#include "experiments/heads/what_if.h"
#include "experiments/model/experiment.h"

namespace orrery::studies {

/// What a model is asked and has answered: kept for the next run, which mostly asks about the same.
class AskedModel {
 public:
  /// The one that an earlier run has left, if it is of the same file, text and format; else a new
  /// one. Each run has one to itself.
  static std::unique_ptr<AskedModel> take(const ParamSet& params, const Inputs& inputs);
  /// Leaves it for the next run, in place of what was there.
  static void leave(std::unique_ptr<AskedModel> model);

  LiveModel& live() { return *live_; }
  const std::vector<ModelText>& texts() const { return texts_; }
  /// How the tokens of the first text read.
  const std::vector<std::string>& labels() const { return labels_; }
  /// How other tokens read.
  std::vector<std::string> labels_of_ids(const std::vector<std::int32_t>& ids) const {
    return labels_of(tokenizer_.get(), ids);
  }

  /// The scores of all heads.
  const HeadTable& table(const HeadsRequest& request, Progress& progress);

 private:
  std::string key_{};  ///< of everything that the model and its texts follow from
  std::unique_ptr<LiveModel> live_{};
  std::vector<ModelText> texts_{};
  std::unique_ptr<tokenizers::Tokenizer> tokenizer_{};  ///< null without one
  std::vector<std::string> labels_{};
  std::string table_key_{};
  HeadTable table_{};
};

}  // namespace orrery::studies
