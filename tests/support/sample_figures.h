#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery::test {

inline std::vector<double> counting(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
  return values;
}

/// Mean of the partial sums |S_j| of equation (37), for r = 0 … count − 1.
inline std::vector<double> decay(double base, int d, std::size_t count) {
  std::vector<double> curve;
  for (std::size_t r = 0; r < count; ++r) {
    std::complex<double> sum{};
    double total = 0.0;
    for (int i = 0; i < d / 2; ++i) {
      sum += std::polar(1.0, static_cast<double>(r) * std::pow(base, -2.0 * i / d));
      total += std::abs(sum);
    }
    curve.push_back(total / (d / 2.0));
  }
  return curve;
}

inline Figure decay_figure() {
  LinePlot plot;
  plot.x = {"relative distance", "$m − n$", "tokens", AxisScale::linear, 1.0, {}};
  plot.y = {"mean partial sum", "$|S_j|$", "", AxisScale::linear, 1.0, {}};
  const std::vector<std::pair<std::string, double>> bases{
      {"base 10²", 1e2}, {"base 10⁴", 1e4}, {"base 5×10⁵", 5e5}};
  for (const auto& [name, base] : bases) {
    Series series;
    series.name = "RoPE, " + name;
    series.x = counting(251);
    series.y = decay(base, 128, 251);
    series.color = static_cast<int>(plot.series.size());
    plot.series.push_back(series);
  }
  for (const double y : plot.series[1].y) {
    plot.series[1].band_low.push_back(0.9 * y);
    plot.series[1].band_high.push_back(1.1 * y);
  }
  plot.series[2].style = LineStyle::dashed;
  plot.rules.push_back({Rule::Direction::horizontal, 16.0, "half of the value at 0"});
  plot.rules.push_back({Rule::Direction::vertical, 128.0, "training length"});
  return {"long_term_decay", "Long-term decay of the bound on RoPE scores",
          "$d$ = 128, $q = k$ = 1; the bound of equation (37). Shaded: spread over 32 draws.",
          plot};
}

/// Errors over sixteen decades, some of them 0, one NaN.
inline Figure error_figure() {
  LinePlot plot;
  plot.x = {"shift", "$s$", "tokens", AxisScale::log2, 1.0, {}};
  plot.y = {"largest error of a score", "", "", AxisScale::log10, 1.0, {}};
  for (int k = 0; k < 4; ++k) {
    Series series;
    series.name =
        std::vector<std::string>{"fp64", "fp32", "bf16", "sinusoidal"}[static_cast<std::size_t>(k)];
    for (int i = 0; i <= 16; ++i) {
      series.x.push_back(std::exp2(i));
      const bool zero = k == 0 && i % 5 == 2;
      series.y.push_back(zero ? 0.0 : std::pow(10.0, -16.0 + 6.0 * k + 0.1 * (i * 7 % 5)));
    }
    if (k == 1) series.y[7] = std::numeric_limits<double>::quiet_NaN();
    if (k == 2) series.style = LineStyle::points;
    series.color = k;
    plot.series.push_back(series);
  }
  plot.rules.push_back({Rule::Direction::horizontal, 1.2e-7, "one ulp of fp32"});
  return {"relative_invariance", "Relative encodings do not see a shift",
          "Errors of 0 have no place on a logarithmic axis.", plot};
}

inline std::shared_ptr<const Array> matrix(std::size_t rows, std::size_t columns,
                                           std::vector<float> values) {
  auto array = std::make_shared<Array>();
  array->shape = {rows, columns};
  array->values = std::move(values);
  return array;
}

/// Causal weights of `n` tokens; the upper triangle is masked.
inline Figure attention_figure(std::size_t n) {
  std::vector<float> weights, masked;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto distance = static_cast<float>(i - j);
      weights.push_back(j <= i ? std::exp2(-1.0F - distance) : 0.0F);
      masked.push_back(j > i ? 1.0F : 0.0F);
    }
  }
  Heatmap map;
  map.values = matrix(n, n, weights);
  map.masked = matrix(n, n, masked);
  map.x = {"key", "$n$", "", AxisScale::linear, 1.0, {}};
  map.y = {"query", "$m$", "", AxisScale::linear, 1.0, {}};
  map.quantity = "attention weight";
  map.symbol = "$a_{mn}$";
  const std::vector<std::string> words{"the", "working", "model", "turns", "and", "transformers"};
  for (std::size_t i = 0; i < n; ++i) map.column_labels.push_back(words[i % words.size()]);
  map.row_labels = map.column_labels;
  return {"attention_map", "Causal attention, head 3", "ALiBi, slope 1/2; masked cells in grey.",
          map};
}

