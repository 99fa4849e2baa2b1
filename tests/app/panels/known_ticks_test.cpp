// Sliders know the values of papers and models.
#include "app/panels/param_controls.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "app/gui/imgui_shim.h"
#include "app/shell/start.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

/// How far along the slider of "base", whose range is logarithmic, a value lies.
double share_of_base(const ParamSpec& spec, double value) {
  return std::log(value / spec.min) / std::log(spec.max / spec.min);
}

TEST_CASE("Known values are allowed, ascending, and say whose they are") {
  std::size_t found = 0;
  for (const Experiment* experiment : experiment_catalogue())
    for (const ParamSpec& spec : experiment->info.params) {
      double before = -1;
      for (const KnownValue& one : known_values(spec.key)) {
        INFO(experiment->info.name << ' ' << spec.key << ' ' << one.value);
        CHECK(one.value > before);
        CHECK_FALSE(one.users.empty());
        CHECK((one.value < spec.min || one.value > spec.max || spec.kind != ParamKind::integer ||
               std::fmod(one.value, static_cast<double>(spec.multiple_of)) == 0));
        before = one.value;
        ++found;
      }
    }
  CHECK(found > 50);
  CHECK(known_values("no_parameter").empty());
}

TEST_CASE("A drag that ends near a known value ends on it, and elsewhere where it is") {
  const auto session = start_session({.view = "long_term_decay"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  const ParamSpec spec = session->current().params.spec("base");
  const auto base = [&] { return session->current().params.real("base"); };
  const double known = share_of_base(spec, 500000);
  desktop.drag(desktop.item("param base", 0.2), desktop.item("param base", known + 0.006));
  CHECK(base() == 500000);
  desktop.drag(desktop.item("param base", known), desktop.item("param base", 0.7));
  CHECK(base() > 1e8);
  CHECK(base() < 1e9);
}

TEST_CASE("A slider that is dragged from further away moves finely, and no tip covers it") {
  const auto session = start_session({.view = "long_term_decay"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->look.show_list.reset();
  session->look.show_panel.reset();
  desktop.settle();
  const auto base = [&] { return session->current().params.real("base"); };
  const Point at = desktop.item("param base", 0.5);
  const auto move = [&](double right, double up) { desktop.move_to({at.x + right, at.y - up}); };
  const auto hold = [&](bool down) {
    shim::inject_mouse_button(desktop.io(), 0, down);
    desktop.frame(2);
  };
  move(0, 0);
  desktop.frame(2);
  const std::size_t with_tip = desktop.vertices();
  hold(true);
  CHECK(desktop.vertices() < with_tip);
  move(40, 0);
  const double coarse = base();
  move(41, 0);
  const double pixel = base() / coarse;  // on the slider
  CHECK(pixel > 1.1);
  move(41, 120);
  const double before = base();
  move(51, 120);
  CHECK(base() > before);
  CHECK(base() / before < std::pow(pixel, 0.5));  // ten pixels, each a twentieth of one or less
  move(41, 120);
  CHECK(base() == Approx(before).epsilon(2e-3));
  move(42, 0);
  CHECK(base() > before);
  hold(false);
}

TEST_CASE("With Alt a slider meets each of its small numbers, one a pixel") {
  const auto session = start_session({.view = "long_term_decay"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->look.show_list.reset();
  session->look.show_panel.reset();
  session->set_value("dim", std::int64_t{64});
  desktop.settle();
  const Point at = desktop.item("param dim", 0.5);
  desktop.move_to(at);
  shim::inject_mouse_button(desktop.io(), 0, true);
  shim::inject_alt(desktop.io(), true);
  desktop.frame(2);
  std::int64_t before = session->current().params.integer("dim");
  const std::int64_t start = before;
  for (int pixel = 1; pixel <= 12; ++pixel) {
    desktop.move_to({at.x + pixel, at.y});
    const std::int64_t now = session->current().params.integer("dim");
    CHECK(now - before <= 2);  // it is even
    before = now;
  }
  CHECK(before > start);
  shim::inject_alt(desktop.io(), false);
  shim::inject_mouse_button(desktop.io(), 0, false);
  desktop.frame(2);
}

TEST_CASE("The tooltip of a parameter names its known values") {
  const ParamSet params(find_experiment("long_term_decay").info.params);
  CHECK_THAT(known_values_text(params.spec("base")), Catch::Contains("500000 Llama 3 · "));
  CHECK(known_values_text(params.spec("max_distance")).empty());
}

}  // namespace
}  // namespace orrery
