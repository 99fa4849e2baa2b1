#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/heads/head_terms.h"
#include "experiments/heads/live_model.h"
#include "experiments/model/figure.h"
#include "experiments/model/progress.h"
#include "experiments/statistics/welch.h"

namespace orrery {

/// A question: what would the model do if …?
struct WhatIfRequest {
  std::vector<std::string> edits{};  ///< as parse_edit reads them, applied in this order
  std::vector<ModelText> texts{};    ///< the model and the edited one read both
  std::vector<ModelText> corpus{};   ///< whose mean outputs corpus_mean takes
  std::size_t next{5};               ///< tokens that are most probable next, of the last token
  std::vector<std::string> maps{};   ///< heads whose maps are kept, "16.0+18"
  bool heads{true};                  ///< whether the change of every head is measured
  /// Whether the model's own pass over a text, with the maps of all heads, waits for the next
  /// question about that text.
  bool keeps_pass{false};
  std::size_t cells{0};  ///< rows and columns of the small maps of all heads; 0 for none
  std::string terms{};   ///< "16.0": a head whose logits are told apart; or empty
};

/// What the edits do to one text.
struct TextEffect {
  /// A token that may come next.
  struct NextToken {
    std::int32_t id{};
    double before{};  ///< its probability in the model
    double after{};   ///< in the edited one
  };

  std::string name{};
  std::vector<std::int32_t> tokens{};
  std::vector<double> before{}, after{};  ///< −ln p of each next token, nats; or empty
  std::vector<NextToken> next{};          ///< the most probable of either, by `before`
};

/// How much a head's weights change: the mean over queries and texts of ½ Σ_j |A_ij − A'_ij|.
struct HeadChange {
  int layer{};
  int head{};
  double change{};             ///< 0 for the same map, 1 for one on other keys
  double least{}, greatest{};  ///< of the texts, each by itself
};

struct WhatIf {
  std::string model{};
  std::string family{};
  std::vector<std::string> edits{};
  int first_layer{};  ///< the first that is computed twice
  int layers{}, heads{};
  std::vector<TextEffect> texts{};
  double before{}, after{};  ///< mean losses over the texts' means; NaN without losses
  /// Of the texts' mean losses, after less before. NaN where there is one text, or no loss.
  Welch difference{};
  std::vector<HeadChange> changes{};  ///< from the first edited layer on; layer by layer
  std::vector<Array> maps{};          ///< of the first text: before and after, [heads, N, N]
  /// The largest weight of each cell, of the first text under the edits. [layers, heads, c, c]
  Array small_maps{};
  Array unseen_cells{};  ///< 1 where no query of a cell sees a key of it. [layers, c, c]
  /// Of that head under the edits, over the first text; empty where its layer's logits are no sum by
  /// position, or a defect turns its pairs.
  std::optional<HeadTerms> terms{};
};

/// The model and the edited one side by side, from the first edited layer on; without edits the
/// model alone, twice.
///
/// Throws as parse_edit and forward do; UsageError for corpus_mean without a corpus.
/// Cost: a pass and a part of one; for `heads`, N² numbers of every head from the first edited
/// layer on.
WhatIf what_if(LiveModel& model, const WhatIfRequest& request, Progress& progress);

/// Bytes of the maps that what_if holds for the longest of its texts.
std::uint64_t map_bytes(const LiveModel& model, const WhatIfRequest& request);

}  // namespace orrery
