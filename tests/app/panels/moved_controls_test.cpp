// After a control was moved, the figures on screen have changed, or it is dimmed and says why.
#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "app/panels/param_panel.h"
#include "app/session/number_scale.h"
#include "app/session/session.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/sampled.h"

namespace orrery {
namespace {

using Lines = std::vector<std::vector<double>>;

test::FakeExperiment parity() {
  return {"parity", {test::n_param()}, [](const ParamSet& params, Progress&) {
            const auto n = static_cast<double>(params.integer("n"));
            return test::result_of(
                {test::lines("odd", Lines{{static_cast<double>(params.integer("n") % 2)}}),
                 test::lines("all", Lines{{n}})});
          }};
}

TEST_CASE("A move without effect dims its control and says so, until it has one") {
  const test::FakeExperiment experiment = parity();
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  session.shown().layout = ViewLayout::single;
  session.select_figure("odd");
  desktop.settle();
  CHECK(why_ignored(session, "n").empty());
  session.set("n", "12");
  desktop.settle();
  CHECK(why_ignored(session, "n") == "12 in place of 10 changed nothing in the figure on screen.");
  session.select_figure("all");
  desktop.settle();
  CHECK(why_ignored(session, "n").empty());
  session.select_figure("odd");
  session.set("n", "13");
  desktop.settle();
  CHECK(why_ignored(session, "n").empty());
}

/// What the figures on screen draw.
std::vector<Figure> copied(const Session& session) {
  std::vector<Figure> figures;
  for (const Figure* figure : session.on_screen) figures.push_back(*figure);
  return figures;
}

bool same(const std::vector<Figure>& a, const std::vector<Figure>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].id != b[i].id || !draws_same(a[i], b[i])) return false;
  return true;
}

/// Another value of a parameter, near the one in use.
ParamValue moved_value(const Session& session, const ParamSpec& spec) {
  const ParamSet& params = session.current().params;
  switch (spec.kind) {
    case ParamKind::boolean:
      return !params.boolean(spec.key);
    case ParamKind::integer: {
      const std::int64_t now = std::llround(number_shown(session, spec));
      const std::int64_t up = nearest_allowed(spec, now + spec.multiple_of);
      return up != now ? up : nearest_allowed(spec, now - spec.multiple_of);
    }
    case ParamKind::real: {
      const double now = params.real(spec.key);
      return now * 1.25 <= spec.max && now > 0 ? now * 1.25 : (spec.min + now) / 2;
    }
    case ParamKind::choice:
      return spec.choices.back().name != params.text(spec.key) ? spec.choices.back().name
                                                               : spec.choices.front().name;
    default:
      return params.value(spec.key);
  }
}

TEST_CASE("In every view each control that is moved changes the figures, or says why not") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  std::size_t moved = 0, dimmed = 0, seen = 0;
  for (std::size_t view = 0; view < session->size(); ++view) {
    session->select(view);
    // Steps of a training are seconds, and all take the same way.
    if (session->current().params.has("steps")) session->set("steps", "20");
    desktop.settle();
    const ParamSet params = session->current().params;
    for (const ParamSpec& spec : params.specs()) {
      if (!spec.group.empty() || !params.is_used(spec.key)) continue;
      const ParamValue value = moved_value(*session, spec);
      if (value == params.value(spec.key)) continue;
      if (!test::is_tried(seen++)) continue;
      const std::vector<Figure> before = copied(*session);
      session->set_value(spec.key, value);
      desktop.settle();
      INFO(session->current().experiment->info.name << ": " << spec.key << " = "
                                                    << session->current().params.to_text(spec.key));
      const bool refused = !session->current().message.empty();
      const bool says = !why_ignored(*session, spec.key).empty();
      const bool changed = !same(before, copied(*session));
      CHECK((changed || says || refused));
      CHECK_FALSE((changed && says && !refused));
      ++moved;
      dimmed += says;
      if (!refused) continue;
      session->set_value(spec.key, params.value(spec.key));
      desktop.settle();
    }
  }
  CHECK(moved > (test::all_is_tried() ? 150 : 20));
  if (test::all_is_tried()) CHECK(dimmed > 20);
}

}  // namespace
}  // namespace orrery
