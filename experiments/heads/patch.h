#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/heads/live_model.h"
#include "experiments/model/progress.h"

namespace orrery {

/// Two texts of as many tokens, and the tokens between which they decide.
struct PatchRequest {
  ModelText clean{};
  ModelText corrupted{};
  std::int32_t answer{-1};  ///< −1: what the model finds most probable behind the clean text
  std::int32_t foil{-1};    ///< −1: behind the corrupted one, of all but the answer
  bool positions{true};     ///< by layer and position: the stream, attention and feed-forward
  bool heads{true};         ///< by layer and head, at all positions
};

/// Effects of rows of one quantity that were taken from the corrupted run.
struct PatchMap {
  std::string quantity{};         ///< "hidden", "attention", "feed_forward" or "head_output"
  std::size_t rows{}, columns{};  ///< [layers, positions], of head_output [layers, heads]
  /// (d_patched − d_clean)/(d_corrupted − d_clean), d the logit of the answer less that of the foil
  /// at the last token: 0 where the rows change nothing, 1 where they do what all together do.
  std::vector<double> effect{};
};

/// What of a run makes it answer otherwise.
struct PatchResult {
  std::string model{};
  std::string family{};
  ModelText clean{}, corrupted{};
  std::int32_t answer{}, foil{};
  double clean_difference{}, corrupted_difference{};  ///< d
  std::vector<PatchMap> maps{};
  std::int64_t passes{};
};

/// Activation patching: the clean run with activations of the corrupted one put in, one place after
/// the other. `hidden` of layer l is what that layer reads.
///
/// Throws UsageError: texts of other lengths or that are the same, an answer that is the foil, a
/// token that is not of the vocabulary, a corrupted text that leaves d as it is, a model without a
/// head; as forward does.
/// Cost: a part of a pass for each number.
/// Source: Vig et al. 2020; Meng et al. 2022, arXiv 2202.05262.
PatchResult patch_activations(LiveModel& model, const PatchRequest& request, Progress& progress);

/// Bytes of the activations of both runs that it holds beside the model.
std::uint64_t patch_bytes(const LiveModel& model, const PatchRequest& request);

/// The clean tokens, the corrupted ones, the answer and the foil.
std::vector<std::int32_t> patch_ids(const PatchResult& result);

}  // namespace orrery
