#include "app/session/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/setup/plugins.h"
#include "experiments/text/shell_quote.h"

namespace orrery {

std::string command_text(const ExperimentState& state) {
  std::vector<std::string> words{"orrery", "run", state.experiment->info.name};
  for (std::string& word : state.params.overrides()) words.push_back(std::move(word));
  return command_line(std::move(words));
}

std::string command_text(const LiveSweep& sweep) {
  std::vector<std::string> words{"orrery", "sweep", sweep.experiment()->info.name};
  ParamSet around = sweep.params();
  around.reset(sweep.key());
  for (std::string& word : around.overrides()) words.push_back(std::move(word));
  words.push_back(fmt::format("{}={}", sweep.key(), fmt::join(sweep.values(), ",")));
  return command_line(std::move(words));
}

std::string plot_command_text(const std::string& folder, const std::string& hue,
                              const std::string& facet) {
  std::vector<std::string> words{"orrery", "plot", folder};
  if (!hue.empty()) words.push_back("hue=" + hue);
  if (!facet.empty()) words.push_back("facet=" + facet);
  return shell_line(words);
}

}  // namespace orrery
