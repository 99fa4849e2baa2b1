#include "experiments/heads/seen_head.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "core/analysis/rope_bands.h"

namespace orrery::heads {
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
HeadTerms SeenHead<T>::without_terms(std::string_view encoding, double softcap) const {
  return {.softcap = softcap,
          .logits = term_array<T>("logits", "logits of the chosen head", logits_),
          .channels = static_cast<std::size_t>(q_.cols()),
          .encoding = std::string(encoding)};
}

template <class T>
void SeenHead<T>::add(HeadTerm term, const Matrix<T>& logits, HeadTerms& found) const {
  term.logits = term_array<T>(fmt::format("logit_term_{}", found.terms.size()),
                              "logits of " + term.name, logits);
  found.terms.push_back(std::move(term));
}

/// What is left of the logits without the sum of the terms.
template <class T>
void SeenHead<T>::add_softcap(HeadTerms& found) const {
  if (found.softcap <= 0) return;
  Matrix<T> left = logits_;
  for (const HeadTerm& term : found.terms) {
    const auto& values = std::get<std::vector<T>>(term.logits.values);
    left -= Eigen::Map<const Matrix<T>>(values.data(), left.rows(), left.cols());
  }
  add({.name = "softcap", .is_softcap = true}, left, found);
}

template <class T>
HeadTerms SeenHead<T>::terms(const TurningPairs& pairs, double scale, double softcap) const {
  HeadTerms found = without_terms("rope", softcap);
  const RopeDecomposition<T> split =
      decomposition_of_turned<T>(pairs, q_, k_, runs_of_pairs, {.scale = scale});
  for (const RopeBand<T>& band : split.bands)
    add({.name = band.first == band.last ? fmt::format("pair {}", band.first)
                                         : fmt::format("pairs {}–{}", band.first, band.last),
         .first_pair = band.first,
         .pairs = band.last - band.first + 1,
         .is_plural = band.last > band.first},
        band.logits, found);
  if (split.rest.size() > 0) add({.name = "other channels", .is_plural = true}, split.rest, found);
  add_softcap(found);
  return found;
}

template <class T>
HeadTerms SeenHead<T>::terms(std::string_view encoding, const std::vector<ScoreTerm<T>>& terms,
                             double softcap) const {
  HeadTerms found = without_terms(encoding, softcap);
  for (const ScoreTerm<T>& term : terms) add({.name = std::string(term.name)}, term.logits, found);
  add_softcap(found);
  return found;
}

template class SeenHead<float>;
template class SeenHead<double>;

}  // namespace orrery::heads
