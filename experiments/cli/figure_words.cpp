#include "experiments/cli/figure_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/errors.h"
#include "experiments/cli/parser.h"
#include "experiments/text/model_names.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

/// --title and --no-title, of which one can be given.
std::vector<Option> choice(const std::string& what, std::optional<bool>& shown) {
  return {{"--" + what,
           [&shown] { shown = true; },
           fmt::format("Figures with their {}s, as without --width", what),
           {.excludes = {"--no-" + what}}},
          {"--no-" + what, [&shown] { shown = false; },
           fmt::format("Figures without their {}s, as with --width", what)}};
}

}  // namespace

FigureOptions default_figures() { return {.formats = {"svg", "png", "pdf"}}; }

std::vector<Option> figure_options(FigureOptions& figures) {
  std::vector<Option> options{
      {"--figure",
       &figures.only,
       "Write this figure alone, or those whose names begin so, with the values and claims of the "
       "result, and no tables or arrays; several with commas between",
       {.value = "ID", .commas = true}}};
  options = joined(options, drawing_options(figures, {"svg", "png", "pdf", "tex", "none"}));
  return joined(options, {{"--formulas", &figures.formulas,
                           "Draw the experiment's formulas beneath the title of each figure"}});
}

std::vector<Option> drawing_options(FigureOptions& figures, const Words& formats) {
  return joined(
      {{"--format",
        &figures.formats,
        fmt::format("Figures as {}; tex is a text with the caption, for LaTeX",
                    fmt::join(formats, ", ")),
        {.choices = formats, .commas = true}},
       {"--theme", &figures.theme,
        "Figures in light, dark or print; auto: print for svg, pdf and --width, light for png",
        one_of({"auto", "light", "dark", "print"})}},
      page_options(figures.page));
}

// They are set in this order, whatever that of the words: a preset gives way to those after it.
std::vector<Option> page_options(Page& page) {
  Words names;
  for (const PagePreset& preset : page_presets())
    names.push_back(fmt::format("{} ({})", preset.name, preset.about));
  const std::vector<Option> size{
      {"--width",
       [&page](const std::string& width) {
         page = page_named("--width", width);
         check_page(page);
       },
       fmt::format("Figures for print, as wide as 3.25in, 8.5cm or 240pt, or {}",
                   fmt::join(names, ", "))},
      {"--height",
       [&page](const std::string& height) {
         page.height = points_in("--height", height);
         check_page(page);
       },
       "With --width: the height; default in proportion"},
      {"--text-size",
       [&page](double text_size) {
         page.text_size = text_size;
         check_page(page);
       },
       "With --width: the size of text in points, whatever the width; default 8"}};
  return joined(joined(size, choice("title", page.title)), choice("caption", page.caption));
}

FigureOptions without_none(FigureOptions figures) {
  std::erase(figures.formats, "none");
  return figures;
}

Words figure_words(const FigureOptions& figures) {
  Words words;
  const auto add = [&](const char* flag, const std::string& value) {
    words.emplace_back(flag);
    words.push_back(value);
  };
  const FigureOptions defaults = default_figures();
  if (!figures.only.empty()) add("--figure", fmt::format("{}", fmt::join(figures.only, ",")));
  if (figures.formats.empty())
    add("--format", "none");
  else if (figures.formats != defaults.formats)
    add("--format", fmt::format("{}", fmt::join(figures.formats, ",")));
  if (figures.theme != defaults.theme) add("--theme", figures.theme);
  if (figures.formulas) words.emplace_back("--formulas");
  const Page& page = figures.page;
  if (page.width) add("--width", fmt::format("{}pt", *page.width));
  if (page.height) add("--height", fmt::format("{}pt", *page.height));
  if (page.text_size != Page{}.text_size) add("--text-size", fmt::format("{}", page.text_size));
  if (page.title) words.emplace_back(*page.title ? "--title" : "--no-title");
  if (page.caption) words.emplace_back(*page.caption ? "--caption" : "--no-caption");
  return words;
}

FigureOptions figures_in(const Words& argv) {
  FigureOptions figures = default_figures();
  const std::string problem = read_options(figure_options(figures), argv);
  if (problem.empty()) return figures;
  throw UsageError(fmt::format("{}", fmt::join(argv, " ")),
                   fmt::format("says not how figures were drawn: {}", problem),
                   "name the experiment, its settings and these options yourself");
}

namespace {

std::optional<Range> range_in(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto low = number_in(std::string_view(text).substr(0, colon));
  const auto high = number_in(std::string_view(text).substr(std::min(colon + 1, text.size())));
  if (!low || !high || !(*low < *high))
    throw UsageError(fmt::format("{} {}", option, text), "is not a smaller and a larger number",
                     fmt::format("write {} 0:128", option));
  return Range{*low, *high};
}

std::optional<AxisScale> scale_in(const std::string& name) {
  for (const auto& [scale, known] : axis_scale_names())
    if (known == name) return scale;
  return std::nullopt;
}

}  // namespace

std::vector<Option> look_options(LookOptions& options) {
  const Rules scales = one_of({"linear", "log2", "log10", "symlog"});
  return {{"--x-range", &options.x_range, "Show only this part of the x axis: 0:128"},
          {"--y-range", &options.y_range, "Show only this part of the y axis"},
          {"--x-scale", &options.x_scale, "linear, log2, log10 or symlog", scales},
          {"--y-scale", &options.y_scale, "linear, log2, log10 or symlog", scales},
          {"--colors", &options.colors,
           "Spread a map's numbers over its colours: linear, log or quantile",
           one_of({"linear", "log", "quantile"})}};
}

FigureView view_of(const LookOptions& options) {
  return {.x = range_in("--x-range", options.x_range),
          .y = range_in("--y-range", options.y_range),
          .x_scale = scale_in(options.x_scale),
          .y_scale = scale_in(options.y_scale)};
}

Figure recolored(Figure figure, const LookOptions& options) {
  auto* map = std::get_if<Heatmap>(&figure.content);
  if (!map || options.colors.empty()) return figure;
  map->colors = options.colors == "log"        ? ColorScaling::log
                : options.colors == "quantile" ? ColorScaling::quantile
                                               : ColorScaling::linear;
  return figure;
}

}  // namespace orrery
