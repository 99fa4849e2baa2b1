#include "app/session/command_line.h"

#include "experiments/text/shell_quote.h"

namespace orrery::session {

std::string command_text(const ExperimentState& state) {
  std::vector<std::string> words{"orrery", "run", state.experiment->info.name};
  for (std::string& word : state.params.overrides()) words.push_back(std::move(word));
  return shell_line(words);
}

}  // namespace orrery::session
