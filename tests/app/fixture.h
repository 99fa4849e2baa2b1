#pragma once

#include <imgui.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "app/hand.h"
#include "app/imgui_shim.h"
#include "app/session.h"
#include "experiments/experiment.h"

namespace orrery::test {

/// An experiment made of a function.
class FakeExperiment : public Experiment {
 public:
  using Run = std::function<Result(const ParamSet&, Progress&)>;
  FakeExperiment(std::string name, std::vector<ParamSpec> params, Run run);

  const ExperimentInfo& info() const override { return info_; }
  Result run(const ParamSet& params, const Inputs&, Progress& progress) const override {
    return run_(params, progress);
  }

 private:
  ExperimentInfo info_;
  Run run_;
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
Session::InputLoader no_files();

/// The desktop with neither screen nor OpenGL: frames are laid out and thrown away.
class NullDesktop {
 public:
  NullDesktop(Session& session, double width, double height);

  void frame(int count = 1);
  /// Frames until nothing is computed or read, and a few more.
  void settle();
  ImGuiIO& io() { return ImGui::GetIO(); }
  App& app() { return app_; }

  // As in Hand.
  void move_to(Point p) { hand_.move_to(p); }
  void drag(Point from, Point to, int button = 0) { hand_.drag(from, to, button); }
  void click(Point at, int button = 0) { hand_.click(at, button); }
  void double_click(Point at) { hand_.double_click(at); }
  void wheel(Point at, float steps) { hand_.wheel(at, steps); }
  void press(int key, bool control = false, bool shift = false) {
    hand_.press(key, control, shift);
  }
  void type(const std::string& utf8) { hand_.type(utf8); }

  std::size_t vertices() const { return vertices_; }

 private:
  ImGuiSession imgui_{};
  App app_;
  Hand hand_{[this] { frame(); }};
  std::size_t vertices_{};
};

}  // namespace orrery::test
