#include "experiments/figure/page.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <regex>

#include "core/errors.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/export.h"
#include "tests/support/sample_figures.h"
#include "tests/support/xml_check.h"

namespace orrery {
namespace {

using Catch::Matchers::Contains;

std::string svg(const Figure& figure, const Page& page) {
  return figure_file(figure, "svg", "print", {.page = page});
}

/// Every font size in a drawing.
std::set<double> text_sizes(const std::string& svg) {
  std::set<double> sizes;
  const std::regex size("font-size=\"([0-9.]+)\"");
  for (std::sregex_iterator at(svg.begin(), svg.end(), size), end; at != end; ++at)
    sizes.insert(std::stod((*at)[1]));
  return sizes;
}

Figure curves(const std::vector<std::pair<std::string, double>>& ends) {
  LinePlot plot;
  for (const auto& [name, end] : ends) plot.series.push_back({name, {0, 1, 2}, {1, 1, end}});
  return {"curves", "Title of curves", "Caption of curves", plot};
}

TEST_CASE("Lengths are read in inches, centimetres, millimetres and points") {
  CHECK(points_in("--width", "3.25in") == 234.0);
  CHECK(points_in("--width", "8.5cm") == Approx(240.9449));
  CHECK(points_in("--width", "85mm") == Approx(240.9449));
  CHECK(points_in("--width", "240pt") == 240.0);
  for (const char* wrong : {"", "3.25", "in", "3,25in", "3.25 furlongs", "nan in", "nanin"})
    CHECK_THROWS_WITH(points_in("--width", wrong), Contains("is not a length"));
  for (const char* wrong : {"0in", "-3in", "35pt", "1e9in", "infpt"})
    CHECK_THROWS_AS(points_in("--width", wrong), UsageError);
}

TEST_CASE("A page is a width or the name of a preset") {
  CHECK(page_named("--width", "icml").width == 234.0);
  CHECK(page_named("--width", "neurips").width == 396.0);
  CHECK(page_named("--width", "slide").height == 540.0);
  CHECK_THROWS_WITH(page_named("--width", "nature"), Contains("icml, neurips, acl, slide"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Page& wrong : {Page{.width = nan}, Page{.width = 200, .height = 1},
                            Page{.width = 200, .text_size = nan}, Page{.height = 200}})
    CHECK_THROWS_AS(check_page(wrong), UsageError);
  CHECK_NOTHROW(check_page({}));
}

TEST_CASE("On a page with a width, text has its size whatever the width") {
  for (const Figure& figure : test::sample_figures()) {
    INFO(figure.id);
    const std::string narrow = svg(figure, {.width = 234}), wide = svg(figure, {.width = 396});
    CHECK_THAT(narrow, Contains("width=\"234pt\"") || Contains("width=\"234\""));
    for (const std::string& drawn : {narrow, wide}) {
      const std::set<double> sizes = text_sizes(drawn);
      REQUIRE_FALSE(sizes.empty());
      // Between maps stand large signs.
      const double most =
          std::holds_alternative<MapEquation>(figure.content) ? 20.0 : 8.0 * 16 / 13;
      CHECK(*sizes.rbegin() <= Approx(most));
      CHECK(*sizes.begin() >= 4.0);
    }
  }
}

TEST_CASE("A paper has title and caption itself; each can be asked for") {
  const Figure figure = curves({{"a", 2}, {"b", 3}});
  const auto texts = [&](const Page& page) {
    const test::XmlCheck xml(svg(figure, page));
    CHECK(xml.error().empty());
    return std::pair(xml.has_text("text", "Title of curves"),
                     xml.has_text("text", "Caption of curves"));
  };
  CHECK(texts({}) == std::pair(true, true));
  CHECK(texts({.width = 234}) == std::pair(false, false));
  CHECK(texts({.width = 234, .title = true}) == std::pair(true, false));
  CHECK(texts({.width = 234, .caption = true}) == std::pair(false, true));
  CHECK(texts({.title = false, .caption = false}) == std::pair(false, false));
}

/// y of a text in a drawing.
double height_of(const std::string& svg, const std::string& words) {
  const std::regex text("<text[^>]* y=\"([0-9.]+)\"[^>]*>" + words + "</text>");
  std::smatch match;
  INFO(words);
  REQUIRE(std::regex_search(svg, match, text));
  return std::stod(match[1]);
}

TEST_CASE("Curves are named at their ends, in the order of the ends and apart from one another") {
  const std::string drawn =
      svg(curves({{"low", 0}, {"high", 5}, {"near", 4.9}}), {.width = 234, .text_size = 8});
  const double high = height_of(drawn, "high"), near = height_of(drawn, "near"),
               low = height_of(drawn, "low");
  CHECK(high < near);
  CHECK(near - high >= 8.0);
  CHECK(near < low);
}

TEST_CASE("Curves that coincide have one name; where names do not fit there is a legend") {
  CHECK_THAT(svg(curves({{"one", 2}, {"two", 2}, {"three", 5}}), {.width = 234}),
             Contains(">one = two</text>"));
  std::vector<std::pair<std::string, double>> many;
  for (int i = 0; i < 40; ++i) many.emplace_back("curve " + std::to_string(i), i);
  CHECK_THAT(svg(curves(many), {.width = 234}), !Contains(">curve 39</text>"));
  // A curve that ends early is named beside its line, at the height of which there is room.
  Figure early = curves({{"whole", 2}, {"half", 3}});
  std::get<LinePlot>(early.content).series[1].x = {0, 0.5, 1};
  CHECK(height_of(svg(early, {.width = 234}), "half") <
        height_of(svg(early, {.width = 234}), "whole"));
}

TEST_CASE("Names of many words are whole, beside the curves or below them, as the page grows") {
  const std::string name = "logit of a token as far back as it can be seen";
  const auto height = [](const std::string& drawing) {
    std::smatch match;
    REQUIRE(std::regex_search(drawing, match, std::regex("height=\"([0-9.]+)")));
    return std::stod(match[1]);
  };
  std::vector<std::pair<std::string, double>> many, few;
  for (int i = 0; i < 8; ++i) {
    many.emplace_back(name + " " + std::to_string(i), i);
    few.emplace_back(std::to_string(i), i);
  }
  const std::string drawn = svg(curves(many), {.width = 234});
  CHECK_THAT(drawn, !Contains("…"));
  CHECK(height(drawn) > height(svg(curves(few), {.width = 234})) + 8 * 8);
}

TEST_CASE("On a page with a width a title is whole, in as many lines as it takes") {
  Figure figure = curves({{"a", 1}});
  for (int i = 0; i < 40; ++i) figure.title += "word ";
  figure.title += "end";
  CHECK_THAT(svg(figure, {.width = 234, .title = true}), Contains("end</text>"));
}

TEST_CASE("PDF and SVG are for papers, PNG is light, unless a theme is named") {
  const Figure figure = test::decay_figure();
  const auto file = [&](const char* format, const char* theme) {
    return figure_file(figure, format, theme, {});
  };
  CHECK(file("svg", "auto") == file("svg", "print"));
  CHECK(file("pdf", "auto") == file("pdf", "print"));
  CHECK(file("png", "auto") == file("png", "light"));
  CHECK(file("svg", "auto") != file("svg", "light"));
  const auto printed = [&](const char* theme) {
    return figure_file(figure, "png", theme, {.page = {.width = 234}});
  };
  CHECK(printed("auto") == printed("print"));
  // Its width, 975 pixels or what rounding makes of them.
  const auto low = static_cast<unsigned char>(printed("auto").at(19));
  CHECK((printed("auto").at(18) == 3 && (low == 0xcf || low == 0xd0)));
  CHECK_THROWS_AS(file("svg", "pink"), UsageError);
  CHECK_THROWS_AS(file("gif", "auto"), UsageError);
}

TEST_CASE("LaTeX includes the picture at its width with the caption") {
  Figure figure = curves({{"a", 2}});
  figure.caption = "100 % of $θₜ$ · 10⁻⁶";
  const std::string text = figure_file(figure, "tex", "auto", {.page = {.width = 234}});
  CHECK_THAT(text, Contains("\\includegraphics[width=3.25in]{curves}"));
  CHECK_THAT(text, Contains("100 \\% of $\\theta _{t}$ \\ensuremath{\\cdot} "
                            "10\\ensuremath{^{-}}\\ensuremath{^{6}}"));
  CHECK_THAT(figure_file(figure, "tex", "auto", {}), Contains("[width=\\linewidth]"));
}

TEST_CASE("Every character with a meaning in LaTeX is escaped") {
  CHECK(latex_words("a_b{c}#$&~^\\<") ==
        "a\\_b\\{c\\}\\#\\$\\&\\~{}\\^{}\\textbackslash{}\\ensuremath{<}");
  CHECK(latex_words("10⁻⁶ – “q”") == "10\\ensuremath{^{-}}\\ensuremath{^{6}} -- ``q''");
  CHECK(latex_words("naïve") == "naïve");
}

TEST_CASE("Panels are lettered where they are asked to be") {
  Panels panels{
      .id = "panels", .lettered = true, .panels = {curves({{"a", 1}}), curves({{"b", 2}})}};
  const std::string drawn = figure_file(panels, "svg", "print", {.page = {.width = 396}});
  CHECK_THAT(drawn, Contains(">(a) Title of curves</text>") && Contains(">(b) Title of curves"));
  panels.lettered = false;
  CHECK_THAT(figure_file(panels, "svg", "print", {}), !Contains("(a)"));
}

}  // namespace
}  // namespace orrery
