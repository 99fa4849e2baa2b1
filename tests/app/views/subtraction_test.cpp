#include "app/views/subtraction.h"

#include <catch2/catch.hpp>

#include "app/session/session_toml.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

const Figure& shown_figure(const Session& session, const std::string& id) {
  for (const Figure* figure : session.on_screen)
    if (figure->id == id) return *figure;
  throw std::runtime_error(id + " is not on screen");
}

std::string id_of(const Result& result, const std::string& kind, const std::string& encoding) {
  for (const Figure& figure : result.figures)
    if (figure.role.kind == kind && figure.role.encoding() == encoding) return figure.id;
  throw std::runtime_error("no " + kind + " of " + encoding);
}

TEST_CASE("One of two maps on screen is subtracted from the other by its menu") {
  const auto session =
      start_session({.view = "attention_map", .overrides = {"encoding=rope+alibi"}}, {});
  test::NullDesktop desktop(*session, 1600, 1000);
  desktop.settle();
  const Result& result = *session->current().result;
  const std::string rope = id_of(result, "weights", "rope"),
                    alibi = id_of(result, "weights", "alibi");
  session->select_figure("weights");
  desktop.frame(2);
  desktop.click(desktop.in_figure(alibi), 1);
  desktop.click(desktop.item("minus " + rope));
  desktop.frame(2);
  const Figure& difference = shown_figure(*session, alibi);
  CHECK(difference.title == "ALiBi − RoPE: weight");
  const auto map_of = [&](const std::string& id) {
    for (const Figure& figure : result.figures)
      if (figure.id == id) return std::get<Heatmap>(figure.content).values;
    return std::shared_ptr<const Array>();
  };
  const Array& cells = *std::get<Heatmap>(difference.content).values;
  CHECK(cells[7] == (*map_of(alibi))[7] - (*map_of(rope))[7]);
  // It is kept and undone like other settings.
  const std::string kept = session_text(document_of(*session));
  const auto next = start_session({}, {});
  CHECK(apply_session_text(*next, kept).empty());
  CHECK(next->state(*next->find("attention_map")).shown.minus.at(alibi).figure == rope);
  desktop.app().perform("undo");
  desktop.frame(2);
  CHECK(shown_figure(*session, alibi).title != "ALiBi − RoPE: weight");
}

TEST_CASE("One curve of a plot is subtracted from the others, by the palette") {
  const auto session =
      start_session({.view = "long_term_decay", .overrides = {"encoding=rope+alibi"}}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->shown().layout = ViewLayout::single;
  session->select_figure("decay_scores");
  desktop.settle();
  std::vector<PaletteEntry> found =
      palette_matches(*session, desktop.app().actions(), "ALiBi − RoPE");
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].title.starts_with("ALiBi − RoPE: "));
  set_minus(session->shown(), found[0].key, found[0].minus);
  desktop.frame(2);
  const auto& plot = std::get<LinePlot>(shown_figure(*session, "decay_scores").content);
  REQUIRE(plot.series.size() == 1);
  CHECK(plot.series[0].name == "ALiBi − RoPE");
  const Figure* own = nullptr;
  for (const Figure& figure : session->current().result->figures)
    if (figure.id == "decay_scores") own = &figure;
  const auto& curves = std::get<LinePlot>(own->content).series;
  CHECK(plot.series[0].y[3] == curves[1].y[3] - curves[0].y[3]);
  set_minus(session->shown(), found[0].key, std::nullopt);
  desktop.frame(2);
  CHECK(std::get<LinePlot>(shown_figure(*session, "decay_scores").content).series.size() ==
        curves.size());
}

TEST_CASE("Figures of other quantities or shapes are not offered") {
  Figure small = test::map("small", 3, 3), large = test::map("large", 4, 4);
  Figure other = test::map("other", 3, 3), twin = test::map("twin", 3, 3);
  std::get<Heatmap>(other.content).quantity = "score";
  const Result result = test::result_of(
      {small, large, other, twin, test::lines("line", {{1, 2}}), test::lines("two", {{1}, {2}})});
  std::vector<std::string> ids;
  for (const auto& choice : minus_choices(result, "small")) ids.push_back(choice.what.figure);
  CHECK(ids == std::vector<std::string>{"twin"});
  CHECK(minus_choices(result, "two").size() == 3);  // the other plot and both curves
  CHECK(minus_choices(result, "nowhere").empty());
}

}  // namespace
}  // namespace orrery
