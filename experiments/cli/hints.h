#pragma once

#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/cli/command.h"

namespace orrery {

/// Throws a UsageError that names what was meant, where a word after the command is neither one of
/// its options nor a parameter: a misspelt option, a parameter in capitals, a name that other
/// programs and papers use, or one that another command, experiment or encoding has. The same for
/// the NAME of an experiment, and for a value. Returns when it knows nothing better than `error`.
void suggest_better(const std::vector<Command>& commands, const Command& command,
                    const Error& error);

/// Throws a UsageError for an option in place of a command that the program does not have, and for
/// a command that is an option, an experiment, or a part of another command by now.
void check_first_word(const std::string& word);

/// Throws a UsageError for a lesson in the place of what is to be done with it.
void check_lesson_action(const Command& lesson, const std::string& word);

}  // namespace orrery
