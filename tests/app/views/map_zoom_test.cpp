#include "app/views/map_zoom.h"

#include <catch2/catch.hpp>

#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

constexpr const char* map_id = "weights_rope_mean";

/// A text of 300 words, whose map is shown in cells of 5 × 5.
struct LongText {
  TempFolder folder;
  std::unique_ptr<Session> session;
  LongText() {
    std::string words;
    for (int i = 0; i < 300; ++i) words += "w" + std::to_string(i * i % 41) + " ";
    const std::filesystem::path path = folder.file("long.txt", words);
    session = start_session({.view = "attention_map",
                             .overrides = {"text=" + path.string(), "max_tokens=300", "map_size=64",
                                           "contents=random", "dim=16"}},
                            {});
    session->shown().layout = ViewLayout::single;
  }
};

const Heatmap& shown_map(const Session& session) {
  return std::get<Heatmap>(session.on_screen.at(0)->content);
}

// Of a part, whose cells are single weights, and not of "mean of 5 × 5 entries".
bool is_of_weights(const std::string& title) {
  return title.starts_with("RoPE attends ") && title.find("entries") == std::string::npos;
}

TEST_CASE("The part for a view has it and a margin, in steps that small movements stay within") {
  for (const double from : {-0.5, 17.25, 700.0, 40000.0, 64990.0})
    for (const double width : {0.5, 3.0, 100.0, 513.0, 8000.0, 20000.0}) {
      const Range queries{from, std::min(from + width, 65535.5)};
      const Range keys{queries.min / 2, queries.min / 2 + width};
      const auto part = part_in_view(queries, keys, 65536);
      INFO(from << " + " << width);
      REQUIRE(part);
      CHECK(part->covers(queries, keys));
      CHECK(part->first_query >= 0);
      CHECK(part->first_query + part->side <= 65536);
      CHECK(static_cast<double>(part->side) <= 2 * width + 4);
      const Range moved{queries.min + width / 1000, std::min(queries.max + width / 1000, 65535.5)};
      const auto next = part_in_view(moved, keys, 65536);
      CHECK(next->side == part->side);
    }
  CHECK_FALSE(part_in_view({-0.5, 99.5}, {-0.5, 99.5}, 100));
  CHECK_FALSE(part_in_view({0, 80}, {0, 80}, 100));
  CHECK_FALSE(part_in_view({3, 3}, {3, 3}, 100));
}

TEST_CASE("Zooming into a map of cells computes the entries in view") {
  LongText text;
  test::NullDesktop desktop(*text.session, 1280, 800);
  desktop.settle();
  Session& session = *text.session;
  REQUIRE(session.on_screen.at(0)->id == map_id);
  REQUIRE(shown_map(session).values->shape == std::vector<std::size_t>{60, 60});
  session.view(map_id).x = Range{100.5, 130.5};
  session.view(map_id).y = Range{200.5, 230.5};
  desktop.settle();
  const Figure& figure = *session.on_screen.at(0);
  const Heatmap& map = shown_map(session);
  CHECK(figure.id == map_id);
  CHECK(is_of_weights(figure.title));
  CHECK_THAT(figure.caption, Catch::Matchers::Contains("part = "));
  CHECK(map.quantity == "weight");
  CHECK(map.x.label == "key");
  CHECK(map.column_labels.size() == map.values->shape.at(1));
  CHECK(map.x.range->min <= 101);
  CHECK(map.x.range->max >= 130);
  CHECK(map.y.range->min <= 201);
  CHECK(map.y.range->max >= 230);
  // The result itself, and what is asked of it, stay the whole map's.
  CHECK(session.current().params.integer("part") == 0);
  CHECK(session.current().result->figures.at(0).id == map_id);
  CHECK_FALSE(session.current().is_stale());

  const FigureLayout& frame = *desktop.app().item_rects().figure(map_id);
  CHECK(frame.x.data == Range{100.5, 130.5});
  const Point middle = desktop.in_figure(map_id);
  for (int step = 0; step < 40; ++step) desktop.wheel(middle, -1);
  desktop.settle();
  CHECK_FALSE(session.view(map_id).x);
  CHECK(shown_map(session).values->shape == std::vector<std::size_t>{60, 60});
}

TEST_CASE("A part stands in while it has what is seen, and the map of cells where it does not") {
  LongText text;
  test::NullDesktop desktop(*text.session, 1280, 800);
  desktop.settle();
  Session& session = *text.session;
  session.view(map_id).x = Range{20.5, 60.5};
  session.view(map_id).y = Range{220.5, 260.5};
  desktop.settle();
  CHECK(is_of_weights(session.on_screen.at(0)->title));
  session.view(map_id).x = Range{120.5, 160.5};
  desktop.frame();
  // On a busy machine the new part may be there at once; the old one has nothing of what is seen.
  const Heatmap& meanwhile = shown_map(session);
  const bool is_whole = meanwhile.values->shape == std::vector<std::size_t>{60, 60};
  CHECK((is_whole || (meanwhile.x.range->min <= 121 && meanwhile.x.range->max >= 160)));
  desktop.settle();
  CHECK(is_of_weights(session.on_screen.at(0)->title));
  CHECK(shown_map(session).x.range->min <= 121);
  // Of another result a part would be of other numbers.
  REQUIRE(session.set("dim", "32"));
  desktop.settle();
  CHECK_THAT(session.on_screen.at(0)->caption, Catch::Matchers::Contains("$d$ = 32"));
  CHECK(is_of_weights(session.on_screen.at(0)->title));
}

}  // namespace
}  // namespace orrery
