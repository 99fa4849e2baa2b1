#include "app/views/view_plans.h"

#include <map>
#include <string>

namespace orrery::views {
namespace {

ViewPlan plan_of_spectrogram() {
  return {.layout = ViewLayout::small_multiples,
          .grouping = Grouping::stacked,
          .controls = {"encoding", "base", "dim", "distance"},
          .preview_overrides = {{"columns", "16"}, {"max_distance", "16"}}};
}

ViewPlan plan_of_decay() {
  return {.left = "decay_bound",
          .right = "phasor_chain",
          .controls = {"encoding", "base", "dim", "distance"},
          // The chain is of the frequencies alone.
          .preview_overrides = {{"assumption", "ones"}, {"max_distance", "1"}}};
}

/// Experiments without a layout of their own show one figure at a time.
// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
const std::map<std::string, ViewPlan, std::less<>>& plans() {
  using enum ViewLayout;
  static const std::map<std::string, ViewPlan, std::less<>> all{
      {"attention_map",
       {.layout = small_multiples,
        .grouping = Grouping::by_kind,
        .controls = {"encoding", "max_tokens", "head", "base"}}},
      {"defects",
       {.layout = side_by_side,
        .left = "logit_difference",
        .right = "weights",
        .controls = {"defect", "scaling", "base", "original_length"}}},
      {"diagnosis",
       {.layout = side_by_side,
        .left = "excess_angles",
        .right = "by_position",
        .controls = {"case", "seed"}}},
      {"identify",
       {.layout = side_by_side,
        .left = "hypotheses",
        .right = "residual_by_position",
        .controls = {"before", "after", "defect", "first_position"}}},
      {"equal_half_distance", {.controls = {"encoding", "half_distance", "max_distance"}}},
      {"score_spectrogram", plan_of_spectrogram()},
      {"sequence_length", {.controls = {"encoding", "train_length", "max_length", "base"}}},
      {"encoding_matrix",
       {.layout = small_multiples,
        .grouping = Grouping::by_encoding,
        .controls = {"encoding", "dim", "positions", "base"}}},
      {"linear_attention", {.controls = {"features", "tokens", "deviation", "base"}}},
      {"long_term_decay", plan_of_decay()},
      {"model_layers",
       {.layout = side_by_side,
        .left = "reasons",
        .right = "bands",
        .controls = {"context", "trained", "residual"}}},
      {"norm_preservation",
       {.layout = side_by_side, .controls = {"encoding", "dim", "max_position"}}},
      {"relative_invariance", {.controls = {"encoding", "base", "span", "tokens"}}},
      {"rotation",
       {.layout = side_by_side,
        .left = "phasor_chain",
        .right = "pair",
        .controls = {"distance", "base", "dim"}}},
      {"score_decomposition",
       {.layout = small_multiples,
        .grouping = Grouping::by_encoding,
        .controls = {"encoding", "max_tokens", "head", "base"}}},
      {"semantic_reversal",
       {.layout = side_by_side,
        .left = "reversal",
        .right = "sensitivity",
        .controls = {"base", "dim", "context", "relevance"}}},
      {"sweep_overview", {.layout = small_multiples, .grouping = Grouping::by_page}},
      {"spectrum",
       {.layout = side_by_side,
        .left = "wavelengths",
        .right = "sum_of_cosines",
        .controls = {"base", "dim", "context", "factor"}}},
  };
  return all;
}

}  // namespace

ViewPlan view_plan(std::string_view experiment) {
  const auto found = plans().find(experiment);
  return found == plans().end() ? ViewPlan{} : found->second;
}

}  // namespace orrery::views
