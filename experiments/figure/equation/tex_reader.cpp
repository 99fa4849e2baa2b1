#include "experiments/figure/equation/tex_reader.h"

#include <fmt/format.h>

#include <cctype>

#include "core/errors.h"
#include "experiments/text/utf8.h"

namespace orrery {

std::string_view TexReader::peek() const { return tex_.substr(at_, character_length(tex_, at_)); }

bool TexReader::is_digit(std::size_t at) const {
  return at < tex_.size() && std::isdigit(static_cast<unsigned char>(tex_[at])) != 0;
}

bool TexReader::is_at_digit() const { return is_digit(at_); }

std::string TexReader::peek_command() {
  const std::size_t before = at_;
  std::string name = is_at("\\") ? take_command() : std::string();
  at_ = before;
  return name;
}

void TexReader::skip_spaces() {
  while (!done() && std::isspace(static_cast<unsigned char>(tex_[at_])) != 0) ++at_;
}

std::string_view TexReader::take() {
  const std::string_view character = peek();
  at_ += character.size();
  return character;
}

bool TexReader::accept(std::string_view text) {
  if (!is_at(text)) return false;
  at_ += text.size();
  return true;
}

std::string TexReader::take_command() {
  ++at_;
  if (done()) refuse("\\", "needs a name", "write one after it, as in \\theta");
  std::size_t end = at_;
  while (end < tex_.size() && std::isalpha(static_cast<unsigned char>(tex_[end])) != 0) ++end;
  if (end == at_) return std::string(take());
  const std::string name(tex_.substr(at_, end - at_));
  at_ = end;
  return name;
}

std::string_view TexReader::take_number() {
  const std::size_t start = at_;
  while (is_digit(at_) || (is_at(".") && is_digit(at_ + 1))) ++at_;
  return tex_.substr(start, at_ - start);
}

std::string TexReader::take_words(const std::string& command) {
  skip_spaces();
  const std::size_t end = tex_.find('}', at_);
  if (!is_at("{") || end == std::string_view::npos)
    refuse("\\" + command, "needs words in braces", fmt::format("write \\{}{{words}}", command));
  std::string words(tex_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  return words;
}

void TexReader::refuse(const std::string& what, const std::string& rule,
                       const std::string& remedy) const {
  refuse_at(at_, what, rule, remedy);
}

void TexReader::refuse_at(std::size_t position, const std::string& what, const std::string& rule,
                          const std::string& remedy) const {
  throw UsageError(fmt::format("formula, character {}: {}", position + 1, what), rule, remedy);
}

}  // namespace orrery
