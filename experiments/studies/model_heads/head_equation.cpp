#include "experiments/studies/model_heads/head_equation.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "core/analysis/diagonals.h"
#include "core/analysis/largest.h"
#include "core/precision.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/map_equation.h"
#include "experiments/text/marked_text.h"

namespace orrery::studies {
namespace {

/// Calls use(cell) for what the mask lets queries see of an N × N map.
template <class Use>
void for_seen(const Mask& mask, std::size_t n, const Use& use) {
  const auto count = static_cast<Index>(n);
  for (Index i = 0; i < count; ++i) {
    const VisibleKeys keys = mask.keys_of(i, count);
    for (Index j = keys.first; j < keys.end; ++j)
      if (keys.all || mask.allows(i, j)) use(static_cast<std::size_t>(i * count + j));
  }
}

Precision precision_of_array(const Array& array) {
  return std::holds_alternative<std::vector<double>>(array.values) ? Precision::fp64
                                                                   : Precision::fp32;
}

/// The share of a term in the variance of the logits: cov(term, l)/var(l).
double share_of(const Array& term, const Array& logits, const Mask& mask) {
  double count = 0, t = 0, l = 0;
  for_seen(mask, logits.shape[0], [&](std::size_t cell) {
    ++count;
    t += term[cell];
    l += logits[cell];
  });
  double both = 0, squares = 0;
  for_seen(mask, logits.shape[0], [&](std::size_t cell) {
    const double off = logits[cell] - l / count;
    both += (term[cell] - t / count) * off;
    squares += off * off;
  });
  return both / squares;
}

MapProfile profile_of_map(const Array& map, const Mask& mask) {
  const auto n = static_cast<Index>(map.shape[0]);
  const Positions at = consecutive_positions(n);
  return std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        const Matrix<T> matrix = Eigen::Map<const Matrix<T>>(values.data(), n, n);
        return profile_of(diagonal_profile<T>(matrix, at, at, mask));
      },
      map.values);
}

EquationPart part_of(const HeadsFound& found, const Mask& mask, const Array& values,
                     std::string name, std::string symbol, std::string relation) {
  const HeadTerms& terms = *found.effect.terms;
  MapProfile profile = profile_of_map(values, mask);
  const double rounding = spread_rounding(static_cast<Index>(terms.channels), profile.largest(),
                                          precision_of_array(values), StageRounding{});
  return {.relation = std::move(relation),
          .symbol = std::move(symbol),
          .name = std::move(name),
          .map = {.values = std::make_shared<const Array>(values),
                  .masked = found.masked,
                  .x = key_axis(),
                  .y = query_axis(),
                  .quantity = "logit",
                  .meaning = Meaning::diverging,
                  .column_labels = found.labels,
                  .row_labels = found.labels},
          .profile = std::move(profile),
          .rounding = rounding};
}

}  // namespace

std::optional<Figure> equation_figure(const HeadsFound& found, const Mask& mask) {
  if (!found.effect.terms) return std::nullopt;
  const HeadTerms& terms = *found.effect.terms;
  std::vector<EquationPart> parts;
  parts.push_back(part_of(found, mask, terms.logits, "logit", R"(\ell_{m,n})", ""));
  std::size_t most = 0;
  std::vector<double> shares;
  for (std::size_t t = 0; t < terms.terms.size(); ++t) {
    parts.push_back(part_of(found, mask, terms.terms[t], terms.names[t],
                            R"(\text{)" + terms.names[t] + "}", t == 0 ? "=" : "+"));
    shares.push_back(share_of(terms.terms[t], terms.logits, mask));
    if (shares[t] > shares[most]) most = t;
  }
  MapEquation equation = map_equation(std::move(parts), 0);
  const std::string place = fmt::format("{}.{}", found.chosen.layer, found.chosen.head);
  const std::string edits = edits_text(found.effect), factors = factors_text(equation);
  return Figure{
      "equation",
      std::isnan(shares[most])
          ? fmt::format("Head {}: its logits as a sum", place)
          : fmt::format("Head {}{}: {} make {:.0f} % of the variance of its logits", place,
                        edits.empty() ? "" : ", " + edits, terms.names[most], 100 * shares[most]),
      caption_of_text(found) + (factors.empty() ? "" : " · " + factors), std::move(equation)};
}

std::optional<Check> equation_check(const HeadTerms& terms, const Mask& mask) {
  for (const std::string& name : terms.names)
    if (name.starts_with("softcap") || name.starts_with("logit")) return std::nullopt;
  Largest off, sizes;
  for_seen(mask, terms.logits.shape[0], [&](std::size_t cell) {
    double left = terms.logits[cell], size = 0;
    for (const Array& term : terms.terms) {
      left -= term[cell];
      size += std::abs(term[cell]);
    }
    off.see(std::abs(left));
    sizes.see(size);
  });
  return Check{
      .name = "pairs_sum_to_logits",
      .statement = "the maps of its pairs add up to the head's logits (largest difference)",
      .equation = "eq. (35)",
      .measured = off.value(),
      .bound = spread_rounding(static_cast<Index>(terms.channels), sizes.value(),
                               precision_of_array(terms.logits), StageRounding{})};
}

}  // namespace orrery::studies
