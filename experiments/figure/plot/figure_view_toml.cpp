#include "experiments/figure/plot/figure_view_toml.h"

#include "experiments/text/model_names.h"

namespace orrery {
namespace {

TomlCodec<AxisScale> axis_scale() { return toml_name(axis_scale_names(), "an axis scale"); }

TomlCodec<double> positive() {
  return toml_number([](double x) { return x > 0; }, "must be above 0");
}

TomlCodec<Minification> minification() {
  return toml_name<Minification>({{Minification::mean, "mean"}, {Minification::max, "max"}},
                                 "a way to show cells that share a pixel");
}

}  // namespace

const TomlFields<FigureView>& figure_view_fields() {
  static const TomlFields<FigureView> fields{
      field("x", &FigureView::x, toml_range()),
      field("y", &FigureView::y, toml_range()),
      field("x_scale", &FigureView::x_scale, axis_scale()),
      field("y_scale", &FigureView::y_scale, axis_scale()),
      field("x_threshold", &FigureView::x_threshold, positive()),
      field("y_threshold", &FigureView::y_threshold, positive()),
      field("color", &FigureView::color, toml_range()),
      field("hidden", &FigureView::hidden, toml_list<std::set<std::string>>(toml_text())),
      field("minified", &FigureView::minification, minification())};
  return fields;
}

}  // namespace orrery
