#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery {

inline constexpr double points_per_inch = 72.0;

/// The page that a figure is drawn on. Without a width it is as large as export_size()
/// says, with text to be read on a screen; with one, text is `text_size` points high whatever the
/// width, curves are named at their ends where that fits, and the page has no margins, as the text
/// around it has them.
struct Page {
  std::optional<double> width{};   ///< points
  std::optional<double> height{};  ///< points; empty: in proportion to the width
  double text_size{8.0};           ///< points, of labels and names on a page with a width
  /// Whether the title and the caption stand on the page; empty: where there is no width, as a
  /// paper has its own.
  std::optional<bool> title{};
  std::optional<bool> caption{};

  bool has_title() const { return title.value_or(!width.has_value()); }
  bool has_caption() const { return caption.value_or(!width.has_value()); }
  friend bool operator==(const Page&, const Page&) = default;
};

/// A page that a venue or a projector asks for.
struct PagePreset {
  std::string_view name{};   ///< "icml"
  std::string_view about{};  ///< "a column of ICML, 3.25 in"
  Page page{};
};
const std::vector<PagePreset>& page_presets();

/// A length in points: "3.25in", "8.5cm", "82mm", "240pt". Throws UsageError unless it is one of
/// these, from 36 pt (half an inch) to 7200 pt.
double points_in(std::string_view option, const std::string& text);

/// The page of a preset, or of a width as points_in reads it. Throws UsageError.
Page page_named(std::string_view option, const std::string& text);

/// Throws UsageError for lengths outside of what points_in takes, text sizes outside of [4, 72] pt
/// and a height without a width.
void check_page(const Page& page);

/// "234 pt wide, text 8 pt, title none, caption none".
std::string page_text(const Page& page);

/// The text that includes an exported figure in a LaTeX document, with its caption and a label:
/// \includegraphics of `stem` at the page's width, which a PDF beside it must have.
std::string latex_figure(std::string_view title, std::string_view caption, std::string_view stem,
                         const Page& page);

}  // namespace orrery
