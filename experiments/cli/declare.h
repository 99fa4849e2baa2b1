#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace orrery::cli {

/// A subcommand, and what it does once the command line has been read; returns the exit status.
struct Command {
  CLI::App* app{};
  std::function<int()> run{};
};

/// Adds every subcommand to `app`, in the order of the help. `argv` is what manifests record.
std::vector<Command> declare_commands(CLI::App& app, const std::vector<std::string>& argv);

// Parts of it, by what the commands are about.
std::vector<Command> declare_catalogue_commands(CLI::App& app,
                                                const std::vector<std::string>& argv);
std::vector<Command> declare_batch_commands(CLI::App& app, const std::vector<std::string>& argv);
std::vector<Command> declare_saved_commands(CLI::App& app, const std::vector<std::string>& argv);
std::vector<Command> declare_array_commands(CLI::App& app, const std::vector<std::string>& argv);
std::vector<Command> declare_shell_commands(CLI::App& app, const std::vector<std::string>& argv);

}  // namespace orrery::cli
