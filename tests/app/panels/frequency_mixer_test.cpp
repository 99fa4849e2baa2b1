#include "app/panels/param_controls.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>

#include "app/session/session_toml.h"
#include "app/shell/start.h"
#include "experiments/setup/frequency_bands.h"
#include "experiments/studies/catalogue.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

/// "base" and the mixer as long_term_decay declares them, and nothing else.
std::vector<ParamSpec> mixer_params() {
  std::vector<ParamSpec> specs;
  for (const Experiment* experiment : experiment_catalogue())
    if (experiment->info.name == "long_term_decay")
      for (ParamSpec spec : experiment->info.params)
        if (spec.key == "base" || spec.key == mixer_key) {
          spec.used_when.reset();
          specs.push_back(std::move(spec));
        }
  return specs;
}

class MixerDesktop {
 public:
  MixerDesktop()
      : experiment_("mix", mixer_params(),
                    [](const ParamSet&, Progress&) {
                      return test::result_of({test::lines("curve", {{1, 2, 3}})});
                    }),
        session_({&experiment_}, test::no_files, {}),
        desktop_(session_, 1280, 800) {
    session_.select(0);
    desktop_.settle();
  }
  std::string muted() const { return session_.current().params.to_text(mixer_key); }
  /// The middle of a band's column; the columns have equal widths.
  Point column(std::size_t band) const {
    constexpr double bands = 8;
    return desktop_.item("param " + std::string(mixer_key),
                         (static_cast<double>(band) + 0.5) / bands);
  }
  test::NullDesktop& desktop() { return desktop_; }
  Session& session() { return session_; }
  /// Clicks less apart than this are one double click.
  void pause() { desktop_.frame(40); }

 private:
  test::FakeExperiment experiment_;
  Session session_;
  test::NullDesktop desktop_;
};

}  // namespace

TEST_CASE("A click on a band mutes it, another one brings it back") {
  MixerDesktop mixer;
  mixer.desktop().click(mixer.column(3));
  mixer.pause();
  CHECK(mixer.muted() == "band3");
  mixer.desktop().click(mixer.column(5));
  mixer.pause();
  CHECK(mixer.muted() == "band3+band5");
  mixer.desktop().click(mixer.column(3));
  CHECK(mixer.muted() == "band5");
}

TEST_CASE("Ctrl and a click solo a band, and give all back") {
  MixerDesktop mixer;
  const auto solo = [&](std::size_t band) {
    shim::inject_control(mixer.desktop().io(), true);
    mixer.desktop().click(mixer.column(band));
    shim::inject_control(mixer.desktop().io(), false);
    mixer.pause();
  };
  solo(2);
  CHECK(mixer.muted() == "band0+band1+band3+band4+band5+band6+band7");
  solo(4);
  CHECK(mixer.muted() == "band0+band1+band2+band3+band5+band6+band7");
  solo(4);
  CHECK(mixer.muted().empty());
}

TEST_CASE("A double click unmutes all, and so does a right click") {
  MixerDesktop mixer;
  mixer.session().set(mixer_key, "band1+band2");
  mixer.desktop().double_click(mixer.column(6));
  CHECK(mixer.muted().empty());
  mixer.session().set(mixer_key, "band1+band2");
  mixer.pause();
  mixer.desktop().click(mixer.column(6), 1);
  CHECK(mixer.muted().empty());
}

TEST_CASE("The last band that sounds cannot be muted, and words say so") {
  MixerDesktop mixer;
  const std::string others = "band1+band2+band3+band4+band5+band6+band7";
  mixer.session().set(mixer_key, others);
  mixer.pause();
  mixer.desktop().click(mixer.column(0));
  CHECK(mixer.muted() == others);
  CHECK(mixer.session().note().find("One band") == 0);
}

TEST_CASE("Undo takes a mute back, redo brings it again") {
  MixerDesktop mixer;
  mixer.desktop().click(mixer.column(7));
  mixer.pause();
  REQUIRE(mixer.muted() == "band7");
  mixer.desktop().press(GLFW_KEY_Z, true);
  CHECK(mixer.muted().empty());
  mixer.desktop().press(GLFW_KEY_Z, true, true);
  CHECK(mixer.muted() == "band7");
}

TEST_CASE("Muting changes curves and maps, and the command names it") {
  for (const char* view : {"long_term_decay", "attention_map", "score_decomposition"}) {
    const auto session = start_session({.view = view, .overrides = {"encoding=rope"}}, {});
    test::NullDesktop desktop(*session, 1280, 800);
    desktop.settle();
    const auto before = session->current().result;
    REQUIRE(before);
    REQUIRE(session->set(mixer_key, "band0+band1"));
    desktop.settle();
    const auto after = session->current().result;
    INFO(view << " " << session->current().message);
    REQUIRE(after != before);
    REQUIRE(after->figures.size() == before->figures.size());
    CHECK(command_text(session->current()).find("rope.muted=band0+band1") != std::string::npos);
    CHECK(after->figures[0].caption.find("rope.muted = band0+band1") != std::string::npos);
    if (const auto* equation = std::get_if<MapEquation>(&after->figures[0].content))
      CHECK(equation->terms[0].map.values->values !=
            std::get<MapEquation>(before->figures[0].content).terms[0].map.values->values);
    else if (const auto* map = std::get_if<Heatmap>(&after->figures[0].content))
      CHECK(map->values->values != std::get<Heatmap>(before->figures[0].content).values->values);
    else
      CHECK(std::get<LinePlot>(after->figures[0].content).series[0].y !=
            std::get<LinePlot>(before->figures[0].content).series[0].y);
  }
}

}  // namespace orrery
