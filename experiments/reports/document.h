#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "experiments/figure/page.h"
#include "experiments/model/figure.h"
#include "experiments/model/panels.h"

namespace orrery::reports {

// A report as a list of blocks, and the two formats it is written in.

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

/// One or more lines for the shell.
struct CodeBlock {
  std::string text{};
};

struct GridCell {
  enum class Kind { text, number, good, bad };
  std::string text{};
  Kind kind{Kind::text};
  std::string anchor{};  ///< anchor of the heading that it links to
  double value{};        ///< for sorting, and shown with all digits on hover
};

struct Grid {
  std::vector<std::string> header{};
  std::vector<std::string> names{};  ///< shown on hover: those of the columns in files; or empty
  std::vector<std::vector<GridCell>> rows{};
  bool interactive{};  ///< can be sorted and filtered with scripts enabled
};

/// Whether the cell in the first row is a number.
bool is_number_column(const Grid& grid, std::size_t column);

/// A figure, drawn into the page.
struct Picture {
  Figure figure{};
  std::string id{};    ///< prefix of its ids in the page
  std::string file{};  ///< relative path of its SVG for Markdown; empty when there is none
  /// What shows it, where the page has no room for it; empty: the page has.
  std::string elsewhere{};
};

/// Panels, drawn into the page.
struct PanelPicture {
  Panels panels{};
  std::string id{};
  std::string file{};  ///< as that of a Picture
};

using Block = std::variant<Heading, Paragraph, BulletList, CodeBlock, Grid, Picture, PanelPicture>;

struct Document {
  std::string title{};
  std::string subtitle{};
  std::vector<Block> blocks{};
  figure::Page page{};  ///< that pictures are drawn on
  /// Bytes of HTML beyond which a picture that is elsewhere is left out, with a sentence on that.
  std::size_t room{2'700'000};
};

/// A self-contained page that needs no network and no other file; light or dark by the reader's
/// preference, light in print. The same document gives the same bytes.
std::string html_of(const Document& document);

/// The document in GitHub Markdown, with links to the files of pictures.
std::string markdown_of(const Document& document);

}  // namespace orrery::reports
