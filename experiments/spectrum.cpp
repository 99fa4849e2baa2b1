#include "experiments/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/analysis/decay.h"
#include "core/analysis/largest.h"
#include "core/analysis/spectrum.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/sinusoidal.h"
#include "experiments/figure/number_label.h"
#include "experiments/rope_params.h"
#include "experiments/shared_params.h"

namespace orrery {
namespace {

constexpr Index distances_at_once = 1 << 14;
constexpr double bins_an_octave = 24;  // fine enough for every swing that a slide can show
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

ParamSpec compare_param() {
  return {.key = "compare",
          .description = "Other spectra beside it; several are joined by +.",
          .kind = ParamKind::choice_list,
          .default_value = std::vector<std::string>{"base", "interpolation"},
          .choices = {{"none", "no other"},
                      {"base", "the same with another base"},
                      {"interpolation", "the same with every frequency divided by a factor"},
                      {"tensor2tensor", "sinusoids as first released: 1 to 1/base inclusive"}}};
}

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs{
      dim_param(128),
      {.key = "context",
       .symbol = "L",
       .unit = "tokens",
       .description = "Context length that the wavelengths are held against.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{8192},
       .min = 2,
       .max = 0x1p40,
       .logarithmic = true},
      {.key = "search",
       .unit = "tokens",
       .description = "Distances up to this are searched for the first with B_m < 0.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{65536},
       .min = 16,
       .max = 0x1p24,
       .logarithmic = true},
      compare_param(),
      {.key = "compare_base",
       .description = "Base of the spectrum beside it; 500000 is Llama 3's.",
       .kind = ParamKind::real,
       .default_value = 500000.0,
       .min = 1.001,
       .max = 1e12,
       .logarithmic = true,
       .used_when = Condition{"compare", {"base"}}},
      {.key = "factor",
       .symbol = "s",
       .description = "Factor of linear interpolation: how many times the context is stretched.",
       .kind = ParamKind::real,
       .default_value = 8.0,
       .min = 1.0,
       .max = 1e6,
       .logarithmic = true,
       .used_when = Condition{"compare", {"interpolation"}}}};
  for (ParamSpec& spec : rope_params()) specs.push_back(std::move(spec));
  return specs;
}

ExperimentInfo make_info() {
  return {.name = "spectrum",
          .version = 2,
          .title = "Wavelengths and context",
          .question = "Which pairs turn all the way round within the context, and which do not?",
          .equations = {"θ_t = base^(−2t/d)  (15)", "λ_t = 2π/θ_t, from 2π to 2π·base^((d−2)/d)",
                        "base = (L/2π)^(d/(d−2)): its longest wavelength is L",
                        "B_m = Σ_t cos(m θ_t): Men et al. 2024 (arXiv 2405.14591) end the context "
                        "that a base supports at the first m with B_m < 0"},
          .params = declared_params()};
}

/// One set of frequencies and what follows from it.
struct Tuning {
  std::string key{};    ///< in names of columns and scalars; empty for the one that is asked about
  std::string label{};  ///< in legends
  std::vector<double> theta{};
  int color{};
  LineStyle style{LineStyle::solid};
  Series B{};  ///< mean cos(m θ_t) by distance, binned
  std::optional<Position> first_negative{};

  std::vector<double> lambda() const { return wavelengths(theta); }
  /// Pairs with a frequency of their own: p-RoPE sets the last ones to 0.
  std::size_t turning() const {
    return static_cast<std::size_t>(
        std::count_if(theta.begin(), theta.end(), [](double f) { return f != 0; }));
  }
  double longest() const { return lambda()[turning() - 1]; }
  std::string named(const std::string& what) const { return key.empty() ? what : what + "_" + key; }
};

std::vector<Tuning> tunings_of(const ParamSet& params) {
  const Index d = params.integer("dim");
  const double base = params.real("base");
  const Rope<double> rope = rope_of(params, d);
  std::vector<Tuning> tunings{{.label = fmt::format("RoPE, base {}", number_text(base)),
                               .theta = rope.theta(),
                               .color = encoding_color("rope")}};
  for (const std::string& name : params.list("compare")) {
    if (name == "base") {
      ParamSet other = params;
      other.set_value("base", params.real("compare_base"));
      tunings.push_back({.key = "other_base",
                         .label = fmt::format("base {}", number_text(params.real("compare_base"))),
                         .theta = rope_of(other, d).theta(),
                         .color = encoding_color("rope") + 1});
    } else if (name == "interpolation") {
      const double factor = params.real("factor");
      tunings.push_back({.key = "interpolated",
                         .label = fmt::format("interpolated, θ/{}", number_text(factor)),
                         .theta = interpolated(rope.theta(), factor),
                         .color = encoding_color("rope") + 2,
                         .style = LineStyle::dashed});
    } else if (name == "tensor2tensor") {
      tunings.push_back(
          {.key = "tensor2tensor",
           .label = "tensor2tensor",
           .theta = Sinusoidal<double>(d, base, SinusoidalLayout::tensor2tensor).theta(),
           .color = encoding_color("sinusoidal"),
           .style = LineStyle::dotted});
    }
  }
  return tunings;
}

/// Mean, least and greatest of what falls into each bin of a logarithmic axis.
class LogBins {
 public:
  void add(double x, double y) {
    const auto bin = static_cast<Index>(std::floor(bins_an_octave * std::log2(x)));
    if (bin != bin_) flush();
    bin_ = bin;
    ++count_;
    x_ += x;
    y_ += y;
    low_ = smaller(low_, y);
    high_ = larger(high_, y);
  }
  Series finish() && {
    flush();
    return std::move(series_);
  }

