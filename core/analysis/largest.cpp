#include "core/analysis/largest.h"

#include <fmt/format.h>

#include <limits>

#include "core/errors.h"

namespace orrery {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// `measure` shown every entry, row by row.
template <class Measure, class T, class Value>
double over_entries(Measure measure, const MatrixIn<T>& a, const Value& value) {
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) measure.see(value(i, j));
  return measure.value();
}

template <class T>
double entry(const MatrixIn<T>& a, Index i, Index j) {
  return static_cast<double>(a(i, j));
}

template <class T>
void check_shapes(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  if (a.rows() == b.rows() && a.cols() == b.cols()) return;
  throw UsageError(
      fmt::format("matrices of [{}, {}] and [{}, {}]", a.rows(), a.cols(), b.rows(), b.cols()),
      "only matrices of one shape can be compared",
      "compare what was computed from the same inputs");
}

}  // namespace

double larger(double a, double b) {
  Largest largest(a);
  largest.see(b);
  return largest.value();
}

double smaller(double a, double b) {
  Smallest smallest(a);
  smallest.see(b);
  return smallest.value();
}

template <class T>
double largest_magnitude(const MatrixIn<T>& a) {
  return over_entries(Largest(), a, [&](Index i, Index j) { return std::abs(entry(a, i, j)); });
}

template <class T>
double largest_entry(const MatrixIn<T>& a) {
  if (a.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  return over_entries(Largest(-infinity), a, [&](Index i, Index j) { return entry(a, i, j); });
}

template <class T>
double smallest_entry(const MatrixIn<T>& a) {
  if (a.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  return over_entries(Smallest(infinity), a, [&](Index i, Index j) { return entry(a, i, j); });
}

template <class T>
double largest_difference(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  check_shapes(a, b);
  return over_entries(Largest(), a,
                      [&](Index i, Index j) { return std::abs(entry(a, i, j) - entry(b, i, j)); });
}

template <class T>
double relative_difference(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  return largest_difference(a, b) / larger(1.0, largest_magnitude(b));
}

template <class T>
double largest_row_norm(const MatrixIn<T>& a) {
  Largest largest;
  for (Index i = 0; i < a.rows(); ++i) largest.see(a.row(i).template cast<double>().norm());
  return largest.value();
}

#define ORRERY_INSTANTIATE(T)                                                     \
  template double largest_magnitude<T>(const MatrixIn<T>&);                       \
  template double largest_entry<T>(const MatrixIn<T>&);                           \
  template double smallest_entry<T>(const MatrixIn<T>&);                          \
  template double largest_difference<T>(const MatrixIn<T>&, const MatrixIn<T>&);  \
  template double relative_difference<T>(const MatrixIn<T>&, const MatrixIn<T>&); \
  template double largest_row_norm<T>(const MatrixIn<T>&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
