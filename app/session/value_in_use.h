#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/session/session.h"

namespace orrery {

/// The number in use where files decide it in place of a parameter of the experiment on screen;
/// empty where the parameter's own is.
std::optional<double> number_in_use(const Session& session, std::string_view key);
/// Why files decide it whatever the parameter says, "The file says 8192."; empty where they do not.
std::string why_fixed(const Session& session, std::string_view key);

/// The parameter within what the files on screen have: its largest head is that of the model.
ParamSpec within_files(const Session& session, const ParamSpec& spec);

/// What the parameter's control shows: the number in use.
std::string value_shown(const Session& session, const ParamSpec& spec);
/// The same of a number.
double number_shown(const Session& session, const ParamSpec& spec);

}  // namespace orrery
