#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

using Words = std::vector<std::string>;
/// The words of a step that are still to be read.
using Rest = std::span<const std::string>;

/// One line of a script.
struct ScriptStep {
  int line{};
  std::string text{};
  Words words{};
};

/// The steps of a script, without empty lines and comments.
std::vector<ScriptStep> parse_steps(std::string_view text);

/// A word in lower-case ASCII letters.
std::string lowered(std::string word);
/// The GLFW code of a key by its name: a letter, a digit, F1 to F25 or "enter", "page_up" and so
/// on.
std::optional<int> key_named(const std::string& name);

/// A step that cannot be read: the rule it breaks and the remedy.
struct BadStep : std::runtime_error {
  BadStep(const std::string& broken_rule, std::string fix)
      : std::runtime_error(broken_rule), remedy(std::move(fix)) {}
  std::string remedy;
};

}  // namespace orrery
