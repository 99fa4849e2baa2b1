#include "experiments/figure/page.h"

#include <fmt/format.h>

#include <array>

#include "core/errors.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double least_length = 36, largest_length = 7200;
constexpr double least_text = 4, largest_text = 72;

struct Unit {
  std::string_view name;
  double points;
};
constexpr std::array units{Unit{"in", points_per_inch}, Unit{"cm", points_per_inch / 2.54},
                           Unit{"mm", points_per_inch / 25.4}, Unit{"pt", 1.0}};

std::optional<double> length_in(std::string_view text) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = number_in(text.substr(0, text.size() - unit.name.size()));
    if (number) return *number * unit.points;
  }
  return std::nullopt;
}

void check_length(const std::string& said, double points) {
  if (points >= least_length && points <= largest_length) return;
  throw UsageError(said, fmt::format("must lie in [{:g}, {:g}] pt", least_length, largest_length),
                   "3.25in is the width of a narrow column");
}

}  // namespace

const std::vector<PagePreset>& page_presets() {
  static const std::vector<PagePreset> presets{
      {"icml", "a column of ICML, 3.25 in", {.width = 3.25 * points_per_inch}},
      {"neurips",
       "the text of NeurIPS, 5.5 in",
       {.width = 5.5 * points_per_inch, .text_size = 9.0}},
      {"acl", "a column of ACL, 7.7 cm", {.width = 7.7 * points_per_inch / 2.54}},
      {"slide",
       "a slide of 16:9, 13.33 by 7.5 in",
       {.width = 40.0 / 3.0 * points_per_inch,
        .height = 7.5 * points_per_inch,
        .text_size = 22.0,
        .title = true}}};
  return presets;
}

double points_in(std::string_view option, const std::string& text) {
  const auto points = length_in(text);
  if (!points)
    throw UsageError(fmt::format("{} {}", option, text), "is not a length",
                     fmt::format("write {0} 3.25in, {0} 8.5cm or {0} 240pt", option));
  check_length(fmt::format("{} {}", option, text), *points);
  return *points;
}

Page page_named(std::string_view option, const std::string& text) {
  std::vector<std::string_view> names;
  for (const PagePreset& preset : page_presets()) {
    if (preset.name == text) return preset.page;
    names.push_back(preset.name);
  }
  if (!length_in(text))
    throw UsageError(fmt::format("{} {}", option, text), "is neither a length nor a page",
                     fmt::format("write {} 3.25in, or one of {}", option, fmt::join(names, ", ")));
  return {.width = points_in(option, text)};
}

void check_page(const Page& page) {
  for (const std::optional<double>& length : {page.width, page.height})
    if (length) check_length(fmt::format("a page of {:g} pt", *length), *length);
  if (!(page.text_size >= least_text && page.text_size <= largest_text))
    throw UsageError(fmt::format("--text-size {:g}", page.text_size),
                     fmt::format("must lie in [{:g}, {:g}] pt", least_text, largest_text),
                     "papers have 7 to 9 pt in figures");
  if (page.height && !page.width)
    throw UsageError(fmt::format("a height of {:g} pt", *page.height), "needs a width beside it",
                     "add --width 3.25in");
}

std::string page_text(const Page& page) {
  const auto shown = [](bool is_shown) { return is_shown ? "shown" : "none"; };
  std::string size = page.width ? fmt::format("{:g} pt wide", *page.width) : "as on a screen";
  if (page.height) size += fmt::format(", {:g} pt high", *page.height);
  return fmt::format("{}, text {:g} pt, title {}, caption {}", size, page.text_size,
                     shown(page.has_title()), shown(page.has_caption()));
}

std::string latex_figure(std::string_view title, std::string_view caption, std::string_view stem,
                         const Page& page) {
  const std::string width =
      page.width ? fmt::format("{:g}in", *page.width / points_per_inch) : "\\linewidth";
  return fmt::format(
      "% needs \\usepackage{{graphicx}}\n"
      "\\begin{{figure}}\n"
      "  \\centering\n"
      "  \\includegraphics[width={}]{{{}}}\n"
      "  \\caption{{{}{}{}}}\n"
      "  \\label{{fig:{}}}\n"
      "\\end{{figure}}\n",
      width, stem, latex_text(title), title.empty() || caption.empty() ? "" : ". ",
      latex_text(caption), stem);
}

}  // namespace orrery
