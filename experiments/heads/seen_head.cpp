#include "experiments/heads/seen_head.h"

#include <fmt/format.h>

#include <utility>

#include "core/analysis/spectrum.h"

namespace orrery {
namespace {

constexpr int runs_of_pairs = 4;

template <class T>
Array term_array(const std::string& name, const std::string& description, const Matrix<T>& values) {
  return {
      .name = name,
      .description = description,
      .shape = {static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols())},
      .axes = {"query", "key"},
      .values = std::vector<T>(values.data(), values.data() + values.size())};
}

}  // namespace

template <class T>
bool SeenHead<T>::wants(const Site& site) const {
  if (site.layer != place_.layer || site.of_memory) return false;
  if (site.quantity == Quantity::keys) return site.head == kv_head_;
  return site.head == place_.head &&
         (site.quantity == Quantity::queries || site.quantity == Quantity::logits);
}

template <class T>
void SeenHead<T>::see(const Site& site, Index first, const MatrixIn<T>& rows) {
  if (site.quantity == Quantity::queries) q_ = rows;
  if (site.quantity == Quantity::keys) k_ = rows;
  if (site.quantity != Quantity::logits) return;
  if (first == 0) logits_.resize(rows.cols(), rows.cols());
  logits_.middleRows(first, rows.rows()) = rows;
}

template <class T>
HeadTerms SeenHead<T>::sum_of(std::string_view encoding, std::vector<Summand> summands,
                              double softcap) const {
  HeadTerms found{.softcap = softcap,
                  .logits = term_array<T>("logits", "logits of the chosen head", logits_),
                  .channels = static_cast<std::size_t>(q_.cols()),
                  .encoding = std::string(encoding)};
  if (softcap > 0) {
    Matrix<T> left = logits_;
    for (const Summand& one : summands) left -= one.logits;
    summands.push_back({{.name = "softcap", .is_softcap = true}, std::move(left)});
  }
  for (Summand& one : summands) {
    one.term.logits = term_array<T>(fmt::format("logit_term_{}", found.terms.size()),
                                    "logits of " + one.term.name, one.logits);
    found.terms.push_back(std::move(one.term));
  }
  return found;
}

template <class T>
HeadTerms SeenHead<T>::terms(const TurningPairs& pairs, double scale, double softcap) const {
  RopeDecomposition<T> split =
      decomposition_of_turned<T>(pairs, q_, k_, runs_of_pairs, {.scale = scale});
  std::vector<Summand> summands;
  for (RopeBand<T>& band : split.bands)
    summands.push_back(
        {{.name = band.first == band.last ? fmt::format("pair {}", band.first)
                                          : fmt::format("pairs {}–{}", band.first, band.last),
          .first_pair = band.first,
          .pairs = band.last - band.first + 1,
          .is_plural = band.last > band.first},
         std::move(band.logits)});
  if (split.rest.size() > 0)
    summands.push_back({{.name = "other channels", .is_plural = true}, std::move(split.rest)});
  return sum_of("rope", std::move(summands), softcap);
}

template <class T>
HeadTerms SeenHead<T>::terms(std::string_view encoding, const std::vector<ScoreTerm<T>>& terms,
                             double softcap) const {
  std::vector<Summand> summands;
  for (const ScoreTerm<T>& term : terms)
    summands.push_back({{.name = std::string(term.name)}, term.logits});
  return sum_of(encoding, std::move(summands), softcap);
}

template class SeenHead<float>;
template class SeenHead<double>;

}  // namespace orrery
