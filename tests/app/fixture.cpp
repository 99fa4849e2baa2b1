#include "tests/app/fixture.h"

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

namespace orrery::test {

FakeExperiment::FakeExperiment(std::string name, std::vector<ParamSpec> params, Run function)
    : Experiment{.info = {.name = name,
                          .title = name,
                          .question = "Does it work?",
                          .params = std::move(params)},
                 .run = [function = std::move(function)](const ParamSet& set, const Inputs&,
                                                         Progress& progress) {
                   return function(set, progress);
                 }} {}

ParamSpec n_param() {
  return {.key = "n",
          .symbol = "$N$",
          .unit = "tokens",
          .description = "A number.",
          .kind = ParamKind::integer,
          .default_value = std::int64_t{10},
          .min = 0,
          .max = 100};
}

ParamSpec file_param(std::string key) {
  return {.key = std::move(key),
          .description = "A file.",
          .kind = ParamKind::file,
          .default_value = std::string(),
          .file_types = {"npy"}};
}

Figure lines(std::string id, std::vector<std::vector<double>> curves) {
  LinePlot plot{.x = {.label = "distance"}, .y = {.label = "score"}};
  for (std::vector<double>& y : curves) {
    Series series{.name = "curve " + std::to_string(plot.series.size()),
                  .color = static_cast<int>(plot.series.size())};
    for (std::size_t i = 0; i < y.size(); ++i) series.x.push_back(static_cast<double>(i));
    series.y = std::move(y);
    plot.series.push_back(std::move(series));
  }
  return {.id = std::move(id), .title = "Lines", .content = std::move(plot)};
}

Figure map(std::string id, std::size_t rows, std::size_t columns) {
  std::vector<float> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  auto array = std::make_shared<Array>();
  array->name = id;
  array->shape = {rows, columns};
  array->axes = {"query", "key"};
  array->values = std::move(values);
  Heatmap heatmap{.values = std::move(array),
                  .x = {.label = "key", .role = AxisRole::key_position},
                  .y = {.label = "query", .role = AxisRole::query_position},
                  .quantity = "weight"};
  return {.id = std::move(id), .title = "Map", .content = std::move(heatmap)};
}

Result result_of(std::vector<Figure> figures) {
  Result result;
  result.figures = std::move(figures);
  result.checks.push_back({.name = "holds",
                           .statement = "one is at most two",
                           .equation = "eq. (1)",
                           .measured = 1,
                           .bound = 2});
  result.scalars.push_back({.name = "one", .value = 1});
  return result;
}

InputLoader no_files() {
  return [](const ParamSet&) { return std::make_shared<const Inputs>(); };
}

NullDesktop::NullDesktop(Session& session, double width, double height)
    : app_(session, make_null_textures()) {
  session.look.show_list = session.look.show_panel = true;
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = shim::vec({width, height});
  io.DeltaTime = 1.0f / 60.0f;
  shim::map_keys(io);
  shim::inject_mouse_away(io);
}

void NullDesktop::frame(int count) {
  for (int i = 0; i < count; ++i) {
    if (app_.prepare()) shim::prepare_without_renderer(ImGui::GetIO());
    shim::new_frame();
    app_.frame();
    ImGui::Render();
    vertices_ = static_cast<std::size_t>(ImGui::GetDrawData()->TotalVtxCount);
  }
}

Point NullDesktop::item(const std::string& name, double across) const {
  const std::optional<Rect> rect = app_.item_rects().find(name);
  if (!rect) throw std::runtime_error("there is no \"" + name + "\" on screen");
  return {rect->x + across * rect->width, rect->y + rect->height / 2};
}

Point NullDesktop::in_figure(const std::string& id, double across, double down) const {
  const FigureLayout* frame = app_.item_rects().figure(id);
  if (!frame) throw std::runtime_error("there is no figure \"" + id + "\" on screen");
  const Rect& plot = frame->plot;
  return {std::floor(plot.x + across * plot.width), std::floor(plot.y + down * plot.height)};
}

void NullDesktop::settle() {
  // What was read may lead to more that is computed or read.
  for (int quiet = 0; quiet < 4; ++quiet) {
    while (app_.busy()) {
      quiet = 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    frame();
  }
}

}  // namespace orrery::test
