#include "core/analysis/diagonals.h"

#include <cmath>
#include <map>

#include "core/analysis/largest.h"

namespace orrery {
namespace {

/// visit(r, value) for every cell that the mask allows.
template <class T, class Visit>
void each_cell(const Matrix<T>& values, PositionsIn m, PositionsIn n, const Mask& mask,
               Visit visit) {
  check_positions(m, values.rows());
  check_positions(n, values.cols());
  mask.check_shape(values.rows(), values.cols());
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      if (mask.allows(i, j))
        visit(relative_position(m[static_cast<std::size_t>(i)], n[static_cast<std::size_t>(j)]),
              static_cast<double>(values(i, j)));
}

/// Mean and sum of squared deviations of values added one by one (Welford).
struct Running {
  double count{};
  double mean{};
  double squares{};

  void add(double value) {
    count += 1;
    const double delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
  }
};

}  // namespace

template <class T>
double toeplitz_residual(const Matrix<T>& values, PositionsIn m, PositionsIn n) {
  struct Extent {
    Smallest low;
    Largest high;
  };
  std::map<Position, Extent> diagonals;
  each_cell(values, m, n, Mask(), [&](Position r, double value) {
    Extent& extent =
        diagonals.try_emplace(r, Extent{Smallest(value), Largest(value)}).first->second;
    extent.low.see(value);
    extent.high.see(value);
  });
  Largest largest;
  for (const auto& [r, extent] : diagonals) largest.see(extent.high.value() - extent.low.value());
  return largest.value();
}

template <class T>
DiagonalProfile diagonal_profile(const Matrix<T>& values, PositionsIn m, PositionsIn n,
                                 const Mask& mask) {
  std::map<Position, Running> diagonals;
  each_cell(values, m, n, mask, [&](Position r, double value) { diagonals[r].add(value); });
  DiagonalProfile profile;
  for (const auto& [r, running] : diagonals) {
    profile.r.push_back(r);
    profile.mean.push_back(running.mean);
    profile.deviation.push_back(std::sqrt(running.squares / running.count));
  }
  return profile;
}

template double toeplitz_residual(const Matrix<float>&, PositionsIn, PositionsIn);
template double toeplitz_residual(const Matrix<double>&, PositionsIn, PositionsIn);
template DiagonalProfile diagonal_profile(const Matrix<float>&, PositionsIn, PositionsIn,
                                          const Mask&);
template DiagonalProfile diagonal_profile(const Matrix<double>&, PositionsIn, PositionsIn,
                                          const Mask&);

}  // namespace orrery
