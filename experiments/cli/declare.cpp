#include "experiments/cli/declare.h"

namespace orrery::cli {

std::vector<Command> declare_commands(CLI::App& app, const std::vector<std::string>& argv) {
  std::vector<Command> all;
  for (const auto declare :
       {declare_catalogue_commands, declare_batch_commands, declare_saved_commands,
        declare_array_commands, declare_shell_commands})
    for (Command& command : declare(app, argv)) all.push_back(std::move(command));
  return all;
}

}  // namespace orrery::cli
