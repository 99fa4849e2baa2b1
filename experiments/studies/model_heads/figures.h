#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/mask.h"
#include "core/transformer/edit.h"
#include "experiments/heads/model_heads.h"
#include "experiments/heads/what_if.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// What was found: the heads of the model once they are measured, and what the edits do.
struct HeadsFound {
  ParamSet params;                    ///< with the chosen head in them
  HeadPlace chosen{};                 ///< the head that is looked at
  std::vector<std::string> labels{};  ///< of the first text's tokens
  WhatIf effect{};
  const HeadTable* table{};                      ///< null until it is there
  Mask mask{};                                   ///< of the chosen layer, under the edits
  std::shared_ptr<const Array> masked{};         ///< keys that its queries do not see
  std::shared_ptr<const Array> masked_before{};  ///< the same before the edits
  /// The most probable next tokens in words, text by text.
  std::vector<std::string> next{};
};

/// The chosen head's row.
const HeadRow& chosen_row(const HeadsFound& found);
/// The number of a head by "score", or of "against".
double score_of(const ParamSet& params, const HeadRow& row, const std::string& score);
/// The row with the highest "score", of a layer and a head where these are not −1; null where none
/// has that score.
const HeadRow* highest_row(const ParamSet& params, const HeadTable& table, const HeadPlace& of);
/// Whether a head's score is at least "score_from", and the other one, where it has that, at least
/// "against_from".
bool is_marked(const ParamSet& params, const HeadRow& row);
/// How far the edits move a head's weights; 0 in front of the first edited layer.
double change_of(const WhatIf& effect, int layer, int head);
/// Of a figure of the first text.
std::string caption_of_text(const HeadsFound& found);
/// "linear bias" of linear_bias.
std::string words_of(std::string key);
/// Heads with more than half of their weight on the first token; empty where too few queries tell.
std::optional<std::size_t> sink_heads(const HeadTable& table);
/// "base:500, sign"; empty without edits.
std::string edits_text(const WhatIf& effect);

/// Maps of the chosen head, of all heads, losses and next tokens; and what the scores are, once
/// they are there.
std::vector<Figure> heads_figures(const HeadsFound& found);
/// One row per head, and one per token.
std::vector<Table> heads_tables(const HeadsFound& found);
/// Weight by distance and shares of pairs, of all heads.
std::vector<std::shared_ptr<const Array>> heads_arrays(const HeadTable& table);

/// The logits of the chosen head as the sum of its pairs of RoPE, or of the terms of its encoding, in
/// maps; none where WhatIf::terms is empty.
std::optional<Figure> equation_figure(const HeadsFound& found);

/// Whether they are that sum, under the softcap where there is one.
Check equation_check(const HeadTerms& terms, const Mask& mask);

}  // namespace orrery
