#include "experiments/setup/equation_difference.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "core/analysis/diagonals.h"
#include "experiments/figure/plot/difference.h"
#include "experiments/setup/map_equation.h"

namespace orrery {
namespace {

bool has_same_terms(const MapEquation& a, const MapEquation& b) {
  return a.profiles.series.size() == a.terms.size() && b.profiles.series.size() == b.terms.size() &&
         std::equal(
             a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
             [](const MapTerm& one, const MapTerm& other) { return one.name == other.name; });
}

Positions first_positions(Index count) {
  Positions positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), Position{0});
  return positions;
}

/// The profile of a map's seen cells at these distances, m − n ascending; none where the map has
/// another number of diagonals.
std::optional<MapProfile> profile_at(const Heatmap& map, const std::vector<double>& distances) {
  const auto rows = static_cast<Index>(map.values->shape[0]);
  const auto columns = static_cast<Index>(map.values->shape[1]);
  Matrix<double> values(rows, columns);
  Mask::Matrix seen(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      const auto cell = static_cast<std::size_t>(i * columns + j);
      values(i, j) = (*map.values)[cell];
      seen(i, j) = !map.masked || (*map.masked)[cell] == 0.0;
    }
  MapProfile profile = profile_of(diagonal_profile<double>(
      values, first_positions(rows), first_positions(columns), Mask(std::move(seen))));
  if (profile.distance.size() != distances.size()) return std::nullopt;
  profile.distance = distances;
  return profile;
}

std::string delta(const std::string& symbol) {
  const bool is_signed = symbol.starts_with("-");
  return R"(\Delta )" + (is_signed ? "(" + symbol + ")" : symbol);
}

std::optional<EquationPart> part_of(const MapTerm& shown, const MapTerm& reference,
                                    const std::vector<double>& distances) {
  auto difference = difference_of({.content = shown.map}, {.content = reference.map});
  if (!difference || shown.map.values->shape.size() != 2) return std::nullopt;
  auto map = std::get<Heatmap>(std::move(difference->content));
  auto profile = profile_at(map, distances);
  if (!profile) return std::nullopt;
  const bool is_step = !shown.step.empty();
  return EquationPart{.relation = is_step ? "," : shown.relation,
                      .symbol = delta(shown.symbol),
                      .name = shown.name,
                      .map = std::move(map),
                      .profile = std::move(*profile),
                      .rounding = shown.rounding + reference.rounding};
}

}  // namespace

std::optional<MapEquation> difference_of(const MapEquation& shown, const MapEquation& reference) {
  if (!has_same_terms(shown, reference)) return std::nullopt;
  std::vector<EquationPart> parts;
  for (std::size_t t = 0; t < shown.terms.size(); ++t) {
    const Series& own = shown.profiles.series[t];
    if (own.x != reference.profiles.series[t].x) return std::nullopt;
    auto part = part_of(shown.terms[t], reference.terms[t], own.x);
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  const int color = parts.empty() ? 0 : shown.profiles.series.front().color;
  return map_equation(std::move(parts), color);
}

}  // namespace orrery
