#pragma once

#include <string>
#include <vector>

#include "core/params.h"

namespace orrery {

/// The words "key=value" of a text: parted by white space, or the members of a JSON object, of which
/// a list is "a,b" as on the command line. Throws UsageError for JSON of another form.
std::vector<std::string> words_of(const char* settings);

}  // namespace orrery
