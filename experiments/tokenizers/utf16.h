#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery {

/// The UTF-16 of a valid UTF-8 text: ICU's matchers and iterators read that.
std::u16string utf16_of(std::string_view utf8);

/// Appends the UTF-8 of a valid UTF-16 text.
void append_utf8(std::u16string_view utf16, std::string& to);

/// Turns places in a text's UTF-16, in rising order, into places in its UTF-8.
class Utf8Places {
 public:
  explicit Utf8Places(std::string_view utf8) : utf8_(utf8) {}

  std::size_t of(std::size_t utf16_place);

 private:
  std::string_view utf8_;
  std::size_t at_{0}, utf16_at_{0};
};

}  // namespace orrery