 private:
  void flush() {
    if (count_ > 0) {
      series_.x.push_back(x_ / static_cast<double>(count_));
      series_.y.push_back(y_ / static_cast<double>(count_));
      series_.band_low.push_back(low_);
      series_.band_high.push_back(high_);
    }
    count_ = 0;
    x_ = y_ = 0;
    low_ = std::numeric_limits<double>::infinity();
    high_ = -low_;
  }

  Series series_{};
  Index bin_{-1};
  Index count_{0};
  double x_{}, y_{};
  double low_{std::numeric_limits<double>::infinity()};
  double high_{-std::numeric_limits<double>::infinity()};
};

/// B_m/(d/2) from m = 1 to the end of the search, and where B_m is first negative.
void follow_B(Tuning& tuning, Index last, Progress& progress, double from, double to) {
  const auto pairs = static_cast<double>(tuning.theta.size());
  LogBins bins;
  for (Index first = 1; first <= last; first += distances_at_once) {
    const double done = static_cast<double>(first - 1) / static_cast<double>(last);
    checkpoint(progress, from + (to - from) * done, "B_m of " + tuning.label);
    const Index count = std::min<Index>(distances_at_once, last + 1 - first);
    const std::vector<double> B = decay_curve(tuning.theta, first, count).B;
    for (std::size_t i = 0; i < B.size(); ++i)
      bins.add(static_cast<double>(first) + static_cast<double>(i), B[i] / pairs);
    const auto negative = first_negative(B);
    if (negative && !tuning.first_negative)
      tuning.first_negative = first + static_cast<Position>(*negative);
  }
  tuning.B = std::move(bins).finish();
  tuning.B.name = tuning.label;
  tuning.B.color = tuning.color;
}

/// A pair that never turns has no place on the axis.
std::vector<double> drawn(std::vector<double> lambda) {
  for (double& l : lambda)
    if (!std::isfinite(l)) l = missing;
  return lambda;
}

std::vector<double> counted(std::size_t count) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(i);
  return numbers;
}

Figure wavelength_figure(const ParamSet& params, const std::vector<Tuning>& tunings) {
  LinePlot plot{.x = {.label = "pair", .symbol = "t"},
                .y = {.label = "wavelength",
                      .symbol = "λ_t = 2π/θ_t",
                      .unit = "tokens",
                      .scale = AxisScale::log10}};
  for (const Tuning& tuning : tunings)
    plot.series.push_back({.name = tuning.label,
                           .x = counted(tuning.theta.size()),
                           .y = drawn(tuning.lambda()),
                           .style = tuning.style,
                           .color = tuning.color});
  const auto context = static_cast<double>(params.integer("context"));
  plot.rules.push_back({Rule::Direction::horizontal, context,
                        fmt::format("context: {} tokens", params.integer("context"))});
  const Index beyond = pairs_beyond(tunings[0].theta, context);
  return {"wavelengths",
          fmt::format("{} of {} pairs turn less than once within {} tokens", beyond,
                      tunings[0].theta.size(), params.integer("context")),
          caption_of(params), std::move(plot)};
}

