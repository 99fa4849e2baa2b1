#include "experiments/studies/score_decomposition/equation.h"

#include <fmt/format.h>

#include <utility>

#include "core/analysis/largest.h"
#include "core/precision.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/map_equation.h"
#include "experiments/setup/measures.h"

namespace orrery {
namespace {
namespace in_equation {

/// The parts of an equation of logits, all of one quantity.
template <class T>
class Parts {
 public:
  Parts(const EquationInputs& in, const Decomposition<T>& d) : in_(in), d_(d) {}

  void add(std::string relation, std::string symbol, std::string name, const ArrayPtr& values,
           MapProfile profile) {
    const double rounding = rounding_of_spread(profile);
    parts_.push_back({.relation = std::move(relation),
                      .symbol = std::move(symbol),
                      .name = std::move(name),
                      .map = logit_map(in_.frame, values, "logit"),
                      .profile = std::move(profile),
                      .rounding = rounding});
  }

  std::vector<EquationPart> finish() && { return std::move(parts_); }

 private:
  double rounding_of_spread(const MapProfile& profile) const {
    const Precision arithmetic = sizeof(T) == 8 ? Precision::fp64 : Precision::fp32;
    return smaller(2.0 * d_.rounding, spread_rounding(in_.frame.d_head, profile.largest(),
                                                      arithmetic, rounding_of(in_.frame.params)));
  }

  const EquationInputs& in_;
  const Decomposition<T>& d_;
  std::vector<EquationPart> parts_{};
};

template <class T>
std::vector<EquationPart> parts_of(const EquationInputs& in, const Decomposition<T>& d) {
  Parts<T> parts(in, d);
  parts.add("", R"(\ell_{m,n})", "logit", in.maps.logits, profile_of(in.profiles.back()));
  for (std::size_t t = 0; t < d.terms.size(); ++t) {
    const DecomposedTerm<T>& term = d.terms[t];
    parts.add(t == 0 ? "=" : "+",
              term.symbol.empty() ? term_symbol(in.encoding, term.name) : term.symbol, term.words,
              in.maps.terms[t], profile_of(in.profiles[t]));
  }
  return std::move(parts).finish();
}

template <class T>
void check_relative_terms(const EquationInputs& in, const Decomposition<T>& d,
                          const std::vector<EquationPart>& parts, Result& result) {
  // With one token no distance has two values.
  if (!d.relative || in.frame.positions.size() < 2) return;
  for (std::size_t t = 0; t < d.terms.size(); ++t) {
    if (d.terms[t].part != TermPart::position_position) continue;
    const EquationPart& part = parts[t + 1];
    FindingsOn(result, in.encoding, encoding_label(in.encoding))
        .at_most(d.terms[t].name + "_is_relative",
                 d.terms[t].words + " depends on $m − n$ only (largest difference at a distance)",
                 "eq. (7)–(10)", part.profile.spread(), part.rounding);
  }
}

}  // namespace in_equation
}  // namespace

Heatmap logit_map(const Frame& frame, const ArrayPtr& values, std::string quantity) {
  return {.values = values,
          .masked = frame.masked,
          .x = key_axis(),
          .y = query_axis(),
          .quantity = std::move(quantity),
          .meaning = Meaning::diverging,
          .column_labels = frame.labels,
          .row_labels = frame.labels};
}

template <class T>
void add_equation(const EquationInputs& in, const Decomposition<T>& d, Result& result) {
  using namespace in_equation;
  std::vector<EquationPart> parts = parts_of(in, d);
  for (const EquationPart& part : parts)
    result.arrays.push_back(profile_array(part.profile, part.map.values->name + "_diagonals",
                                          part.map.values->description));
  check_relative_terms(in, d, parts, result);
  if (!in.frame.shows("equation")) return;
  const bool own = in.frame.params.text("colors") == "own";
  result.figures.push_back(equation_figure(
      "equation", in.encoding, encoding_label(in.encoding) + ": the logit is the sum of its terms",
      in.frame.caption + " · symbols without the scale of the logits",
      map_equation(std::move(parts), encoding_color(in.encoding),
                   own ? Factors::of_all : Factors::of_faint)));
}

template void add_equation(const EquationInputs&, const Decomposition<float>&, Result&);
template void add_equation(const EquationInputs&, const Decomposition<double>&, Result&);

}  // namespace orrery
