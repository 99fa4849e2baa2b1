#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/heads/live_model.h"
#include "experiments/model/progress.h"
#include "experiments/statistics/welch.h"

namespace orrery {

/// A fact that is put into a text, and what asks for it.
struct Needle {
  std::vector<std::int32_t> fact{};      ///< "The number of the safe is 7421."
  std::vector<std::int32_t> question{};  ///< "The number of the safe is", behind the text
  std::vector<std::int32_t> answer{};    ///< " 7421", what the model should say next
};

struct NeedleRequest {
  std::vector<ModelText> texts{};       ///< that needles are put into
  std::vector<std::int64_t> lengths{};  ///< tokens of a context: text, fact and question
  std::size_t depths{5};                ///< places from the beginning to the end: 0, ¼, … 1
  std::int64_t draws{4};                ///< of each cell: other parts of the texts
  std::int64_t key{2}, value{2};        ///< random tokens of a needle: key value … key → value
  std::int64_t seed{0};                 ///< of those
  std::vector<Needle> needle{};         ///< one that is given in place of random ones; or none
  std::int32_t first{-1};               ///< stands before each context; −1 for none
  std::vector<std::string> edits{};     ///< of the model, as parse_edit reads them
};

/// How well a model retrieves a fact from one place in contexts of one length.
struct NeedleCell {
  std::int64_t length{};
  double depth{};  ///< share of the text in front of the fact: 0 first, 1 just before the question
  double retrieved{};  ///< share of draws in which each token of the answer is the most probable
  std::vector<double> losses{};  ///< −ln p of the answer's tokens, their mean, of each draw
  double loss{};                 ///< mean over draws, nats
  /// Loss of the same answers to the same questions in as long contexts without the fact, less that
  /// with it, paired by draws.
  Welch gain{};
};

struct NeedleTable {
  std::string model{};
  std::string family{};
  NeedleRequest request{};
  std::vector<std::string> edits{};
  std::vector<double> depths{};
  std::vector<NeedleCell> cells{};  ///< length by length, depth by depth
  Welch gain{};                     ///< of all cells, paired by draws
  std::int64_t passes{};
  const NeedleCell& at(std::size_t length, std::size_t depth) const {
    return cells[length * depths.size() + depth];
  }
};

/// Puts a fact into texts at every depth, asks for it behind them, and looks at the next tokens.
///
/// The context is [first] text fact text question; the answer is judged with its own tokens in
/// front of each (so that the share retrieved is that of greedy decoding). Random needles are of
/// tokens that no text has, so that nothing but the fact tells them. Draw r takes its own part of
/// the texts: parts begin evenly from the first token to the last that leaves enough.
///
/// Throws UsageError: texts that are shorter than a context, a length without room for the needle, a
/// vocabulary without enough tokens that the texts do not have, a model without a head or that looks
/// both ways; as parse_edit and forward do.
/// Cost: (depths + 1) · draws passes for each length.
/// Source: Kamradt 2023, "Needle in a haystack"; Liu et al. 2023, arXiv 2307.03172.
NeedleTable find_needles(LiveModel& model, const NeedleRequest& request, Progress& progress);

}  // namespace orrery
