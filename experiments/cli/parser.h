#pragma once

#include <string>
#include <vector>

#include "experiments/cli/command.h"

namespace orrery {

/// What a command line asks for.
struct Parsed {
  const Command* command{};  ///< its options are set; null where the parser has answered or refused
  int status{};              ///< of the program, where there is no command
};

/// Reads a command line, the program's name first. Prints the help and the version it asks for,
/// and says what is wrong with it. Throws what the functions of options throw.
Parsed parse(const std::vector<Command>& commands, const Words& argv);

/// The help of the program, or of a command.
std::string help_of(const std::vector<Command>& commands, const std::string& command);

/// Sets those options that are among the words, and passes over all else. Returns what is wrong
/// with them; empty where nothing is.
std::string read_options(const std::vector<Option>& options, const Words& words);

}  // namespace orrery
