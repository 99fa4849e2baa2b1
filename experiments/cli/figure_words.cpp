#include "experiments/cli/figure_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {

std::vector<std::string> figure_words(const FigureOptions& figures) {
  std::vector<std::string> words;
  const auto add = [&](const char* flag, const std::string& value) {
    words.emplace_back(flag);
    words.push_back(value);
  };
  const FigureOptions defaults = RunOptions{}.figures;
  if (!figures.only.empty()) add("--figure", fmt::format("{}", fmt::join(figures.only, ",")));
  if (figures.formats.empty())
    add("--format", "none");
  else if (figures.formats != defaults.formats)
    add("--format", fmt::format("{}", fmt::join(figures.formats, ",")));
  if (figures.theme != defaults.theme) add("--theme", figures.theme);
  if (figures.formulas) words.emplace_back("--formulas");
  const figure::Page& page = figures.page;
  if (page.width) add("--width", fmt::format("{}pt", *page.width));
  if (page.height) add("--height", fmt::format("{}pt", *page.height));
  if (page.text_size != figure::Page{}.text_size)
    add("--text-size", fmt::format("{}", page.text_size));
  if (page.title) words.emplace_back(*page.title ? "--title" : "--no-title");
  if (page.caption) words.emplace_back(*page.caption ? "--caption" : "--no-caption");
  return words;
}

FigureOptions figures_in(const std::vector<std::string>& argv) {
  FigureOptions figures = RunOptions{}.figures;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  add_figure_options(&app, figures);
  try {
    app.parse(std::vector<std::string>(argv.rbegin(), argv.rend()));
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{}", fmt::join(argv, " ")),
                     fmt::format("says not how figures were drawn: {}", error.what()),
                     "name the experiment, its settings and these options yourself");
  }
  return figures;
}

}  // namespace orrery::cli