Figure sum_figure(const ParamSet& params, const std::vector<Tuning>& tunings) {
  LinePlot plot{.x = {.label = "relative distance",
                      .symbol = "m",
                      .unit = "tokens",
                      .scale = AxisScale::log2},
                .y = {.label = "mean cosine", .symbol = "B_m/(d/2)"}};
  for (const Tuning& tuning : tunings) {
    plot.series.push_back(tuning.B);
    if (tuning.first_negative)
      plot.rules.push_back({Rule::Direction::vertical, static_cast<double>(*tuning.first_negative),
                            fmt::format("{}: {}", tuning.label, *tuning.first_negative)});
  }
  plot.rules.push_back({Rule::Direction::horizontal, 0.0, ""});
  return {"sum_of_cosines", "The sum of cosines Bₘ by distance, and where it is first negative",
          "there arXiv 2405.14591 ends the context · mean over neighbouring distances, band from "
          "least to greatest · " +
              caption_of(params),
          std::move(plot)};
}

std::string place_text(const std::optional<Position>& place, Index search) {
  return place ? fmt::format("{}", *place) : fmt::format("> {}", search);
}

Figure summary_figure(const ParamSet& params, const std::vector<Tuning>& tunings) {
  TableFigure table{
      .header = {"frequencies", "pairs", "longest λ", "λ > context", "first m with Bₘ < 0"}};
  const auto context = static_cast<double>(params.integer("context"));
  for (const Tuning& tuning : tunings)
    table.rows.push_back({tuning.label, fmt::format("{}", tuning.theta.size()),
                          decimal_label(tuning.longest(), 1),
                          fmt::format("{}", pairs_beyond(tuning.theta, context)),
                          place_text(tuning.first_negative, params.integer("search"))});
  return {"spectra",
          fmt::format("Spectra against a context of {} tokens", params.integer("context")),
          caption_of(params), std::move(table)};
}

/// Channels that the frequencies' exponents count: base^(−2t/channels).
Index channels_of(const Tuning& tuning) { return 2 * static_cast<Index>(tuning.theta.size()); }

void add_scalars(const Tuning& tuning, const ParamSet& params, std::vector<Scalar>& scalars) {
  const auto context = static_cast<double>(params.integer("context"));
  scalars.push_back({.name = tuning.named("longest_wavelength"),
                     .symbol = "λ_max",
                     .unit = "tokens",
                     .value = tuning.longest(),
                     .description = tuning.label + ": one turn of the slowest pair that turns"});
  scalars.push_back(
      {.name = tuning.named("pairs_beyond_context"),
       .unit = "pairs",
       .value = static_cast<double>(pairs_beyond(tuning.theta, context)),
       .description = tuning.label + ": pairs that turn less than once within the context"});
  scalars.push_back(
      {.name = tuning.named("first_negative_B"),
       .symbol = "B_m < 0",
       .unit = "tokens",
       .value = tuning.first_negative ? static_cast<double>(*tuning.first_negative) : missing,
       .description = tuning.label + ": " +
                      first_negative_text(tuning.first_negative, params.integer("search"))});
}

double relative_error(double measured, double exact) { return std::abs(measured / exact - 1.0); }

/// Rounding of 2π/base^(−2t/d): a few operations, and the exponent's own, which ln λ magnifies.
double wavelength_rounding(double lambda) { return (4.0 + std::log(lambda)) * 0x1p-52; }

double least_ratio(const std::vector<double>& lambda, std::size_t turning) {
  Smallest least(std::numeric_limits<double>::infinity());
  for (std::size_t t = 1; t < turning; ++t) least.see(lambda[t] / lambda[t - 1]);
  return least.value();
}

/// Of the formula's frequencies, whatever stretches them afterwards.
std::vector<Check> formula_checks(const Tuning& tuning, const ParamSet& params) {
  constexpr double two_pi = 2.0 * std::numbers::pi;
  const auto d = static_cast<double>(channels_of(tuning));
  const std::vector<double> lambda = tuning.lambda();
  const std::size_t last = tuning.turning() - 1;
  const double expected =
      two_pi * std::pow(params.real("base"), 2.0 * static_cast<double>(last) / d);
  std::vector<Check> checks{
      {.name = "first_wavelength",
       .statement = "the fastest pair comes round in 2π tokens (relative error)",
       .equation = "eq. (15)",
       .measured = relative_error(lambda.front(), two_pi),
       .bound = wavelength_rounding(two_pi)},
      {.name = "last_wavelength",
       .statement = "the slowest in 2π·base^(2t/d), t the last pair that turns (relative error)",
       .equation = "eq. (15)",
       .measured = relative_error(lambda[last], expected),
       .bound = wavelength_rounding(expected)}};
  if (last > 0)
    checks.push_back({.name = "wavelengths_grow",
                      .statement = "each pair turns more slowly than the one before (least ratio)",
                      .equation = "eq. (15)",
                      .measured = least_ratio(lambda, tuning.turning()),
                      .relation = Relation::at_least,
                      .bound = 1.0});
  return checks;
}

