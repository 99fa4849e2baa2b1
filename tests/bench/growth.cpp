#include "tests/bench/growth.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "core/attention/linear_attention.h"
#include "core/attention/softmax_attention.h"
#include "core/encodings/rope.h"
#include "core/kernels/level.h"
#include "experiments/figure/export.h"
#include "experiments/results/result_folder.h"
#include "tests/bench/head.h"
#include "tests/bench/measure.h"

namespace orrery::bench {
namespace {

constexpr double mib = 1 << 20;

struct Curve {
  std::string name;
  std::string label;
  std::function<void(const Head&)> run;
  std::vector<double> seconds{}, bytes{};
};

std::vector<Curve> curves() {
  const auto rope = std::make_shared<Rope<float>>(RopeConvention{.d_head = head_channels});
  const auto doors = SoftmaxDoors<float>::of(*rope);
  return {{"attention", "output, causal",
           [rope, doors](const Head& head) {
             use(attention_output<float>(head.inputs(), doors, head.causal));
           }},
          {"map", "whole map by rows",
           [rope, doors](const Head& head) {
             const RowReader<float> reader{
                 .use = [](Index, AttentionOutput<float>& part) { use(part); },
                 .rows = rows_at_once(head.k.rows())};
             attention_by_rows<float>(head.inputs(), doors, head.causal, {}, reader);
           }},
          {"linear", "linear, causal", [rope](const Head& head) {
             use(linear_attention<float>(head.inputs(), EluPlusOne<float>(), rope.get(),
                                         {.causal = true}));
           }}};
}

void measure(Curve& curve, Index n) {
  const Cost cost = cost_alone([&curve, n]() -> std::function<void()> {
    const auto head = std::make_shared<Head>(n);
    return [&curve, head] { curve.run(*head); };
  });
  curve.seconds.push_back(cost.seconds);
  curve.bytes.push_back(cost.bytes);
  fmt::print(" {:>12.2f} {:>8.1f}", 1e3 * cost.seconds, cost.bytes / mib);
}

LinePlot growth_plot(const std::vector<double>& tokens, const std::vector<Curve>& of,
                     std::vector<double> Curve::*what, double unit, Axis y) {
  LinePlot plot{.x = {.label = "tokens", .symbol = "N", .scale = AxisScale::log2},
                .y = std::move(y)};
  int color = 0;
  for (const Curve& curve : of) {
    std::vector<double> values = curve.*what;
    for (double& value : values) value /= unit;
    plot.series.push_back({.name = curve.label, .x = tokens, .y = values, .color = color++});
  }
  return plot;
}

Result result_of(const std::vector<double>& tokens, const std::vector<Curve>& of) {
  const std::string caption = fmt::format(
      "RoPE, d = {}, fp32, one thread, kernels for {}; memory beyond the inputs, each measured in "
      "a process of its own",
      head_channels, kernels::name(kernels::best_level()));
  Table table{.name = "growth", .caption = caption, .columns = {{"tokens", "", tokens}}};
  for (const Curve& curve : of) {
    table.columns.push_back({curve.name + "_seconds", "s", curve.seconds});
    table.columns.push_back({curve.name + "_bytes", "bytes", curve.bytes});
  }
  Result result{.provenance = {.experiment = "bench_growth", .version = 1}};
  result.tables.push_back(std::move(table));
  result.figures.push_back(
      {.id = "time",
       .title = "Time of attention with the length of the sequence",
       .caption = caption,
       .content = growth_plot(tokens, of, &Curve::seconds, 1e-3,
                              {.label = "time", .unit = "ms", .scale = AxisScale::log10})});
  result.figures.push_back(
      {.id = "memory",
       .title = "Memory of attention with the length of the sequence",
       .caption = caption,
       .content = growth_plot(tokens, of, &Curve::bytes, mib,
                              {.label = "memory", .unit = "MiB", .scale = AxisScale::log10})});
  return result;
}

void write(const Result& result, const std::string& folder) {
  const auto render = [](const Figure& figure, std::string_view format) {
    return export_figure(figure, figure_format_named(format), Theme::light);
  };
  write_result(result, {.argv = {"orrery", "bench"}},
               {.folder = folder, .figure_formats = {"svg", "png"}, .render = render});
  fmt::print("\nThe growth is drawn in {0}/figures; orrery redraw {0} draws it again\n", folder);
}

}  // namespace

void print_growth(const GrowthOptions& options) {
  std::vector<Curve> all = curves();
  fmt::print("Growth with N: RoPE, d = {}, one thread, MiB beyond the inputs\n\n{:<8}",
             head_channels, "N");
  for (const Curve& curve : all) fmt::print(" {:>21}", curve.label);
  fmt::print("\n{:<8}", "");
  for (std::size_t i = 0; i < all.size(); ++i) fmt::print(" {:>12} {:>8}", "ms", "MiB");
  std::vector<double> tokens;
  for (std::int64_t n = 256; n <= options.largest; n *= 2) {
    tokens.push_back(static_cast<double>(n));
    fmt::print("\n{:<8}", n);
    for (Curve& curve : all) measure(curve, n);
  }
  fmt::print("\n");
  if (!options.folder.empty()) write(result_of(tokens, all), options.folder);
}

}  // namespace orrery::bench
