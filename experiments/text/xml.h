#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// Text for the content or an attribute of an XML or HTML element: & < > " are escaped, and what
/// XML cannot contain (control characters, noncharacters, bytes that are not UTF-8) becomes U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace orrery