/// A signed map with a block of NaN.
inline Figure signed_figure(std::size_t n) {
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double r = static_cast<double>(i) - static_cast<double>(j);
      values.push_back(static_cast<float>(std::cos(0.15 * r) * std::exp(-std::abs(r) / 120.0)));
    }
  }
  for (std::size_t i = 0; i < n / 8; ++i) values[i] = std::numeric_limits<float>::quiet_NaN();
  Heatmap map;
  map.values = matrix(n, n, values);
  map.meaning = Meaning::diverging;
  map.x = {"key position", "$n$", "tokens", AxisScale::linear, 1.0, {}};
  map.y = {"query position", "$m$", "tokens", AxisScale::linear, 1.0, {}};
  map.quantity = "logit";
  return {"score", "A signed map", "500 tokens.", map};
}

/// Phasors laid end to end; their sum is the score.
inline Figure chain_figure() {
  VectorPlot plot;
  plot.x = {"real part", "", "", AxisScale::linear, 1.0, {}};
  plot.y = {"imaginary part", "", "", AxisScale::linear, 1.0, {}};
  plot.quantity = "pair index $t$";
  std::complex<double> end{};
  for (int t = 0; t < 32; ++t) {
    const std::complex<double> next = end + std::polar(1.0, 9.0 * std::pow(1e4, -t / 32.0));
    plot.arrows.push_back({end.real(), end.imag(), next.real(), next.imag(), double(t)});
    end = next;
  }
  plot.sum = Arrow{0.0, 0.0, end.real(), end.imag(), 0.0};
  return {"rotation", "The phasor chain whose sum is the score", "$m − n$ = 9, $d$ = 64.", plot};
}

inline Figure table_figure() {
  TableFigure table;
  table.header = {"encoding", "where it enters", "parameters", "error"};
  table.rows = {{"sinusoidal", "input term", "0", "1.2×10⁻³"},
                {"learned", "input term", "65536", "—"},
                {"RoPE", "transform of q and k", "0", "2.2×10⁻¹⁶"},
                {"Shaw", "score terms and value term", "4160", "3.1×10⁻¹⁶"}};
  return {"comparison", "What the encodings have in common", "Errors over 1000 shifts.", table};
}

/// A map of `n` tokens in an equation, and its profile.
inline MapTerm equation_term(const std::string& relation, const std::string& name, std::size_t n,
                             double slope, double content, LinePlot& profiles) {
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double r = static_cast<double>(i) - static_cast<double>(j);
      values.push_back(
          static_cast<float>(slope * std::abs(r) + content * std::sin(static_cast<double>(i * j))));
    }
  Series profile{.name = name};
  for (int r = 1 - static_cast<int>(n); r < static_cast<int>(n); ++r) {
    const double mean = slope * std::abs(r);
    profile.x.push_back(r);
    profile.y.push_back(mean);
    profile.band_low.push_back(mean - content);
    profile.band_high.push_back(mean + content);
  }
  profiles.series.push_back(std::move(profile));
  const double largest = 0.5 * static_cast<double>(n) + 1.0;
  return {.relation = relation,
          .symbol = R"(\mathbf{q} \cdot \mathbf{k})",
          .name = name,
          .map = {.values = matrix(n, n, values),
                  .x = {.label = "key", .symbol = "$n$", .role = AxisRole::key_position},
                  .y = {.label = "query", .symbol = "$m$", .role = AxisRole::query_position},
                  .quantity = "logit",
                  .meaning = Meaning::diverging,
                  .range = Range{-largest, largest}},
          .spread = 2 * content,
          .rounding = 1e-15};
}

/// "logit = content + bias → weight", of which content is drawn larger and weight has its own
/// colours.
inline Figure equation_figure(std::size_t n) {
  MapEquation equation{.profiles = {.x = {.label = "relative distance",
                                          .symbol = "$m − n$",
                                          .role = AxisRole::relative_distance},
                                    .y = {.label = "along each diagonal"}}};
  LinePlot& profiles = equation.profiles;
  equation.terms.push_back(equation_term("", "logit", n, -0.5, 0.01, profiles));
  equation.terms.push_back(equation_term("=", "content", n, 0.0, 0.01, profiles));
  equation.terms.push_back(equation_term("+", "bias", n, -0.5, 0.0, profiles));
  equation.terms.push_back(equation_term(R"(\to)", "weight", n, 0.1, 0.2, profiles));
  equation.terms[1].factor = 200.0;
  equation.terms[3].step = "softmax";
  equation.terms[3].map.quantity = "weight";
  equation.terms[3].map.meaning = Meaning::sequential;
  equation.terms[3].map.range = Range{0.0, 1.0};
  return {"equation", "The logit is the sum of its terms", "Content is drawn ×200.",
          std::move(equation)};
}

inline std::vector<Figure> sample_figures() {
  return {decay_figure(),     error_figure(), attention_figure(9), attention_figure(60),
          signed_figure(120), chain_figure(), table_figure(),      equation_figure(12)};
}

}  // namespace orrery::test
