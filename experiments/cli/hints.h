#pragma once

#include <CLI/CLI.hpp>

#include "core/errors.h"
#include "experiments/model/layers.h"

namespace orrery::cli {

/// Throws a UsageError that names what was meant, where a word after the command is neither one of
/// its options nor a parameter: a misspelt option, a parameter in capitals, or a name that other
/// programs and papers use. Returns when it knows nothing better than `error`.
void suggest_better(const CLI::App& command, const UsageError& error);

/// "orrery: --repeats: Value 0 not in range …; orrery help sweep lists what it takes".
std::string message_of(const CLI::App& app, const CLI::ParseError& error);

}  // namespace orrery::cli
