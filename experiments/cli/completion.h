#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace orrery::cli {

/// What may stand at the end of a command line: the candidates for the last of `words`, which may
/// be cut off or empty. Commands, their options and those options' choices, names of experiments,
/// presets and encodings, "key=" of the parameters, and "key=choice". Files are the shell's
/// business.
/// @param words  without the program's name
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

/// The script that teaches a shell ("bash", "zsh", "fish") to ask for them.
std::string completion_script(const std::string& shell);

}  // namespace orrery::cli
