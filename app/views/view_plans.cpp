#include "app/views/view_plans.h"

#include <map>
#include <string>

namespace orrery::views {
namespace {

/// Experiments whose figures belong together; the others show one at a time.
const std::map<std::string, ViewPlan, std::less<>>& plans() {
  using enum ViewLayout;
  using enum Rule::Direction;
  static const std::map<std::string, ViewPlan, std::less<>> all{
      {"attention_map", {.layout = small_multiples, .grouping = Grouping::by_kind}},
      {"equal_half_distance", {.rules = {{"equal_half_distance", vertical, "half_distance"}}}},
      {"sequence_length", {.rules = {{"entropy", vertical, "train_length"}}}},
      {"encoding_matrix", {.layout = small_multiples, .grouping = Grouping::by_encoding}},
      {"long_term_decay",
       {.left = "decay_bound",
        .right = "phasor_chain",
        .rules = {{"decay_bound", vertical, "distance"}},
        // The chain is of the frequencies alone.
        .preview_overrides = {{"assumption", "ones"}, {"max_distance", "1"}}}},
      {"norm_preservation", {.layout = side_by_side}},
      {"rotation", {.layout = side_by_side, .left = "phasor_chain", .right = "pair"}},
      {"score_decomposition", {.layout = small_multiples, .grouping = Grouping::by_encoding}},
      {"sweep_overview", {.layout = small_multiples, .grouping = Grouping::by_page}},
      {"spectrum",
       {.layout = side_by_side,
        .left = "wavelengths",
        .right = "sum_of_cosines",
        .rules = {{"wavelengths", horizontal, "context"}}}},
  };
  return all;
}

}  // namespace

ViewPlan view_plan(std::string_view experiment) {
  const auto found = plans().find(experiment);
  return found == plans().end() ? ViewPlan{} : found->second;
}

}  // namespace orrery::views
