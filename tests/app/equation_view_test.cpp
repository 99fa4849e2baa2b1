#include "app/equation_view.h"

#include <catch2/catch.hpp>

#include "app/start.h"
#include "experiments/figure/equation/catalogue.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

std::string sources(const Session& session) {
  const EquationSubject subject = equation_subject(session.current());
  std::string text;
  for (const SetEquation& one : equations_of(subject.experiment, subject.choices, subject.figure))
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
  session->select_figure("term_t5_content");
  CHECK(sources(*session) == "eq. (8)");
  session->select_figure("logits_rope");
  CHECK(sources(*session) == "eq. (35)");
  session->select_figure("");
  CHECK(equation_subject(session->current()).figure ==
        session->current().result->figures.front().id);
  session->shown().layout = ViewLayout::small_multiples;
  CHECK(sources(*session) == "eq. (35), eq. (8)");
}

TEST_CASE("The formula on screen follows the measure") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->select(*session->find("equal_half_distance"));
  const auto tex = [&] {
    const EquationSubject subject = equation_subject(session->current());
    return std::string(
        equations_of(subject.experiment, subject.choices, subject.figure).front().tex);
  };
  const std::string logit = tex();
  REQUIRE(session->set("measure", "weight"));
  CHECK(tex() == equations_of("equal_half_distance/weight").front().tex);
  CHECK(tex() != logit);
}

}  // namespace
}  // namespace orrery
