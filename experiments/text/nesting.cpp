#include "experiments/text/nesting.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace orrery {
namespace {

TextPlace place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_break = before.rfind('\n');
  return {.line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n')),
          .column = line_break == std::string_view::npos ? at + 1 : at - line_break};
}

/// Where the string ends that begins at the quote at `at`: behind its last quote, at the end of the
/// line that cuts it short, or at the end of the text.
std::size_t behind_string(std::string_view text, std::size_t at, bool has_escapes) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == quote) return at + 1;
    if (has_escapes && text[at] == '\\') ++at;
  }
  return std::min(at, text.size());
}

/// Follows TOML as far as its levels go, and no further: what is not TOML is the parser's to find.
class TomlLevels {
 public:
  explicit TomlLevels(std::string_view text) : text_(text) {}

  std::optional<TextPlace> first_deep_place() {
    while (at_ < text_.size()) {
      step();
      if (levels() > most_levels) return place_of(text_, at_ - 1);
    }
    return std::nullopt;
  }

 private:
  std::size_t levels() const { return heading_ + opened_levels_ + key_; }

  void step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      skip_string();
      return;
    }
    ++at_;
    if (c == '#')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == '\n')
      end_line();
    else if (c == '.' && !in_value_)
      ++key_;
    else if (c == '=')
      in_value_ = true;
    else if (c == '[' && !in_value_)
      begin_heading();
    else if (c == '[' || c == '{')
      open(c);
    else if (c == ']' || c == '}')
      close();
    else if (c == ',' && !opened_.empty())
      begin_item();
  }

  void skip_string() {
    const char quote = text_[at_];
    const char triple[] = {quote, quote, quote, '\0'};
    if (text_.substr(at_, 3) != triple) {
      at_ = behind_string(text_, at_, quote == '"');
      return;
    }
    for (at_ += 3; at_ < text_.size() && text_.substr(at_, 3) != triple; ++at_)
      if (quote == '"' && text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 3, text_.size());
    // Up to two quotes more belong to the string, which ends with the last three.
    for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
  }

  /// A line ends a key and its value, unless an array goes on in the next one.
  void end_line() {
    if (in_heading_) {
      heading_ = key_;
      in_heading_ = false;
    }
    if (opened_.empty()) begin_key();
  }

  void begin_key() {
    key_ = 0;
    in_value_ = false;
  }

  void begin_heading() {
    if (!in_heading_) {
      heading_ = 0;
      begin_key();
    }
    ++key_;  // [[a]] is a table within an array
    in_heading_ = true;
  }

  /// What is opened lies below its key or, in an array, below the array.
  void open(char bracket) {
    opened_.push_back({.levels = key_ + 1, .is_table = bracket == '{'});
    opened_levels_ += opened_.back().levels;
    begin_item();
  }

  void begin_item() {
    key_ = 0;
    in_value_ = !opened_.back().is_table;
  }

  void close() {
    if (opened_.empty()) return;
    opened_levels_ -= opened_.back().levels;
    opened_.pop_back();
    key_ = 0;
    in_value_ = true;
  }

  struct Opened {
    std::size_t levels{};
    bool is_table{};
  };

  std::string_view text_;
  std::size_t at_{0};
  std::size_t heading_{0};        ///< levels of the last heading
  std::size_t key_{0};            ///< levels of the key that is being read
  std::size_t opened_levels_{0};  ///< those of opened_ together
  std::vector<Opened> opened_{};  ///< arrays and tables around this place, outermost first
  bool in_heading_{false};
  bool in_value_{false};  ///< where a dot is that of a number or a date
};

}  // namespace

std::optional<TextPlace> first_deep_place_in_json(std::string_view text) {
  std::size_t levels = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = behind_string(text, at, true);
      continue;
    }
    if ((c == '{' || c == '[') && ++levels > most_levels) return place_of(text, at);
    if ((c == '}' || c == ']') && levels > 0) --levels;
    ++at;
  }
  return std::nullopt;
}

std::size_t own_key_in_json(std::string_view text, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\"", key);
  std::size_t levels = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t end = behind_string(text, at, true);
      const std::size_t next = text.find_first_not_of(" \t\r\n", end);
      if (levels == 1 && text.substr(at, end - at) == quoted && next != std::string_view::npos &&
          text[next] == ':')
        return at;
      at = end;
      continue;
    }
    if (c == '{' || c == '[') ++levels;
    if ((c == '}' || c == ']') && levels > 0) --levels;
    ++at;
  }
  return std::string_view::npos;
}

std::optional<TextPlace> first_deep_place_in_toml(std::string_view text) {
  return TomlLevels(text).first_deep_place();
}

std::string too_deep() { return fmt::format("is nested deeper than {} levels", most_levels); }

}  // namespace orrery
