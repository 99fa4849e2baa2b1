#pragma once

#include <CLI/CLI.hpp>

#include "core/errors.h"
#include "experiments/model/layers.h"

namespace orrery::cli {

/// Throws a UsageError that names what was meant, where a word after the command is neither one of
/// its options nor a parameter: a misspelt option, a parameter in capitals, a name that other
/// programs and papers use, or one that another command, experiment or encoding has. The same for
/// the NAME of an experiment, and for a value. Returns when it knows nothing better than `error`.
void suggest_better(const CLI::App& command, const Error& error);

/// Throws a UsageError for an option in place of a command that `app` does not have, and for a
/// command that is an option.
void check_first_word(const CLI::App& app, const std::string& word);

/// "orrery: --repeats: Value 0 not in range …; orrery help sweep lists what it takes".
std::string message_of(const CLI::App& app, const CLI::ParseError& error);

}  // namespace orrery::cli
