#pragma once

#include <imgui.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/imgui_context.h"
#include "app/gui/imgui_shim.h"
#include "app/headless/simulated_input.h"
#include "app/session/session.h"
#include "app/shell/app.h"
#include "experiments/model/experiment.h"

namespace orrery::test {

/// An experiment made of a function.
struct FakeExperiment : Experiment {
  using Run = std::function<Result(const ParamSet&, Progress&)>;
  FakeExperiment(std::string name, std::vector<ParamSpec> params, Run run);
};

/// "n", an integer in [0, 100] with default 10, moved by a linear slider.
ParamSpec n_param();
/// A file parameter that reads .npy.
ParamSpec file_param(std::string key = "q");

/// A line plot of the given curves over x = 0, 1, 2, …
Figure lines(std::string id, std::vector<std::vector<double>> curves);
/// A map of rows × columns numbers 0, 1, 2, …
Figure map(std::string id, std::size_t rows, std::size_t columns);
Result result_of(std::vector<Figure> figures);

/// Loads nothing.
InputLoader no_files();

/// The desktop with neither screen nor OpenGL: frames are laid out and thrown away. Both columns
/// are shown.
class NullDesktop {
 public:
  NullDesktop(Session& session, double width, double height);

  void frame(int count = 1);
  /// Frames until nothing is computed or read, and a few more.
  void settle();
  ImGuiIO& io() { return ImGui::GetIO(); }
  App& app() { return app_; }
  const App& app() const { return app_; }

  // As in SimulatedInput.
  void move_to(Point p) { input_.move_to(p); }
  void drag(Point from, Point to, int button = 0) { input_.drag(from, to, button); }
  void click(Point at, int button = 0) { input_.click(at, button); }
  void double_click(Point at) { input_.double_click(at); }
  void wheel(Point at, float steps) { input_.wheel(at, steps); }
  void press(int key, bool control = false, bool shift = false) {
    input_.press(key, control, shift);
  }
  void type(const std::string& utf8) { input_.type(utf8); }

  /// A point on an item by its name in ItemRects, "param n": so far along it, in its middle line.
  Point item(const std::string& name, double across = 0.5) const;
  /// A whole pixel in the plot of a figure, so far across and down it.
  Point in_figure(const std::string& id, double across = 0.5, double down = 0.5) const;

  std::size_t vertices() const { return vertices_; }

 private:
  ImGuiContextGuard imgui_{};
  App app_;
  SimulatedInput input_{[this] { frame(); }};
  std::size_t vertices_{};
};

}  // namespace orrery::test
