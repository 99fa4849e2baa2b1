// How much of the window the figures have: a view that shows one is read from its axes, one that
// shows several from all of them together.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/sampled.h"

namespace orrery {
namespace {

struct WindowPage {
  const char* name;
  double width, height, scale;
  bool projector;
  double
      alone;  ///< share of the window that one figure takes at least, with the names at its lines
};

constexpr double around_several = 0.65, several_together = 0.33;

constexpr WindowPage pages[] = {
    {"1280 × 800", 1280, 800, 1.0, false, 0.45},
    {"1920 × 1080", 1920, 1080, 1.0, false, 0.55},
    {"1280 × 800 at 150 %", 1280, 800, 1.5, false, 0.35},
    {"1920 × 1080 at 150 %", 1920, 1080, 1.5, false, 0.35},
    // A line says that there is no trained model.
    {"1280 × 800, projector mode", 1280, 800, 1.0, true, 0.56},
    {"1920 × 1080, projector mode", 1920, 1080, 1.0, true, 0.60},
};

/// The axes of the figures on screen, and the box around them and their colour bars, which are axes
/// too; tables have none and count with the room that they have.
struct Shares {
  std::size_t figures{};
  double together{};
  double around{};
  double parts{};  ///< maps and profiles of an equation
};

Shares shares_of(const test::NullDesktop& desktop, const Session& session, const WindowPage& page) {
  Shares shares;
  double left = page.width, top = page.height, right = 0, bottom = 0, area = 0;
  for (const Figure* figure : session.on_screen) {
    const FigureLayout* frame = desktop.app().item_rects().figure(figure->id);
    REQUIRE(frame);
    const bool table = std::holds_alternative<TableFigure>(figure->content);
    const Rect& axes = table ? frame->area : frame->plot;
    // The axes of an equation are the box around its maps and profiles, which fill it.
    for (const FigureLayout& part : frame->parts)
      shares.parts += part.plot.width * part.plot.height / (page.width * page.height);
    double end = std::max(axes.right(), frame->color_bar.right());
    // Names at the ends of lines belong to the figure, which has no legend then.
    for (const FigureLayout::LegendEntry& name : frame->legend)
      end = std::max(end, name.box.right());
    left = std::min(left, axes.x);
    top = std::min(top, axes.y);
    right = std::max(right, end);
    bottom = std::max(bottom, axes.bottom());
    area += axes.width * axes.height;
    ++shares.figures;
  }
  shares.together = area / (page.width * page.height);
  shares.around = (right - left) * (bottom - top) / (page.width * page.height);
  return shares;
}

}  // namespace

TEST_CASE("The figures have the page: in every view, every theme and every size of the window") {
  const auto session = start_session({}, {});  // one, which computes each view once
  std::size_t seen = 0;
  for (const WindowPage& page : pages) {
    for (const char* theme : {"dark", "light", "print"}) {
      session->look.theme = theme_named(theme);
      session->look.scale = page.scale;
      session->look.projector = page.projector;
      test::NullDesktop desktop(*session, page.width, page.height);
      session->look.show_list.reset();
      session->look.show_panel.reset();
      for (std::size_t view = 0; view < session->size(); ++view) {
        if (!test::is_tried(seen++)) continue;
        session->select(view);
        desktop.settle();
        const Shares shares = shares_of(desktop, *session, page);
        INFO(page.name << ", " << theme << ", " << session->current().experiment->info.name << ": "
                       << shares.figures << " figures, " << shares.together << " together, "
                       << shares.around << " around");
        REQUIRE(shares.figures > 0);
        if (shares.parts > 0) CHECK(shares.parts >= several_together);
        if (shares.figures == 1) {
          CHECK(shares.around >= page.alone);
        } else {
          CHECK(shares.around >= around_several);
          CHECK(shares.together >= several_together);
        }
      }
    }
  }
}

}  // namespace orrery
