#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// The text within an element or an attribute of XML and HTML: & < > " are escaped, and what XML
/// cannot hold (control characters, U+FFFE, U+FFFF, bytes that are no UTF-8) becomes U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace orrery
