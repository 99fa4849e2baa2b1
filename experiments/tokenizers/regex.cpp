#include "experiments/tokenizers/regex.h"

#include <fmt/format.h>
#include <unicode/uregex.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include "core/errors.h"
#include "experiments/text/nesting.h"
#include "experiments/text/printable.h"
#include "experiments/tokenizers/unicode.h"

namespace orrery {
namespace {

constexpr std::size_t longest_pattern = 1 << 14;

constexpr std::string_view white_space = R"(\p{White_Space})";
constexpr std::string_view word = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
// Outside of brackets Oniguruma has superscripts and fractions among the letters.
constexpr std::string_view bare_word =
    R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u00B2\u00B3\u00B9\u00BC-\u00BE)";
constexpr std::string_view hexadecimal = "0-9a-fA-F";

constexpr std::string_view known_groups[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:"};

bool is_ascii_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_ascii_mark(char c) { return c > ' ' && c < '\x7F' && !is_ascii_letter_or_digit(c); }

/// What a class such as \s holds, for the inside of brackets.
std::optional<std::string_view> class_members(char letter) {
  switch (letter) {
    case 's':
    case 'S':
      return white_space;
    case 'w':
    case 'W':
      return word;
    case 'h':
    case 'H':
      return hexadecimal;
    default:
      return std::nullopt;
  }
}

[[noreturn]] void refuse_expression(std::string_view file, std::string_view expression,
                                    std::string_view rule) {
  throw DataError(
      file, fmt::format("has the regular expression {}, which {}", in_quotes(expression), rule),
      "give a tokenizer of a kind that is read");
}

/// Reads a pattern from its beginning to its end.
class PatternReader {
 public:
  PatternReader(std::string_view pattern, std::string_view name) : in_(pattern), name_(name) {}

  std::string read() {
    if (in_.size() > longest_pattern)
      refuse(fmt::format("has {} bytes, and at most {} are read", in_.size(), longest_pattern));
    if (take("(?i)")) out_ += "(?i)";
    while (at_ < in_.size()) read_item();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(std::string_view rule) const { refuse_expression(name_, in_, rule); }

  bool at(std::string_view text) const { return in_.substr(at_).starts_with(text); }

  bool take(std::string_view text) {
    if (!at(text)) return false;
    at_ += text.size();
    return true;
  }

  char next() {
    if (at_ >= in_.size()) refuse("ends too early");
    return in_[at_++];
  }

  void read_item() {
    const char c = in_[at_];
    if (c == '(') return open_group();
    if (c == ')') return close_group();
    if (c == '{' || c == '*' || c == '+' || c == '?') return read_quantifier();
    atom_ = out_.size();
    if (c == '[')
      read_set(0);
    else if (c == '\\')
      read_escape();
    else
      copy_character();
  }

  void copy_character() {
    out_ += in_[at_++];
    while (at_ < in_.size() && (static_cast<unsigned char>(in_[at_]) & 0xC0U) == 0x80)
      out_ += in_[at_++];
  }

  void open_group() {
    if (groups_.size() >= most_levels) refuse(too_deep());
    groups_.push_back(out_.size());
    for (const std::string_view group : known_groups)
      if (take(group)) {
        out_ += group;
        return;
      }
    if (at("(?")) refuse(fmt::format("has the group {}", in_quotes(in_.substr(at_, 4))));
    ++at_;
    out_ += '(';
  }

  void close_group() {
    if (groups_.empty()) refuse("closes a group that is not open");
    atom_ = groups_.back();
    groups_.pop_back();
    ++at_;
    out_ += ')';
  }

  void read_quantifier() {
    if (in_[at_] != '{') {
      out_ += in_[at_++];
      return;
    }
    do out_ += next();
    while (out_.back() != '}');
    if (!take("+")) return;
    out_.insert(atom_, "(?:");
    out_ += ")+";
  }

  /// Copies {…} after \p, \P or \x.
  void copy_braces() {
    if (!at("{")) return;
    do out_ += next();
    while (out_.back() != '}');
  }

  /// Copies an escape that means the same to both. False for any other.
  bool copy_common_escape(char letter) {
    constexpr std::string_view same = "dDnrtfaexupP";
    if (is_ascii_letter_or_digit(letter) && same.find(letter) == std::string_view::npos)
      return false;
    out_ += '\\';
    out_ += letter;
    if (letter == 'p' || letter == 'P' || letter == 'x') copy_braces();
    return true;
  }

  void read_escape() {
    ++at_;
    const char letter = next();
    if (static_cast<unsigned char>(letter) >= 0x80) {
      --at_;
      return copy_character();
    }
    if (const auto members = class_members(letter)) {
      const std::string_view held = *members == word ? bare_word : *members;
      out_ += fmt::format("[{}{}]", letter < 'a' ? "^" : "", held);
      return;
    }
    if (copy_common_escape(letter)) return;
    constexpr std::string_view places = "AzZG123456789";
    if (places.find(letter) != std::string_view::npos)
      out_ += fmt::format("\\{}", letter);
    else if (letter == 'v')
      out_ += R"(\x0B)";
    else if (letter == 'b')
      out_ += fmt::format("(?:(?<=[{0}])(?![{0}])|(?<![{0}])(?=[{0}]))", bare_word);
    else if (letter == 'B')
      out_ += fmt::format("(?:(?<=[{0}])(?=[{0}])|(?<![{0}])(?![{0}]))", bare_word);
    else
      refuse(fmt::format("has the escape \\{}", letter));
  }

  void read_set(std::size_t level) {
    if (level >= most_levels) refuse(too_deep());
    ++at_;
    out_ += '[';
    if (take("^")) out_ += '^';
    bool after_class = true, first = true;
    while (first || !at("]")) {
      after_class = read_member(level, after_class);
      first = false;
    }
    ++at_;
    out_ += ']';
  }

  /// Reads one member of a set. Returns whether it was a class, after which - is a character.
  bool read_member(std::size_t level, bool after_class) {
    if (at("[:")) return copy_named_class();
    if (at("[")) {
      read_set(level + 1);
      return true;
    }
    if (take("&&")) {
      out_ += "&&";
      return true;
    }
    if (at("--")) refuse("has -- in brackets");
    if (at("\\")) return read_set_escape();
    const char c = next();
    if (c == '-' && !after_class && !at("]"))
      out_ += '-';
    else if (is_ascii_mark(c))
      out_ += fmt::format("\\{}", c);
    else
      out_ += c;
    return false;
  }

  bool copy_named_class() {
    const std::size_t end = in_.find(":]", at_);
    if (end == std::string_view::npos) refuse("ends within brackets");
    out_ += in_.substr(at_, end + 2 - at_);
    at_ = end + 2;
    return true;
  }

  bool read_set_escape() {
    ++at_;
    const char letter = next();
    if (const auto members = class_members(letter)) {
      out_ += letter < 'a' ? fmt::format("[^{}]", *members) : std::string(*members);
      return true;
    }
    if (static_cast<unsigned char>(letter) >= 0x80) {
      --at_;
      copy_character();
    } else if (letter == 'v' || letter == 'b') {
      out_ += letter == 'v' ? R"(\x0B)" : R"(\x08)";
    } else if (!copy_common_escape(letter)) {
      refuse(fmt::format("has the escape \\{} in brackets", letter));
    }
    return letter == 'p' || letter == 'P' || letter == 'd' || letter == 'D';
  }

  std::string_view in_;
  std::string_view name_;
  std::size_t at_{0};
  std::string out_{};
  std::size_t atom_{0};                // where the last atom begins in out_
  std::vector<std::size_t> groups_{};  // where the open groups begin
};

/// A regular expression of Oniguruma, as tokenizer.json holds them, in the syntax of ICU.
///
/// White space (\s) is Unicode's White_Space, which ICU's lacks two of; \w, \h, \v and \b mean
/// Oniguruma's; {n,m}+ repeats there and is possessive in ICU; ^ and $ are those of lines that end
/// with \n, for which ICU has flags (Regex sets them).
///
/// Throws DataError, naming `name`: an escape or a group that no known tokenizer uses, such as \K,
/// (?~…) or options other than i; too long; nested deeper than most_levels.
std::string icu_pattern(std::string_view oniguruma, std::string_view name) {
  return PatternReader(oniguruma, name).read();
}

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

  [[noreturn]] void refuse(std::string_view rule) const { refuse_expression(name, source, rule); }

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

std::string literal_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (is_ascii_mark(c)) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace orrery
