#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "experiments/model/layers.h"

namespace orrery::cli {

/// The candidates for the last of `words`, which may be incomplete or empty: commands, their
/// options and the choices of these, names of experiments, presets and encodings, "key=" of the
/// parameters, and "key=choice". Files are left to the shell.
/// @param words  the command line without the program's name
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

/// The script with which a shell ("bash", "zsh", "fish") requests them.
std::string completion_script(const std::string& shell);

}  // namespace orrery::cli
