#include "experiments/setup/common_axes.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/analysis/largest.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/statistics/welch.h"
#include "experiments/text/marked_text.h"

namespace orrery {

Axis query_axis() { return {.label = "query", .symbol = "$m$", .role = AxisRole::query_position}; }

Axis key_axis() { return {.label = "key", .symbol = "$n$", .role = AxisRole::key_position}; }

Axis position_axis() {
  return {.label = "position", .symbol = "$m$", .unit = "tokens", .role = AxisRole::position};
}

Axis channel_axis() { return {.label = "channel", .symbol = "$c$", .role = AxisRole::channel}; }

Axis distance_axis(AxisScale scale) {
  return {.label = "relative distance",
          .symbol = "$m − n$",
          .unit = "tokens",
          .scale = scale,
          .role = AxisRole::relative_distance};
}

Axis spanning(Axis axis, double first, double last) {
  axis.unit = "tokens";
  axis.range = Range{first, last};
  return axis;
}

std::vector<double> count_from_0(std::size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

std::vector<double> as_doubles(const Positions& positions) {
  return {positions.begin(), positions.end()};
}

Rule horizontal(double at, std::string label, std::string param) {
  return {Rule::Direction::horizontal, at, std::move(label), std::move(param)};
}

Rule vertical(double at, std::string label, std::string param) {
  return {Rule::Direction::vertical, at, std::move(label), std::move(param)};
}

void lay_head_to_tail(VectorPlot& plot, std::span<const std::complex<double>> ends,
                      std::span<const double> numbers) {
  std::complex<double> from = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    plot.arrows.push_back({from.real(), from.imag(), ends[i].real(), ends[i].imag(), numbers[i]});
    from = ends[i];
  }
  plot.sum = Arrow{0, 0, from.real(), from.imag(), 0};
}

std::string caption_of_model(const ParamSet& params, const std::string& family,
                             const std::string& what) {
  return fmt::format("{} · {} · {}", as_marked(family), what, caption_of(params));
}

std::string words_of_edit(const std::string& edit) {
  std::string words;
  for (const char c : edit)
    words += c == '@' ? std::string(" in layer ")
                      : std::string(1, c == '_' || c == ':' || c == '=' ? ' ' : c);
  return as_marked(words);
}

std::string under(const std::vector<std::string>& edits) {
  std::string all;
  for (const std::string& edit : edits) all += ", " + words_of_edit(edit);
  return all;
}

Axis layer_axis() { return {.label = "layer", .symbol = "$l$"}; }
Axis head_axis() { return {.label = "head", .symbol = "$h$"}; }
Axis token_axis() { return {.label = "token", .role = AxisRole::position}; }

std::shared_ptr<Array> array_of(std::string name, std::string description,
                                std::vector<std::size_t> shape, std::vector<std::string> axes,
                                std::vector<double> values) {
  return std::make_shared<Array>(Array{.name = std::move(name),
                                       .description = std::move(description),
                                       .shape = std::move(shape),
                                       .axes = std::move(axes),
                                       .values = std::move(values)});
}

void add_map_figure(Figure figure, Result& result) {
  result.arrays.push_back(std::get<Heatmap>(figure.content).values);
  result.figures.push_back(std::move(figure));
}

Check check_of_losses(const std::vector<double>& losses) {
  Largest below;  // a NaN stays
  for (const double loss : losses) below.see(-loss);
  return {.name = "no_loss_is_negative",
          .statement = "no token is more than certain (how far a loss lies below 0)",
          .equation = "loss = −ln p",
          .measured = below.value(),
          .bound = 0};
}

void tell_longest(const PositionPlan& plan, std::int64_t read, Result& result) {
  if (plan.longest == 0) return;
  const FindingsOn all(result);
  all.scalar("longest", static_cast<double>(plan.longest),
             fmt::format(
                 "tokens of the longest sequences that the model's file names; {} were read", read),
             "tokens");
  if (read <= plan.longest) return;
  for (Figure& figure : result.figures)
    figure.title += fmt::format(", {} tokens, beyond the {} of its file", read, plan.longest);
}

void add_spread(const std::string& key, const Welch& of, const char* p_of, Result& result) {
  if (std::isnan(of.low)) return;
  const FindingsOn all(result);
  all.scalar(key + "_low", of.low, "lower end of its 95 % interval", "nats");
  all.scalar(key + "_high", of.high, "upper end", "nats");
  all.scalar(key + "_p", of.p, p_of);
}

}  // namespace orrery
