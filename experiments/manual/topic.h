#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/figure/document/document.h"

namespace orrery {

/// The files of docs/ as they were when the program was built, by name: names and texts. The build
/// writes this function: cmake/manual.cmake.
std::span<const std::pair<const char*, std::string_view>> page_sources();

/// A page of the manual. `orrery help`, F1 on the desktop and the man pages show the same ones.
struct Topic {
  std::string name{};           ///< of its file in docs/, without the extension: "sweeps"
  std::string title{};          ///< "Sweeps"
  std::string about{};          ///< the first paragraph: one sentence, for lists of topics
  std::vector<Block> blocks{};  ///< what follows the title; a picture has its title alone
};

/// Reads a page: headings, paragraphs, lists of "- ", fenced code, tables and pictures, with the
/// marks of spans_of. A link to another page has the target "NAME.md".
///
/// Throws UsageError for a page without a title, a fence that does not end or a formula that cannot
/// be read.
Topic read_topic(const std::string& name, std::string_view markdown);

/// The pages of docs/, by name. They are part of the program.
const std::vector<Topic>& topics();
/// The topic of that name; null where there is none.
const Topic* find_topic(std::string_view name);

/// The lines of code of a page.
std::vector<std::string> lines_of(const CodeBlock& code);

/// The blocks below a heading, up to the next one; empty without such a heading.
std::vector<Block> section(const Topic& topic, std::string_view heading);

}  // namespace orrery
