#include "experiments/tokenizers/regex.h"

#include <fmt/format.h>
#include <unicode/uregex.h>

#include <chrono>
#include <mutex>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/tokenizers/regex_syntax.h"
#include "experiments/tokenizers/utf16.h"

namespace orrery {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds search_time{2000}, search_time_per_mib{1000};
constexpr std::int32_t largest_stack = 64 << 20;
// ICU counts steps of about a millisecond, the time of a single match.
constexpr std::int32_t most_ticks = 2000;
constexpr std::size_t matches_between_looks = 256;

Clock::time_point end_of_search(std::size_t bytes) {
  return Clock::now() + search_time + search_time_per_mib * (bytes >> 20);
}

/// Whether a pattern has \1 to \9 or \k<name>. The time that these take is counted by none of ICU's limits.
bool refers_back(std::string_view pattern) {
  for (std::size_t i = 0; i + 1 < pattern.size(); ++i)
    if (pattern[i] == '\\') {
      const char next = pattern[++i];
      if (next == 'k' || ('1' <= next && next <= '9')) return true;
    }
  return false;
}

}  // namespace

struct Regex::Compiled {
  std::string source{}, name{};
  URegularExpression* expression{nullptr};
  std::mutex mutex{};  // an expression holds the text that it searches

  Compiled(std::string_view source_text, std::string_view file) : source(source_text), name(file) {}
  ~Compiled() { uregex_close(expression); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  [[noreturn]] void refuse(std::string_view rule) const {
    throw DataError(name,
                    fmt::format("has the regular expression {}, which {}", in_quotes(source), rule),
                    "give a tokenizer of a kind that is read");
  }

  void check(UErrorCode status) const {
    if (status == U_REGEX_TIME_OUT || status == U_REGEX_STOPPED_BY_CALLER) too_long();
    if (status == U_REGEX_STACK_OVERFLOW) refuse("takes more than 64 MiB on this text");
    if (U_FAILURE(status)) refuse(fmt::format("ICU does not match ({})", u_errorName(status)));
  }

  [[noreturn]] void too_long() const { refuse("takes too long on this text"); }
};

Regex::Regex(std::string_view oniguruma, std::string_view name)
    : compiled_(std::make_unique<Compiled>(oniguruma, name)) {
  if (refers_back(oniguruma))
    compiled_->refuse("refers back to what a group has matched, and no limit ends such a search");
  const std::u16string pattern = utf16_of(icu_pattern(oniguruma, name));
  UErrorCode status = U_ZERO_ERROR;
  UParseError place{};
  compiled_->expression = uregex_open(pattern.data(), static_cast<std::int32_t>(pattern.size()),
                                      UREGEX_MULTILINE | UREGEX_UNIX_LINES, &place, &status);
  if (U_FAILURE(status))
    compiled_->refuse(fmt::format("ICU does not read ({})", u_errorName(status)));
  uregex_setTimeLimit(compiled_->expression, most_ticks, &status);
  uregex_setStackLimit(compiled_->expression, largest_stack, &status);
  compiled_->check(status);
}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;

std::vector<TextRange> Regex::matches(std::string_view text) const {
  const std::u16string utf16 = utf16_of(text);
  const std::lock_guard lock(compiled_->mutex);
  const Clock::time_point end = end_of_search(text.size());
  URegularExpression* expression = compiled_->expression;
  UErrorCode status = U_ZERO_ERROR;
  uregex_setText(expression, utf16.data(), static_cast<std::int32_t>(utf16.size()), &status);
  Utf8Places places(text);
  std::vector<TextRange> found;
  while (uregex_findNext(expression, &status)) {
    const auto begin = static_cast<std::size_t>(uregex_start(expression, 0, &status));
    const auto stop = static_cast<std::size_t>(uregex_end(expression, 0, &status));
    const TextRange match{places.of(begin), places.of(stop)};
    const bool counts =
        match.begin != match.end || found.empty() || found.back().end != match.begin;
    if (counts) found.push_back(match);
    if (found.size() % matches_between_looks == 0 && Clock::now() > end) compiled_->too_long();
  }
  compiled_->check(status);
  uregex_setText(expression, u"", 0, &status);
  return found;
}

}  // namespace orrery
