#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::test {

/// A small strict reader of XML 1.0: one root, elements that close in order, attributes quoted and
/// named once, no stray < or &, only the five named entities, no control characters.
class XmlCheck {
 public:
  struct Text {
    std::string element{};
    std::string content{};  ///< with entities resolved
  };

  explicit XmlCheck(std::string_view xml) : rest_(xml) {
    if (rest_.substr(0, 5) == "<?xml") skip_past("?>");
    while (!rest_.empty() && error_.empty()) step();
    if (error_.empty() && !open_.empty()) error_ = "not closed: " + open_.back();
    if (error_.empty() && roots_ != 1) error_ = "there is not exactly one root";
    for (const std::string& id : used_)
      if (error_.empty() && !ids_.count(id)) error_ = "no element has the id " + id;
  }

  /// Empty if the text is well-formed and every reference url(#…) has an id, else the error.
  const std::string& error() const { return error_; }
  const std::vector<Text>& texts() const { return texts_; }
  int count(const std::string& element) const {
    const auto found = elements_.find(element);
    return found == elements_.end() ? 0 : found->second;
  }
  /// Whether an element of that name has exactly this text.
  bool has_text(const std::string& element, const std::string& content) const {
    return std::any_of(texts_.begin(), texts_.end(), [&](const Text& text) {
      return text.element == element && text.content == content;
    });
  }

 private:
  void fail(const std::string& why) {
    if (error_.empty()) error_ = why + " before: " + std::string(rest_.substr(0, 60));
    rest_ = {};
  }
  void skip_past(std::string_view end) {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos) return fail("missing " + std::string(end));
    rest_.remove_prefix(at + end.size());
  }
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  void skip_spaces() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }
  std::string name() {
    std::size_t length = 0;
    const auto fits = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == ':' || c == '-' || c == '_';
    };
    while (length < rest_.size() && fits(rest_[length])) ++length;
    const std::string found(rest_.substr(0, length));
    rest_.remove_prefix(length);
    if (found.empty()) fail("a name is missing");
    return found;
  }

  void step() {
    if (rest_.front() != '<') return text();
    if (rest_.substr(0, 2) == "</") return closing();
    rest_.remove_prefix(1);
    opening();
  }

  void text() {
    const std::size_t end = std::min(rest_.find('<'), rest_.size());
    const std::string content = resolved(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end, rest_.size()));
    const bool blank = std::all_of(content.begin(), content.end(), is_space);
    if (open_.empty() && !blank) return fail("text outside of the root");
    if (!open_.empty() && !blank) texts_.push_back({open_.back(), content});
  }

  void closing() {
    rest_.remove_prefix(2);
    const std::string closed = name();
    if (open_.empty() || open_.back() != closed) return fail("closes out of order: " + closed);
    open_.pop_back();
    skip_past(">");
  }

  void opening() {
    const std::string element = name();
    if (open_.empty()) ++roots_;
    ++elements_[element];
    std::set<std::string> seen;
    for (skip_spaces(); !rest_.empty() && rest_.front() != '>' && rest_.front() != '/';
         skip_spaces())
      attribute(seen);
    const bool empty = !rest_.empty() && rest_.front() == '/';
    if (empty) rest_.remove_prefix(1);
    if (rest_.empty() || rest_.front() != '>') return fail("a tag does not end");
    rest_.remove_prefix(1);
    if (!empty) open_.push_back(element);
  }

  void attribute(std::set<std::string>& seen) {
    const std::string key = name();
    if (!seen.insert(key).second) return fail("twice: " + key);
    if (rest_.substr(0, 2) != "=\"") return fail("no quoted value for " + key);
    rest_.remove_prefix(2);
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) return fail("a value does not end");
    const std::string value = resolved(rest_.substr(0, end));
    if (rest_.substr(0, end).find('<') != std::string_view::npos) return fail("< in a value");
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    note(key, value);
  }

  void note(const std::string& key, const std::string& value) {
    if (key == "id" && !ids_.insert(value).second) fail("an id twice: " + value);
    if (value.substr(0, 5) == "url(#") used_.push_back(value.substr(5, value.size() - 6));
  }

  std::string resolved(std::string_view raw) {
    static const std::map<std::string, std::string> entities{
        {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (static_cast<unsigned char>(raw[i]) < 0x20 && !is_space(raw[i]))
        fail("a control character");
      if (raw[i] != '&') {
        out += raw[i];
        continue;
      }
      const std::size_t end = raw.find(';', i);
      const auto found = end == std::string_view::npos
                             ? entities.end()
                             : entities.find(std::string(raw.substr(i + 1, end - i - 1)));
      if (found == entities.end()) {
        fail("a stray &");
        return out;
      }
      out += found->second;
      i = end;
    }
    return out;
  }

  std::string_view rest_;
  std::string error_{};
  int roots_{};
  std::vector<std::string> open_{};
  std::map<std::string, int> elements_{};
  std::vector<Text> texts_{};
  std::set<std::string> ids_{};
  std::vector<std::string> used_{};
};

}  // namespace orrery::test
