#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "experiments/figure/figure.h"

namespace orrery {

// A report as blocks, and the two forms that it is written in.

struct Heading {
  int level{2};  ///< 2 or 3
  std::string text{};
  std::string anchor{};
};

struct Paragraph {
  enum class Kind { plain, quiet, warning };
  std::string text{};
  Kind kind{Kind::plain};
};

struct BulletList {
  std::vector<std::string> items{};
  bool warning{};
};

/// A line for the shell, or several.
struct CodeBlock {
  std::string text{};
};

struct GridCell {
  enum class Kind { text, number, good, bad };
  std::string text{};
  Kind kind{Kind::text};
  std::string anchor{};  ///< of the heading it leads to
  double value{};        ///< numbers are sorted by it, and shown in full on request
};

struct Grid {
  std::vector<std::string> header{};
  std::vector<std::vector<GridCell>> rows{};
  bool interactive{};  ///< can be sorted and filtered where scripts run
};

/// As the first row has it.
bool is_number_column(const Grid& grid, std::size_t column);

/// A figure that is drawn into the page.
struct Picture {
  Figure figure{};
  std::string id{};    ///< the beginning of its ids in the page
  std::string file{};  ///< of its SVG, for Markdown, relative to it; empty when there is none
};

using Block = std::variant<Heading, Paragraph, BulletList, CodeBlock, Grid, Picture>;

struct Document {
  std::string title{};
  std::string subtitle{};
  std::vector<Block> blocks{};
};

/// One self-contained page: no network, no other file; light and dark by the reader's preference,
/// light on paper. Same document, same bytes.
std::string html_of(const Document& document);

/// The same in Markdown (with the tables of GitHub), pictures by their files.
std::string markdown_of(const Document& document);

}  // namespace orrery
