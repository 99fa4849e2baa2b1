#pragma once

#include <cmath>

#include "core/types.h"

namespace orrery {

// The one measure of errors. A NaN is the largest error there is: whatever measures one returns
// NaN, which no check and no comparison accepts. std::max, std::min, std::max_element and Eigen's
// maxCoeff all drop a NaN in some order of their arguments and are not used for errors.

/// The largest of the numbers seen so far, from `start` on; NaN once one of them was NaN.
class Largest {
 public:
  Largest() = default;
  explicit Largest(double start) : value_(start) {}
  void see(double number) {
    if (!(number <= value_)) value_ = std::isnan(value_) ? value_ : number;
  }
  double value() const { return value_; }

 private:
  double value_{0};
};

/// The smallest of the numbers seen so far, from `start` on; NaN once one of them was NaN.
class Smallest {
 public:
  explicit Smallest(double start) : value_(start) {}
  void see(double number) {
    if (!(number >= value_)) value_ = std::isnan(value_) ? value_ : number;
  }
  double value() const { return value_; }

 private:
  double value_;
};

/// The larger and the smaller of two numbers; NaN when either is NaN.
double larger(double a, double b);
double smaller(double a, double b);

/// max_ij |a_ij|: 0 for an empty matrix, NaN when an entry is NaN. T is float or double.
template <class T>
double largest_magnitude(const MatrixIn<T>& a);

/// max_ij a_ij and min_ij a_ij: NaN for an empty matrix or when an entry is NaN.
template <class T>
double largest_entry(const MatrixIn<T>& a);
template <class T>
double smallest_entry(const MatrixIn<T>& a);

/// max_ij |a_ij − b_ij|: NaN when a difference is NaN, and infinite − infinite is. Equal infinities
/// therefore differ by NaN. Throws UsageError when the shapes differ.
template <class T>
double largest_difference(const MatrixIn<T>& a, const MatrixIn<T>& b);

/// max_ij |a_ij − b_ij| in units of max(1, max_ij |b_ij|). Throws and is NaN as above.
template <class T>
double relative_difference(const MatrixIn<T>& a, const MatrixIn<T>& b);

/// max_i ‖a_i‖ over the rows: NaN when one is NaN.
template <class T>
double largest_row_norm(const MatrixIn<T>& a);

}  // namespace orrery
