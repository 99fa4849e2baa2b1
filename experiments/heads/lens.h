#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/heads/live_model.h"
#include "experiments/model/progress.h"

namespace orrery {

struct LensRequest {
  ModelText text{};
  std::size_t next{5};               ///< most probable tokens that are kept of each state
  std::vector<std::string> edits{};  ///< of the model that is looked into
};

/// What the vocabulary's head makes of one state of the residual stream.
struct LensCell {
  std::vector<std::int32_t> ids{};      ///< the most probable tokens
  std::vector<double> probabilities{};  ///< of those
  double loss{};     ///< −ln p of the token that comes next, nats; NaN for the last token
  double entropy{};  ///< −Σ p ln p, nats
};

struct Lens {
  std::string model{};
  std::string family{};
  ModelText text{};
  std::vector<std::string> edits{};
  double loss_of_chance{};        ///< ln of the vocabulary's size, nats
  std::size_t states{};           ///< layers + 1: before the first layer, and behind each
  std::vector<LensCell> cells{};  ///< state by state, token by token
  std::vector<double> losses{};   ///< the pass' own, as forward tells them; or empty
  const LensCell& at(std::size_t state, std::size_t token) const {
    return cells[state * text.tokens.size() + token];
  }
};

/// The logit lens: logits of softcap(W_vocabulary N(x_l)) of the residual stream x_l behind l
/// layers, N the last norm, at every token. The last state's are the model's own.
///
/// Throws UsageError for a model without a head; as forward does.
/// Cost: a pass, and (layers + 1)·N·vocabulary·d_model products.
/// Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
Lens logit_lens(LiveModel& model, const LensRequest& request, Progress& progress);

/// Bytes that it holds beside the model: every state, logits of some tokens, and its cells.
std::uint64_t lens_bytes(const LiveModel& model, const LensRequest& request);

}  // namespace orrery
