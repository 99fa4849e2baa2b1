#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/figure/export.h"
#include "experiments/figure/page.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/figure.h"
#include "experiments/model/panels.h"
#include "experiments/text/guarded.h"

namespace orrery {

/// A piece of a paragraph.
struct Span {
  enum class Kind { text, emphasis, code, formula, link };
  Kind kind{Kind::text};
  std::string text{};    ///< as read; of a formula its TeX
  std::string target{};  ///< of a link: "lesson:07-decay", "experiment:rotation", "encoding:rope",
                         ///< "preset:roformer_figure_2" or "card:table-2"
  friend bool operator==(const Span&, const Span&) = default;
};

/// The pieces of a paragraph. A string is one piece, whatever marks stand in it.
struct Spans : std::vector<Span> {
  using std::vector<Span>::vector;
  Spans(std::vector<Span> spans) : vector(std::move(spans)) {}
  Spans(std::string text) { push_back({Span::Kind::text, std::move(text), ""}); }
  Spans(const char* text) : Spans(std::string(text)) {}
};

/// A paragraph of a step, or an item of a list.
struct Prose {
  int line{};
  bool is_item{};
  Spans spans{};
};

/// The pieces of a paragraph: *emphasis*, `code`, $formula$ and [words](target). A mark that does
/// not end is text, except $: throws UsageError for a formula that does not end or cannot be read.
Spans spans_of(std::string_view paragraph);
/// The same with each formula read under the guard, as of that line; one that cannot be read stays
/// as text.
Spans spans_of(std::string_view paragraph, int line, const Guarded& guarded);

/// The words that a reader reads; a formula counts as one.
std::size_t word_count(const std::vector<Span>& spans);

/// The paragraph without its marks, formulas in Unicode.
std::string plain_prose(const std::vector<Span>& spans);

// Reports, handouts, passports and pages of the manual as lists of blocks, and the formats they are
// written in.

struct Heading {
  int level{2};  ///< 2 or 3
  Spans text{};
  std::string anchor{};
};

struct Paragraph {
  enum class Kind { plain, quiet, strong, indented, boxed, warning };
  Spans text{};
  Kind kind{Kind::plain};
};

struct BulletList {
  std::vector<Spans> items{};
  bool warning{};
};

/// One or more lines for the shell.
struct CodeBlock {
  std::string text{};
};

struct GridCell {
  enum class Kind { text, number, quiet, good, bad };
  Spans text{};
  Kind kind{Kind::text};
  std::string anchor{};  ///< anchor of the heading that it links to
  double value{};        ///< for sorting, and shown with all digits on hover
  double bar{};          ///< from −1 to 1: length of a bar behind it, of another colour below 0
};

struct Grid {
  std::vector<Spans> header{};
  std::vector<std::string> names{};  ///< shown on hover: those of the columns in files; or empty
  std::vector<std::vector<GridCell>> rows{};
  bool interactive{};  ///< can be sorted and filtered with scripts enabled
  bool boxed{};        ///< with a frame around each cell, to be filled in
};

/// Whether the cell in the first row is a number.
bool is_number_column(const Grid& grid, std::size_t column);

/// A figure, drawn into the page.
struct Picture {
  Figure figure{};
  std::string id{};  ///< prefix of its ids in the page
  FigureView view{};
  std::vector<PlacedNote> notes{};
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

struct Equation {
  std::string tex{};
  std::string source{};  ///< "eq. (37)"
};
/// Equations on lines of their own.
struct Equations {
  std::vector<Equation> equations{};
};

/// How what follows is laid out in print, or beside what precedes it.
struct LayoutMark {
  enum class Kind {
    page_break,    ///< it begins a page in print
    column_start,  ///< up to the next one, it stands beside the other columns where there is room
    blank_lines    ///< it stands below lines to write on
  };
  Kind kind{};
  int lines{};  ///< of blank_lines
};

using Block = std::variant<Heading, Paragraph, BulletList, CodeBlock, Grid, Picture, PanelPicture,
                           Equations, LayoutMark>;

struct Document {
  std::string title{};
  std::string subtitle{};
  std::vector<Block> blocks{};
  Page page{};  ///< that pictures are drawn on
  /// Bytes of HTML beyond which a picture that is elsewhere is left out, with a sentence on that.
  std::size_t room{2'700'000};
  std::string generator{"orrery report"};  ///< by which Orrery knows pages of its own
};

/// A self-contained page that needs no network and no other file; light or dark by the reader's
/// preference, light and on pages in print. The same document gives the same bytes. Throws for
/// formulas as parse_equation does.
std::string html_of(const Document& document);

/// The document in GitHub Markdown, with links to the files of pictures.
std::string markdown_of(const Document& document);

}  // namespace orrery
