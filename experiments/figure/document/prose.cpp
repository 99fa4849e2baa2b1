#include "experiments/figure/document/prose.h"

#include <functional>
#include <utility>

#include "core/errors.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

class SpanReader {
 public:
  SpanReader(std::string_view text, int line, const Guarded& guarded)
      : rest_(text), line_(line), guarded_(guarded) {}

  std::vector<Span> read() {
    while (!rest_.empty())
      if (!take_marked()) take_text();
    flush();
    return std::move(spans_);
  }

 private:
  bool take_marked() {
    switch (rest_.front()) {
      case '\\':
        return take_escaped();
      case '*':
        return take_between('*', Span::Kind::emphasis);
      case '`':
        return take_between('`', Span::Kind::code);
      case '$':
        return take_formula();
      case '[':
        return take_link();
      default:
        return false;
    }
  }
  void take_text() {
    text_ += rest_.front();
    rest_.remove_prefix(1);
  }
  /// A backslash before a mark makes it a character.
  bool take_escaped() {
    if (rest_.size() < 2 || std::string_view("\\*`$[").find(rest_[1]) == std::string_view::npos)
      return false;
    rest_.remove_prefix(1);
    take_text();
    return true;
  }
  bool take_between(char mark, Span::Kind kind) {
    const std::size_t end = rest_.find(mark, 1);
    if (end == std::string_view::npos || end == 1) return false;
    add({kind, std::string(rest_.substr(1, end - 1)), ""}, end + 1);
    return true;
  }
  bool take_formula() {
    const std::size_t end = rest_.find('$', 1);
    std::string tex;
    guarded_(line_, [&] {
      if (end == std::string_view::npos)
        throw UsageError(in_quotes(rest_), "begins a formula that does not end",
                         "end it with $, or write \\$ for the sign");
      const std::string inside(rest_.substr(1, end - 1));
      (void)parse_equation(inside);
      tex = inside;
    });
    if (end == std::string_view::npos) return false;
    if (tex.empty()) {
      text_ += rest_.substr(0, end + 1);
      rest_.remove_prefix(end + 1);
    } else {
      add({Span::Kind::formula, tex, ""}, end + 1);
    }
    return true;
  }
  bool take_link() {
    const std::size_t middle = rest_.find("](");
    if (middle == std::string_view::npos) return false;
    const std::size_t end = rest_.find(')', middle);
    if (end == std::string_view::npos) return false;
    add({Span::Kind::link, std::string(rest_.substr(1, middle - 1)),
         std::string(rest_.substr(middle + 2, end - middle - 2))},
        end + 1);
    return true;
  }
  void add(Span span, std::size_t length) {
    flush();
    spans_.push_back(std::move(span));
    rest_.remove_prefix(length);
  }
  void flush() {
    if (!text_.empty()) spans_.push_back({Span::Kind::text, std::exchange(text_, {}), ""});
  }

  std::string_view rest_;
  int line_;
  const Guarded& guarded_;
  std::string text_{};
  std::vector<Span> spans_{};
};

}  // namespace

Spans spans_of(std::string_view paragraph, int line, const Guarded& guarded) {
  return SpanReader(paragraph, line, guarded).read();
}

Spans spans_of(std::string_view paragraph) {
  return spans_of(paragraph, 0, [](int, const std::function<void()>& read) { read(); });
}

std::size_t word_count(const std::vector<Span>& spans) {
  std::size_t words = 0;
  bool inside = false;  // of a word, which may go on in the next span
  for (const Span& span : spans) {
    if (span.kind == Span::Kind::formula) {
      words += inside ? 0 : 1;
      inside = true;
      continue;
    }
    for (std::size_t at = 0; at < span.text.size();) {
      const char32_t character = next_character(span.text, at);
      const bool blank = character != not_utf8 && is_blank(character);
      words += !blank && !inside ? 1 : 0;
      inside = !blank;
    }
  }
  return words;
}

std::string plain_prose(const std::vector<Span>& spans) {
  std::string text;
  for (const Span& span : spans)
    text += span.kind == Span::Kind::formula ? formula_text(span.text) : span.text;
  return text;
}

}  // namespace orrery
