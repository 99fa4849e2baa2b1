#include "experiments/setup/map_equation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/setup/common_axes.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double faint_share = 0.1;  ///< of the largest value: fainter than this hides its pattern

/// The largest magnitude among the map's finite, unmasked cells.
double largest_cell(const Heatmap& map) {
  Largest largest;
  for (std::size_t i = 0; i < map.values->size(); ++i) {
    const double value = (*map.values)[i];
    const bool masked = map.masked && (*map.masked)[i] != 0.0;
    if (!masked && std::isfinite(value)) largest.see(std::abs(value));
  }
  return largest.value();
}

/// The largest of 1, 2 and 5 times a power of ten that is not above `most`.
double round_factor(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (const double digit : {5.0, 2.0})
    if (digit * power <= most) return digit * power;
  return power;
}

/// A largest value that a map of the same quantity has.
double largest_of_quantity(const std::vector<EquationPart>& parts,
                           const std::vector<double>& largest, const Heatmap& map) {
  Largest most;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].map.quantity == map.quantity && parts[i].map.meaning == map.meaning)
      most.see(largest[i]);
  return most.value();
}

double factor_of(double largest, double common, double rounding, Factors factors) {
  const bool seen = largest > rounding && std::isfinite(common / largest);
  const bool wanted = factors == Factors::of_all || largest <= faint_share * common;
  return seen && wanted ? round_factor(common / largest) : 1.0;
}

}  // namespace

double MapProfile::spread() const {
  std::optional<Largest> most;
  for (std::size_t i = 0; i < distance.size(); ++i) {
    if (!(count[i] > 1)) continue;
    if (!most) most.emplace();
    most->see(high[i] - low[i]);
  }
  return most ? most->value() : std::numeric_limits<double>::quiet_NaN();
}

double MapProfile::largest() const {
  Largest most;
  for (std::size_t i = 0; i < distance.size(); ++i) {
    most.see(std::abs(low[i]));
    most.see(std::abs(high[i]));
  }
  return most.value();
}

MapProfile profile_of(const DiagonalProfile& diagonals) {
  return {.distance = {diagonals.r.begin(), diagonals.r.end()},
          .count = diagonals.count,
          .mean = diagonals.mean,
          .low = diagonals.low,
          .high = diagonals.high};
}

MapProfile profile_of(const DiagonalExtents& diagonals, double farthest) {
  MapProfile profile;
  for (std::size_t r = diagonals.count.size(); r-- > 0;) {
    if (diagonals.count[r] == 0) continue;
    profile.distance.push_back(farthest - static_cast<double>(r));
    profile.count.push_back(diagonals.count[r]);
    profile.mean.push_back(diagonals.mean[r]);
    profile.low.push_back(diagonals.low[r]);
    profile.high.push_back(diagonals.high[r]);
  }
  return profile;
}

ArrayPtr profile_array(const MapProfile& profile, std::string name,
                       const std::string& description) {
  Array array{
      .name = std::move(name),
      .description = description + " along each diagonal: m − n, entries, mean, smallest, largest",
      .shape = {profile.distance.size(), 5},
      .axes = {"relative_distance", "statistic"}};
  std::vector<double> values;
  for (std::size_t i = 0; i < profile.distance.size(); ++i)
    values.insert(values.end(), {profile.distance[i], profile.count[i], profile.mean[i],
                                 profile.low[i], profile.high[i]});
  array.values = std::move(values);
  return std::make_shared<const Array>(std::move(array));
}

double spread_rounding(Index d, double largest, Precision arithmetic, const StageRounding& stages) {
  const auto channels = static_cast<double>(d);
  const double unit =
      2.0 * (channels + 10.0) * unit_roundoff(arithmetic) + 8.0 * rounding_unit(stages);
  return 2.0 * unit * std::sqrt(channels) * largest;
}

std::string term_symbol(const std::string& encoding, const std::string& term) {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    if (entry.info.name != encoding) continue;
    for (const TermSymbol& known : entry.info.term_symbols)
      if (known.term == term) return known.symbol;
  }
  if (term == "content") return R"(\mathbf{q}_m^\top \mathbf{k}_n)";
  if (term == "mask") return R"(M_{m,n})";
  return R"(\text{)" + term_words(term) + "}";
}

std::string term_words(std::string term) {
  std::ranges::replace(term, '_', ' ');
  return term;
}

MapEquation map_equation(std::vector<EquationPart> parts, int color, Factors factors) {
  for (EquationPart& part : parts)
    if (const std::size_t at = part.name.find(" to "); at != std::string::npos)
      part.name.replace(at, 4, " → ");
  std::vector<double> largest, common;
  for (const EquationPart& part : parts) largest.push_back(largest_cell(part.map));
  for (const EquationPart& part : parts)
    common.push_back(largest_of_quantity(parts, largest, part.map));
  MapEquation equation{.profiles = {.x = distance_axis(), .y = {.label = "along each diagonal"}}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EquationPart& part = parts[i];
    MapProfile& profile = part.profile;
    const bool signed_values = part.map.meaning == Meaning::diverging;
    part.map.range = Range{signed_values ? -common[i] : 0.0, common[i]};
    equation.terms.push_back({.relation = std::move(part.relation),
                              .step = std::move(part.step),
                              .symbol = std::move(part.symbol),
                              .name = part.name,
                              .map = std::move(part.map),
                              .factor = factor_of(largest[i], common[i], part.rounding, factors),
                              .spread = profile.spread(),
                              .rounding = part.rounding});
    equation.profiles.series.push_back(named({.x = std::move(profile.distance),
                                              .y = std::move(profile.mean),
                                              .band_low = std::move(profile.low),
                                              .band_high = std::move(profile.high),
                                              .color = color},
                                             part.name));
  }
  return equation;
}

Figure equation_figure(const std::string& kind, const std::string& encoding, std::string title,
                       std::string caption, MapEquation equation) {
  const std::string factors = factors_text(equation);
  if (!factors.empty()) caption += " · " + factors;
  return {kind + "_" + encoding,
          std::move(title),
          std::move(caption),
          std::move(equation),
          {.kind = kind, .encodings = {encoding}}};
}

std::string factors_text(const MapEquation& equation) {
  std::vector<std::string> drawn;
  for (const MapTerm& term : equation.terms)
    if (term.factor != 1.0)
      drawn.push_back(fmt::format("{} ×{}", term.name, short_label(term.factor)));
  return drawn.empty() ? "" : fmt::format("drawn larger: {}", fmt::join(drawn, ", "));
}

}  // namespace orrery
