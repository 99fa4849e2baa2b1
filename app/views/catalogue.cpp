#include "app/views/catalogue.h"

#include <map>
#include <string>

#include "app/views/result_view.h"

namespace orrery {
namespace {

/// Experiments whose figures belong together; the others show one at a time.
const std::map<std::string, ViewPlan, std::less<>>& plans() {
  using enum ViewLayout;
  static const std::map<std::string, ViewPlan, std::less<>> all{
      {"attention_map", {.layout = small_multiples, .by_kind = true}},
      {"long_term_decay", {.left = "decay_bound", .right = "phasor_chain"}},
  };
  return all;
}

}  // namespace

std::unique_ptr<View> make_view(std::string_view experiment) {
  const auto found = plans().find(experiment);
  return make_result_view(found == plans().end() ? ViewPlan{} : found->second);
}

}  // namespace orrery
