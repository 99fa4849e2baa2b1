#include "experiments/lessons/new_step.h"

#include <fmt/format.h>

namespace orrery::lessons {

std::string new_step(std::string_view settings) {
  const std::string_view end = settings.ends_with('\n') ? "" : "\n";
  return fmt::format(
      "## What the step is called\n\nProse of at most seventy words.\n\n"
      "```state\n{}{}```\n\n```say\nOne sentence for the projector.\n```\n",
      settings, end);
}

std::string new_lesson(std::string_view settings) {
  return "# What the lesson is called\n\n```lesson\nminutes: 12\nmisconception: What the lesson "
         "removes.\n```\n\n" +
         new_step(settings) +
         "\n```card\nThe one statement to keep.\n```\n\n"
         "```exercise\ntask: What to find out.\nanswer: What is found.\n```\n";
}

}  // namespace orrery::lessons
