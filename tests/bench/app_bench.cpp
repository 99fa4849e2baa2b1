// Cost of a frame of the desktop at 1280 x 800, drawn by OpenGL without a window; on a machine
// without a graphics card it is drawn in software. Budgets: 16 ms per frame for the densest layout
// and for a map of 4096 x 4096 during pan and zoom, 0.5 s to the first frame, 50 ms from a slider
// to the picture.
#include <benchmark/benchmark.h>

#include <cmath>
#include <utility>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/headless/offscreen.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/app/layers.h"

namespace {

using namespace orrery;

constexpr int width = 1280, height = 800;

/// A desktop that shows a map of n x n cells.
class MapDesktop {
 public:
  explicit MapDesktop(std::size_t n)
      : experiment_(
            "map", {test::n_param()},
            [n](const ParamSet&, Progress&) { return test::result_of({test::map("map", n, n)}); }),
        session_({&experiment_}, test::no_files, {}),
        desktop_(session_, width, height) {
    session_.select(0);
    desktop_.settle();
  }
  /// Shows `part` of the map, starting at the cell `first`.
  void show(double first, double part) {
    FigureView& view = session_.view("map");
    view.x = Range{first, first + part};
    view.y = view.x;
    desktop_.frame();
  }
  FigureView& view() { return session_.view("map"); }

 private:
  test::FakeExperiment experiment_;
  Session session_;
  OffscreenDesktop desktop_;
};

void pan_map(benchmark::State& state) {
  const auto n = static_cast<double>(state.range(0));
  MapDesktop map(static_cast<std::size_t>(state.range(0)));
  map.view().minification = state.range(1) ? Minification::max : Minification::mean;
  double first = 0;
  for (auto _ : state) {
    first = std::fmod(first + 7, n / 10);
    map.show(first, 0.9 * n);
  }
}
BENCHMARK(pan_map)->ArgsProduct({{1024, 4096}, {0, 1}})->Unit(benchmark::kMillisecond);

void zoom_map(benchmark::State& state) {
  const auto n = static_cast<double>(state.range(0));
  MapDesktop map(static_cast<std::size_t>(state.range(0)));
  double part = 1.0;
  for (auto _ : state) {
    part = part < 0.01 ? 1.0 : 0.97 * part;
    map.show(0.3 * n * (1 - part), part * n);
  }
}
BENCHMARK(zoom_map)->Arg(4096)->Unit(benchmark::kMillisecond);

void hover_map(benchmark::State& state) {
  MapDesktop map(4096);
  double x = 450;
  for (auto _ : state) {
    x = x > 700 ? 450 : x + 1;
    shim::inject_mouse_position(ImGui::GetIO(), {x, 300});
    map.show(-0.5, 4096);
  }
}
BENCHMARK(hover_map)->Unit(benchmark::kMillisecond);

/// A curve with the given number of points under the mouse.
void hover_curve(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const test::FakeExperiment experiment(
      "curve", {test::n_param()}, [n](const ParamSet&, Progress&) {
        std::vector<double> y(n);
        for (std::size_t i = 0; i < n; ++i) y[i] = std::sin(1e-3 * static_cast<double>(i));
        return test::result_of({test::lines("curve", {std::move(y)})});
      });
  Session session({&experiment}, test::no_files, {});
  OffscreenDesktop desktop(session, width, height);
  session.select(0);
  desktop.settle();
  double x = 300;
  for (auto _ : state) {
    x = x > 900 ? 300 : x + 3;
    shim::inject_mouse_position(ImGui::GetIO(), {x, 300});
    desktop.frame();
  }
}
BENCHMARK(hover_curve)->Arg(1'000)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);

/// All figures of four encodings at once, with a moving mouse over them.
void densest_layout(benchmark::State& state) {
  const auto session = start_session({.view = "attention_map",
                                      .overrides = {"encoding=rope+alibi+t5+deberta",
                                                    "show=weights+logits+terms", "max_tokens=256"}},
                                     {});
  OffscreenDesktop desktop(*session, width, height);
  desktop.settle();
  double x = 300;
  for (auto _ : state) {
    x = x > 900 ? 300 : x + 3;
    shim::inject_mouse_position(ImGui::GetIO(), {x, 300});
    desktop.frame();
  }
}
BENCHMARK(densest_layout)->Unit(benchmark::kMillisecond);

void first_frame(benchmark::State& state) {
  for (auto _ : state) {
    const auto session = start_session({}, {});
    OffscreenDesktop desktop(*session, width, height);
    desktop.frame();
  }
}
BENCHMARK(first_frame)->Unit(benchmark::kMillisecond);

void slider_to_picture(benchmark::State& state) {
  const auto session = start_session({.view = "long_term_decay"}, {});
  OffscreenDesktop desktop(*session, width, height);
  desktop.settle();
  std::int64_t distance = 200;
  for (auto _ : state) {
    distance = distance > 300 ? 200 : distance + 1;
    session->set_value("max_distance", distance);
    while (session->busy()) desktop.frame();
    desktop.frame();
  }
}
BENCHMARK(slider_to_picture)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
