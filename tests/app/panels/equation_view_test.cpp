#include "app/panels/equation_view.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <catch2/catch.hpp>

#include "app/shell/start.h"
#include "experiments/studies/catalogue.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

std::string sources(const Session& session) {
  std::string text;
  for (const Formula& one : formulas_of(formula_subject(session.current())))
    text += (text.empty() ? "" : ", ") + std::string(one.source);
  return text;
}

TEST_CASE("The formulas on screen are those of the figure on top, or of all that is computed") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->select(*session->find("score_decomposition"));
  REQUIRE(session->set("encoding", "rope+t5"));
  desktop.settle();
  session->shown().layout = ViewLayout::single;
  session->select_figure("equation_t5");
  CHECK(sources(*session) == "eq. (8)");
  session->select_figure("equation_rope");
  CHECK(sources(*session) == "eq. (35)");
  session->select_figure("");
  CHECK(formula_subject(session->current()).role ==
        session->current().result->figures.front().role);
  session->shown().layout = ViewLayout::small_multiples;
  CHECK(sources(*session) == "eq. (35), eq. (8)");
}

TEST_CASE("The formula on screen follows the measure") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->select(*session->find("equal_half_distance"));
  const auto tex = [&] {
    return std::string(formulas_of(formula_subject(session->current())).front().tex);
  };
  const std::string logit = tex();
  REQUIRE(session->set("measure", "weight"));
  CHECK(tex() == R"(e^{L(h) - L(0)} = \frac{1}{2})");
  CHECK(tex() != logit);
}

TEST_CASE("What explains a parameter stands below or above its name and its value") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  for (const char* key : {"dim", "base"}) {
    INFO(key);
    desktop.move_to(desktop.item(std::string("label ") + key));
    desktop.frame(4);
    const Rect label = *desktop.app().item_rects().find(std::string("label ") + key);
    const ImGuiWindow* const tip = ImGui::FindWindowByName("##Tooltip_00");
    REQUIRE(tip);
    CHECK(tip->Active);
    const auto top = static_cast<double>(tip->Pos.y);
    const double bottom = top + static_cast<double>(tip->Size.y);
    CHECK((top >= label.bottom() || bottom <= label.y));
    CHECK(bottom <= 800);
    CHECK(static_cast<double>(tip->Pos.x + tip->Size.x) <= 1280);
  }
}

}  // namespace
}  // namespace orrery
