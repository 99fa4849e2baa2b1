#include "app/views/figure_stage.h"

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>

#include "app/shell/start.h"
#include "experiments/studies/catalogue.h"
#include "tests/app/fixture.h"
#include "tests/support/sampled.h"

namespace orrery {
namespace {

Figure called(std::string id) {
  Figure figure;
  figure.id = std::move(id);
  return figure;
}

TEST_CASE("A figure is chosen by words") {
  const ExperimentView view{.tabs = {{"B", "Sum of cosines"}}};
  CHECK(tab_title(called("decay_bound"), view) == "Decay bound");
  CHECK(tab_title(called("B"), view) == "Sum of cosines");
}

TEST_CASE("A figure of one encoding is called by what it shows, and by the name of the encoding") {
  Figure figure = called("weights_t5");
  figure.role = {.kind = "weights", .encodings = {"t5"}};
  CHECK(tab_title(figure, {}) == "Weights: T5");
  CHECK(tab_title(figure, {.tabs = {{"weights", "Attention"}}}) == "Attention: T5");
  CHECK(tab_title(figure, {.tabs = {{"weights_t5", "Of T5"}}}) == "Of T5");
  figure.role.term = "content_to_position";
  CHECK(tab_title(figure, {}) == "Content to position: T5");
}

TEST_CASE("A group of figures is called as its encoding is") {
  CHECK(group_title("rope", {}) == "RoPE");
  CHECK(group_title("t5", {}) == "T5");
  CHECK(group_title("mean_logit", {}) == "Mean logit");
}

TEST_CASE("Figures of one experiment have titles of their own") {
  std::size_t seen = 0;
  for (const Experiment* experiment : experiment_catalogue()) {
    if (!test::is_tried(seen++)) continue;
    const auto session = start_session({.view = experiment->info.name}, {});
    test::NullDesktop desktop(*session, 1280, 800);
    desktop.settle();
    const std::shared_ptr<const Result> result = session->current().result;
    REQUIRE(result);
    std::set<std::string> titles;
    for (const Figure& figure : result->figures) {
      INFO(experiment->info.name << " " << figure.id);
      CHECK(titles.insert(tab_title(figure, experiment->info.view)).second);
    }
  }
}

}  // namespace
}  // namespace orrery