/// The base whose longest wavelength is the context, that it is, and where B_m is first negative
/// with it: the two criteria differ.
void add_base_reaching(const Tuning& tuning, const ParamSet& params, Progress& progress,
                       Result& result) {
  const auto context = static_cast<double>(params.integer("context"));
  const auto base = base_reaching(channels_of(tuning), context);
  result.scalars.push_back(
      {.name = "base_reaching_context",
       .value = base.value_or(missing),
       .description = "base whose longest wavelength is the context, with as many pairs"});
  if (!base) return;
  Tuning slowest{.label = "the base whose longest wavelength is the context",
                 .theta = inverse_frequencies(channels_of(tuning), *base)};
  const Index search = params.integer("search");
  follow_B(slowest, search, progress, 1.0, 1.0);
  result.scalars.push_back(
      {.name = "first_negative_B_reaching_context",
       .symbol = "B_m < 0",
       .unit = "tokens",
       .value = slowest.first_negative ? static_cast<double>(*slowest.first_negative) : missing,
       .description = "with that base: " + first_negative_text(slowest.first_negative, search)});
  const double reached = wavelengths(slowest.theta).back();
  result.checks.push_back({.name = "base_reaching_context",
                           .statement = "with the base whose longest wavelength is the context, "
                                        "the slowest pair takes all of it for one turn (relative "
                                        "error)",
                           .equation = "base = (L/2π)^(d/(d−2))",
                           .measured = relative_error(reached, context),
                           .bound = 2.0 * wavelength_rounding(context)});
}

void add_comparison_checks(const std::vector<Tuning>& tunings, const ParamSet& params,
                           std::vector<Check>& checks) {
  for (const Tuning& tuning : tunings) {
    if (tuning.key == "tensor2tensor" && tuning.theta.size() > 1) {
      const double expected = 2.0 * std::numbers::pi * params.real("base");
      checks.push_back({.name = "tensor2tensor_reaches_base",
                        .statement = "tensor2tensor's slowest pair takes 2π·base (relative error)",
                        .equation = "θ_t = base^(−t/(d/2−1))",
                        .measured = relative_error(tuning.longest(), expected),
                        .bound = wavelength_rounding(expected)});
    }
    if (tuning.key == "interpolated")
      checks.push_back({.name = "interpolation_stretches",
                        .statement = "interpolation stretches the longest wavelength by its factor",
                        .equation = "λ_t → s·λ_t",
                        .measured = relative_error(tuning.longest(),
                                                   params.real("factor") * tunings[0].longest()),
                        .bound = wavelength_rounding(1.0)});
  }
}

/// One line a pair; spectra of fewer pairs end in NaN.
Table pair_table(const std::vector<Tuning>& tunings) {
  std::size_t rows = 0;
  for (const Tuning& tuning : tunings) rows = std::max<std::size_t>(rows, tuning.theta.size());
  Table table{.name = "pairs",
              .caption = "frequency and wavelength of each pair; inf where it never turns",
              .columns = {{"pair", "", counted(rows)}}};
  for (const Tuning& tuning : tunings) {
    std::vector<double> theta = tuning.theta, lambda = tuning.lambda();
    theta.resize(rows, missing);
    lambda.resize(rows, missing);
    table.columns.push_back({tuning.named("theta"), "rad per token", std::move(theta)});
    table.columns.push_back({tuning.named("wavelength"), "tokens", std::move(lambda)});
  }
  return table;
}

}  // namespace

const ExperimentInfo& Spectrum::info() const {
  static const ExperimentInfo info = make_info();
  return info;
}

Result Spectrum::run(const ParamSet& params, const Inputs&, Progress& progress) const {
  checkpoint(progress, 0.0, "frequencies");
  std::vector<Tuning> tunings = tunings_of(params);
  const double share = 1.0 / static_cast<double>(tunings.size());
  for (std::size_t i = 0; i < tunings.size(); ++i)
    follow_B(tunings[i], params.integer("search"), progress, share * static_cast<double>(i),
             share * static_cast<double>(i + 1));
  Result result{.provenance = provenance_of(info(), params)};
  for (const Tuning& tuning : tunings) add_scalars(tuning, params, result.scalars);
  result.checks = formula_checks(tunings[0], params);
  add_base_reaching(tunings[0], params, progress, result);
  add_comparison_checks(tunings, params, result.checks);
  result.figures.push_back(wavelength_figure(params, tunings));
  result.figures.push_back(sum_figure(params, tunings));
  result.figures.push_back(summary_figure(params, tunings));
  result.tables.push_back(pair_table(tunings));
  return result;
}

}  // namespace orrery
