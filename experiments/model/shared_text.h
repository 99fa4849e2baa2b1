#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

/// A text that many have, in the memory of one: equal ones lie in one place for as long as somebody
/// has them. Threads may make and copy them at once.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string_view text);  // NOLINT(google-explicit-constructor): as std::string has it
  SharedText(const std::string& text);  // NOLINT(google-explicit-constructor)
  SharedText(const char* text);         // NOLINT(google-explicit-constructor)
  SharedText(const SharedText& other);
  SharedText(SharedText&& other) noexcept;
  SharedText& operator=(SharedText other) noexcept;
  ~SharedText();

  const std::string& str() const;
  operator const std::string&() const { return str(); }  // NOLINT(google-explicit-constructor)
  operator std::string_view() const { return str(); }    // NOLINT(google-explicit-constructor)
  bool empty() const { return kept_ == nullptr; }

  friend bool operator==(const SharedText& a, const SharedText& b) { return a.kept_ == b.kept_; }
  friend bool operator==(const SharedText& a, std::string_view b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }
  friend bool operator<(const SharedText& a, const SharedText& b) { return a.str() < b.str(); }
  friend std::string operator+(const std::string& a, const SharedText& b) { return a + b.str(); }
  friend std::string operator+(const SharedText& a, const std::string& b) { return a.str() + b; }

  friend std::ostream& operator<<(std::ostream& stream, const SharedText& text);

  struct Kept;

 private:
  Kept* kept_{nullptr};  ///< null: the empty text
};

/// Keys with their values, both as they are typed.
using Settings = std::vector<std::pair<SharedText, SharedText>>;

}  // namespace orrery
