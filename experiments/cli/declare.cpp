#include "experiments/cli/declare.h"

namespace orrery::cli {

std::vector<Command> declare_commands(CLI::App& app, const std::vector<std::string>& argv) {
  std::vector<Command> all;
  for (const auto declare : {declare_list_commands, declare_verify_commands, declare_run_commands,
                             declare_sweep_commands, declare_report_commands,
                             declare_attend_commands, declare_open_commands})
    for (Command& command : declare(app, argv)) all.push_back(std::move(command));
  return all;
}

}  // namespace orrery::cli
