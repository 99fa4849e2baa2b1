#pragma once

#include <fmt/format.h>

#include <map>
#include <string>

#include "core/errors.h"

namespace orrery::test {

/// What a call refuses, or nothing.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

/// Refusals by their sentences, each with the first call that met it.
class Refusals {
 public:
  void note(const std::string& sentence, const std::string& call) {
    if (!sentence.empty() && seen_.emplace(sentence, call).second)
      text_ += fmt::format("{}\n  {}\n", call, sentence);
  }
  const std::string& text() const { return text_; }

 private:
  std::map<std::string, std::string> seen_;
  std::string text_;
};

}  // namespace orrery::test
