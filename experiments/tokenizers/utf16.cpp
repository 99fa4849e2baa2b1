#include "experiments/tokenizers/utf16.h"

#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr char32_t first_in_pairs = 0x10000, high_surrogates = 0xD800, low_surrogates = 0xDC00;
constexpr char32_t surrogate_bits = 10, surrogate_mask = 0x3FF;

bool is_high_surrogate(char16_t unit) { return unit >= high_surrogates && unit < low_surrogates; }

}  // namespace

std::u16string utf16_of(std::string_view utf8) {
  std::u16string out;
  out.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t c = next_character(utf8, at);
    if (c < first_in_pairs) {
      out += static_cast<char16_t>(c);
      continue;
    }
    const char32_t rest = c - first_in_pairs;
    out += static_cast<char16_t>(high_surrogates + (rest >> surrogate_bits));
    out += static_cast<char16_t>(low_surrogates + (rest & surrogate_mask));
  }
  return out;
}

void append_utf8(std::u16string_view utf16, std::string& to) {
  for (std::size_t i = 0; i < utf16.size(); ++i) {
    char32_t c = utf16[i];
    if (is_high_surrogate(utf16[i]) && i + 1 < utf16.size()) {
      c = first_in_pairs + ((c & surrogate_mask) << surrogate_bits);
      c += utf16[++i] & surrogate_mask;
    }
    to += utf8_of(c);
  }
}

std::size_t Utf8Places::of(std::size_t utf16_place) {
  while (utf16_at_ < utf16_place && at_ < utf8_.size())
    utf16_at_ += next_character(utf8_, at_) < first_in_pairs ? 1U : 2U;
  return at_;
}

}  // namespace orrery
