#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Bytes [begin, end) of a text: in 32 bits, as a text has millions of them.
struct TextRange {
  TextRange() = default;
  TextRange(std::size_t first, std::size_t behind)
      : begin(static_cast<std::uint32_t>(first)), end(static_cast<std::uint32_t>(behind)) {}

  std::uint32_t begin{}, end{};
};

/// A regular expression that was read from a file: nobody has checked how long it takes.
class Regex {
 public:
  /// @param oniguruma  in the syntax of tokenizer.json
  /// @param name       the file, in messages
  /// Throws DataError: what icu_pattern refuses, or ICU.
  Regex(std::string_view oniguruma, std::string_view name);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;
  Regex& operator=(Regex&&) = delete;

  /// All matches in a valid UTF-8 text, one after another. An empty match right behind another match
  /// does not count. Throws DataError: it took longer than 2 s for a match, or 2 s and one more per MiB
  /// for all, or more than 64 MiB.
  std::vector<TextRange> matches(std::string_view text) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

/// A pattern that matches a text itself.
std::string literal_pattern(std::string_view text);

}  // namespace orrery
