#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/analysis/largest.h"
#include "core/encodings/common_formulas.h"
#include "core/encodings/frequencies.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/rope_params.h"
#include "experiments/studies/spectrum/tunings.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {
namespace in_spectrum {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

ExperimentInfo make_info() {
  return {
      .name = "spectrum",
      .version = 2,
      .title = "Wavelengths and context",
      .question = "Which pairs complete a rotation within the context, and which do not?",
      .formulas =
          {frequency_formula,
           {R"(\lambda_t = \frac{2\pi}{\theta_t})", ""},
           {R"(2\pi \le \lambda_t \le 2\pi \, \mathrm{base}^{(d-2)/d})", "", in_descriptions},
           {R"(\mathrm{base} = (L/2\pi)^{d/(d-2)}: \text{ its longest wavelength is } L)", "",
            in_descriptions},
           {R"(B_m = \sum_t \cos(m\theta_t): \text{ the context that a base supports ends at the first } m \text{ with } B_m < 0)",
            "Men et al. 2024, arXiv 2405.14591", in_descriptions}},
      .symbols = {frequency_meaning, {"λ_t", "wavelength of a pair of channels, in tokens"}},
      .params = joined(
          {{dim_param(128),
            with_role(ParamRole::context,
                      log_count_param({"context", "$L$", "tokens"},
                                      "Context length with which the wavelengths are compared.",
                                      8192, 2, 0x1p40)),
            log_count_param({"search", "", "tokens"},
                            "Distances up to this are searched for the first with $B_m < 0$.",
                            65536, 16, 0x1p24),
            choices_param("compare", "Other spectra beside it; several are joined by +.",
                          {"base", "interpolation"},
                          {{"none", "no other"},
                           {"base", "the same with another base"},
                           {"interpolation", "the same with every frequency divided by a factor"},
                           {"unscaled", "the same without rope.scaling"},
                           {"tensor2tensor",
                            "sinusoids as first released: 1 to $1/\\mathrm{base}$ inclusive"}}),
            read_while("compare", {"base"},
                       log_real_param("compare_base",
                                      "Base of the spectrum beside it; 500000 is Llama 3's.",
                                      500000, 1.001, 1e12)),
            read_while(
                "compare", {"interpolation"},
                log_real_param({"factor", "$s$"},
                               "Factor of linear interpolation: how many times the context is "
                               "stretched.",
                               8, 1, 1e6))},
           rope_params()}),
      .view = {.layout = ViewLayout::side_by_side,
               .left = "wavelengths",
               .right = "sum_of_cosines",
               .controls = {"base", "dim", "context", "factor"}},
      .questions =
          {{.words = "What does a base of 500000 do?",
            .answer =
                "A larger base slows every pair but the first: the line of wavelengths becomes "
                "steeper, and more of it lies above the context. Move base to compare another one.",
            .settings = {{"compare", "base"}},
            .control = "base"}},
      .ignored = {{.keys = {"rope.pairing"}},
                  {.figures = {"wavelengths"}, .keys = {"search"}},
                  {.figures = {"sum_of_cosines"}, .keys = {"context"}}}};
}

Figure wavelength_figure(const ParamSet& params, const std::vector<Tuning>& tunings) {
  LinePlot plot{.x = {.label = "pair", .symbol = "$t$", .role = AxisRole::pair},
                .y = {.label = "wavelength",
                      .symbol = "$λ_t = 2π/θ_t$",
                      .unit = "tokens",
                      .scale = AxisScale::log10}};
  for (const Tuning& tuning : tunings) {
    std::vector<double> lambda = tuning.lambda();
    for (double& l : lambda)
      if (!std::isfinite(l)) l = missing;  // a pair that does not rotate
    plot.series.push_back(named({.x = count_from_0(tuning.theta.size()),
                                 .y = std::move(lambda),
                                 .style = tuning.style,
                                 .color = tuning.color,
                                 .shade = tuning.shade},
                                tuning.label));
  }
  const auto context = static_cast<double>(params.integer("context"));
  plot.rules.push_back(
      horizontal(context, fmt::format("context: {} tokens", params.integer("context")), "context"));
  std::string title =
      fmt::format("{} of {} wavelengths exceed {}", pairs_beyond(tunings[0].theta, context),
                  tunings[0].theta.size(), params.integer("context"));
  for (std::size_t i = 1; i < tunings.size(); ++i)
    title += fmt::format("{} {}: {}", i == 1 ? ";" : ",", tunings[i].words(),
                         pairs_beyond(tunings[i].theta, context));
  return {"wavelengths", std::move(title), caption_of(params), std::move(plot)};
}

Figure sum_figure(const ParamSet& params, const std::vector<Tuning>& tunings) {
  Axis distance = distance_axis(AxisScale::log2);
  distance.symbol = "$m$";
  LinePlot plot{.x = std::move(distance), .y = {.label = "mean cosine", .symbol = "$B_m/(d/2)$"}};
  for (const Tuning& tuning : tunings) {
    plot.series.push_back(tuning.B);
    if (tuning.first_negative)
      plot.rules.push_back(vertical(static_cast<double>(*tuning.first_negative),
                                    fmt::format("{}: {}", tuning.label, *tuning.first_negative)));
  }
  plot.rules.push_back(horizontal(0));
  std::string title;
  for (const Tuning& tuning : tunings) {
    const bool first = &tuning == tunings.data();
    const std::string where =
        tuning.first_negative ? fmt::format("{}", *tuning.first_negative) : "nowhere here";
    title +=
        first ? fmt::format("$B_m$ turns negative {}{}", tuning.first_negative ? "at " : "", where)
              : fmt::format("{} {}: {}", &tuning == &tunings[1] ? ";" : ",", tuning.words(), where);
  }
  return {"sum_of_cosines", std::move(title),
          "there arXiv 2405.14591 ends the context · mean over neighbouring distances, band from "
          "least to greatest · " +
              caption_of(params),
          std::move(plot)};
}

Figure summary_figure(const ParamSet& params, const std::vector<Tuning>& tunings) {
  TableFigure table{.header = {"frequencies", "pairs", "longest $λ$", "$λ$ > context",
                               "first $m$ with $Bₘ < 0$"}};
  const auto context = static_cast<double>(params.integer("context"));
  for (const Tuning& tuning : tunings)
    table.rows.push_back({plain_text(tuning.label), fmt::format("{}", tuning.theta.size()),
                          decimal_label(tuning.longest(), 1),
                          fmt::format("{}", pairs_beyond(tuning.theta, context)),
                          tuning.first_negative ? fmt::format("{}", *tuning.first_negative)
                                                : fmt::format("> {}", params.integer("search"))});
  return {"spectra",
          fmt::format("Spectra against a context of {} tokens", params.integer("context")),
          caption_of(params), std::move(table)};
}

/// Channels that the frequencies' exponents count: base^(−2t/channels).
Index channels_of(const Tuning& tuning) { return 2 * static_cast<Index>(tuning.theta.size()); }

double place_of(const Tuning& tuning) {
  return tuning.first_negative ? static_cast<double>(*tuning.first_negative) : missing;
}

void add_scalars(const Tuning& tuning, const ParamSet& params, Result& result) {
  const auto context = static_cast<double>(params.integer("context"));
  const FindingsOn of(result, "", tuning.label);
  of.scalar(tuning.named("longest_wavelength"), tuning.longest(),
            "wavelength of the slowest pair that rotates", "tokens", "$λ_\\mathrm{max}$");
  of.scalar(tuning.named("pairs_beyond_context"),
            static_cast<double>(pairs_beyond(tuning.theta, context)),
            "pairs that complete less than one rotation within the context", "pairs");
  of.scalar(tuning.named("first_negative_B"), place_of(tuning),
            first_negative_text(tuning.first_negative, params.integer("search")), "tokens",
            "$B_m < 0$");
}

double relative_error(double measured, double exact) { return std::abs(measured / exact - 1.0); }

/// Rounding of 2π/base^(−2t/d): a few operations, and the exponent's own, which ln λ magnifies.
double wavelength_rounding(double lambda) { return (4.0 + std::log(lambda)) * 0x1p-52; }

/// A scaling stretches wavelengths; these by at most s.
void check_scaling(const Tuning& tuning, const ParamSet& params, Result& result) {
  const Tuning plain = unscaled_tuning(params);
  Smallest least(std::numeric_limits<double>::infinity());
  Largest most;
  for (std::size_t t = 0; t < tuning.turning(); ++t) {
    least.see(plain.theta[t] / tuning.theta[t]);
    most.see(plain.theta[t] / tuning.theta[t]);
  }
  const double rounding = wavelength_rounding(plain.longest());
  const FindingsOn all(result);
  all.at_least("no_pair_is_faster",
               "scaling leaves no pair with a shorter wavelength (least ratio to that without)",
               "$λ_t(\\mathrm{scaled}) ≥ λ_t$", least.value(), 1.0 - rounding);
  const std::string& kind = params.text("rope.scaling");
  if (kind != "dynamic_ntk" && kind != "longrope" && kind != "factors")
    all.at_most("stretched_by_at_most_s",
                "no wavelength is stretched by more than the factor $s$ (largest ratio to that "
                "without)",
                "$λ_t(\\mathrm{scaled}) ≤ s·λ_t$", most.value(),
                params.real("rope.factor") * (1.0 + rounding));
}

/// Checks of the formula's frequencies, before any scaling.
void check_formula(const Tuning& tuning, const ParamSet& params, Result& result) {
  constexpr double two_pi = 2.0 * std::numbers::pi;
  const auto d = static_cast<double>(channels_of(tuning));
  const std::vector<double> lambda = tuning.lambda();
  const std::size_t last = tuning.turning() - 1;
  const double expected =
      two_pi * std::pow(params.real("base"), 2.0 * static_cast<double>(last) / d);
  Smallest least(std::numeric_limits<double>::infinity());
  for (std::size_t t = 1; t <= last; ++t) least.see(lambda[t] / lambda[t - 1]);
  const FindingsOn all(result);
  all.at_most("first_wavelength",
              "the fastest pair has the wavelength $2π$ tokens (relative error)", "eq. (15)",
              relative_error(lambda.front(), two_pi), wavelength_rounding(two_pi));
  all.at_most("last_wavelength",
              "the slowest pair has $2π·\\mathrm{base}^{2t/d}$, $t$ the last pair that rotates "
              "(relative error)",
              "eq. (15)", relative_error(lambda[last], expected), wavelength_rounding(expected));
  if (last > 0)
    all.at_least("wavelengths_grow",
                 "each pair rotates more slowly than the one before (least ratio)", "eq. (15)",
                 least.value(), 1);
}

/// The base whose longest wavelength is the context, that it is, and where B_m is first negative
/// with it: the two criteria differ.
void add_base_reaching(const Tuning& tuning, const ParamSet& params, Progress& progress,
                       Result& result) {
  const auto context = static_cast<double>(params.integer("context"));
  const auto base = base_reaching(channels_of(tuning), context);
  const FindingsOn all(result);
  all.scalar("base_reaching_context", base.value_or(missing),
             "base whose longest wavelength is the context, with the same number of pairs");
  if (!base) return;
  Tuning slowest{.label = "the base whose longest wavelength is the context",
                 .theta = inverse_frequencies(channels_of(tuning), *base)};
  const Index search = params.integer("search");
  SubProgress at_end(progress, 1.0, 1.0);
  follow_B(slowest, search, at_end);
  all.scalar("first_negative_B_reaching_context", place_of(slowest),
             "with that base: " + first_negative_text(slowest.first_negative, search), "tokens",
             "$B_m < 0$");
  const double reached = wavelengths(slowest.theta).back();
  all.at_most(
      "base_reaching_context",
      "with the base whose longest wavelength is the context, the slowest pair rotates once "
      "within it (relative error)",
      "$\\mathrm{base} = (L/2π)^{d/(d−2)}$", relative_error(reached, context),
      2.0 * wavelength_rounding(context));
}

void check_comparisons(const std::vector<Tuning>& tunings, const ParamSet& params, Result& result) {
  const FindingsOn all(result);
  for (const Tuning& tuning : tunings) {
    if (tuning.key == "tensor2tensor" && tuning.theta.size() > 1) {
      const double expected = 2.0 * std::numbers::pi * params.real("base");
      all.at_most("tensor2tensor_reaches_base",
                  "tensor2tensor's slowest pair takes $2π·\\mathrm{base}$ (relative error)",
                  "$θ_t = \\mathrm{base}^{−t/(d/2−1)}$", relative_error(tuning.longest(), expected),
                  wavelength_rounding(expected));
    }
    if (tuning.key == "interpolated")
      all.at_most("interpolation_stretches",
                  "interpolation stretches the longest wavelength by its factor", "$λ_t → s·λ_t$",
                  relative_error(tuning.longest(), params.real("factor") * tunings[0].longest()),
                  wavelength_rounding(1.0));
  }
}

/// One row per pair; spectra of fewer pairs end in NaN.
Table pair_table(const std::vector<Tuning>& tunings) {
  std::size_t rows = 0;
  for (const Tuning& tuning : tunings) rows = std::max<std::size_t>(rows, tuning.theta.size());
  Table table{.name = "pairs",
              .caption = "frequency and wavelength of each pair; inf where it does not rotate",
              .columns = {{"pair", "", count_from_0(rows)}}};
  for (const Tuning& tuning : tunings) {
    std::vector<double> theta = tuning.theta, lambda = tuning.lambda();
    theta.resize(rows, missing);
    lambda.resize(rows, missing);
    table.columns.push_back({tuning.named("theta"), "rad per token", std::move(theta)});
    table.columns.push_back({tuning.named("wavelength"), "tokens", std::move(lambda)});
  }
  return table;
}

void check_work(const ParamSet& params) {
  constexpr double operations_per_cosine = 9;  // by recurrence
  const auto search = static_cast<double>(params.integer("search"));
  const auto pairs = static_cast<double>(params.integer("dim")) / 2;
  const auto tunings = static_cast<double>(2 + params.list("compare").size());
  check_operations(fmt::format("search={} with dim={}", search, 2 * pairs),
                   search * pairs * tunings * operations_per_cosine, "lower search or dim");
}

Result compute(const ParamSet& params, const Inputs&, Progress& progress) {
  checkpoint(progress, 0.0, "frequencies");
  std::vector<Tuning> tunings = tunings_of(params);
  for (std::size_t i = 0; i < tunings.size(); ++i) {
    SubProgress part = equal_part(progress, i, tunings.size());
    follow_B(tunings[i], params.integer("search"), part);
  }
  Result result;
  for (const Tuning& tuning : tunings) add_scalars(tuning, params, result);
  const bool scaled = params.text("rope.scaling") != "none";
  if (scaled)
    FindingsOn(result).scalar(
        "attention_factor", rope_of(params, params.integer("dim")).attention_factor(),
        "the scaling multiplies $q$ and $k$ by $a$, and so logits by $a²$", "", "$a$");
  (scaled ? check_scaling : check_formula)(tunings[0], params, result);
  add_base_reaching(tunings[0], params, progress, result);
  check_comparisons(tunings, params, result);
  result.figures.push_back(wavelength_figure(params, tunings));
  result.figures.push_back(sum_figure(params, tunings));
  result.figures.push_back(summary_figure(params, tunings));
  result.tables.push_back(pair_table(tunings));
  return result;
}

}  // namespace in_spectrum
}  // namespace

Experiment spectrum_experiment() {
  using namespace in_spectrum;
  return with_provenance(make_info(), compute, check_work);
}

}  // namespace orrery
