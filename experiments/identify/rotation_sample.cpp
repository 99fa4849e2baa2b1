#include "experiments/identify/rotation_sample.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/largest.h"
#include "core/parallel.h"

namespace orrery {
namespace {

std::vector<Index> spread(Index count, Index most) {
  std::vector<Index> chosen;
  const Index taken = std::min<Index>(count, most);
  for (Index i = 0; i < taken; ++i) chosen.push_back(i * count / taken);
  return chosen;
}

/// Half of them from the first on, a quarter at growing distances, a quarter at the end.
std::vector<Index> chosen_rows(Index rows, Index most) {
  if (rows <= most) return spread(rows, rows);
  std::vector<Index> chosen = spread(most / 2, most / 2);
  const Index first = chosen.back() + 1, last = rows - most / 4;
  const Index steps = most / 4;
  for (Index i = 0; i < steps; ++i) {
    const double along = static_cast<double>(i + 1) / static_cast<double>(steps + 1);
    chosen.push_back(first +
                     static_cast<Index>(std::pow(static_cast<double>(last - first), along)));
  }
  for (Index i = last; i < rows; ++i) chosen.push_back(i);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

double mean_square(const double* row, Index channels) {
  double sum = 0;
  for (Index c = 0; c < channels; ++c) sum += row[c] * row[c];
  return sum / static_cast<double>(channels);
}

/// What a row of zeros is measured by.
constexpr double least_unit = 1e-300;

void fill_units(RotationSample& sample) {
  const double u = unit_roundoff(sample.format);
  sample.unit.resize(sample.after.rows(), sample.after.cols());
  sample.slack.resize(sample.after.rows(), sample.after.cols());
  for (Index i = 0; i < sample.after.rows(); ++i) {
    const double mean = mean_square(sample.before.row(i).data(), sample.before.cols());
    for (Index c = 0; c < sample.after.cols(); ++c) {
      const double y = sample.after(i, c);
      sample.unit(i, c) = std::max<double>(u * std::sqrt((y * y + mean) / 2), least_unit);
      sample.slack(i, c) = y == 0 ? 0.0 : u * std::ldexp(1.0, std::ilogb(y));
    }
  }
}

/// One number's residual, in its units.
double residual_at(const RotationSample& sample, Index row, Index channel, double predicted) {
  const double off = std::abs(sample.after(row, channel) - predicted);
  const double slack = sample.slack(row, channel);
  return off <= slack ? 0.0 : (off - slack) / sample.unit(row, channel);
}

/// Squares beyond a cap count by their order of magnitude alone.
double capped(double square) {
  constexpr double cap = 100;
  constexpr double beyond_all = 2048;
  if (square <= cap) return square;
  return cap + (std::isfinite(square) ? std::ilogb(square / cap) : beyond_all);
}

void see(Residual& residual, const RotationSample& sample, const Matrix<double>& predicted) {
  const double u = unit_roundoff(sample.format);
  for (Index i = 0; i < predicted.rows(); ++i)
    for (Index c = 0; c < predicted.cols(); ++c) {
      const double e = residual_at(sample, i, c, predicted(i, c));
      residual.sum_of_squares += e * e;
      residual.capped_sum += capped(e * e);
      residual.largest = larger(residual.largest, e);
    }
  residual.count += static_cast<double>(predicted.size());
  residual.largest_relative = residual.largest * u;
}

RotationSample sample_at(const RotatedTensor& tensor, std::vector<Index> heads,
                         std::vector<Index> rows) {
  RotationSample sample{.format = tensor.format};
  const auto n = static_cast<Index>(rows.size());
  const auto h = static_cast<Index>(heads.size());
  sample.before.resize(h * n, tensor.channels());
  sample.after.resize(h * n, tensor.channels());
  sample.places.positions.resize(n, tensor.positions.cols());
  for (Index i = 0; i < n; ++i)
    sample.places.positions.row(i) = tensor.positions.row(rows[static_cast<std::size_t>(i)]);
  for (Index j = 0; j < h; ++j)
    for (Index i = 0; i < n; ++i) {
      const Index from =
          heads[static_cast<std::size_t>(j)] * tensor.rows() + rows[static_cast<std::size_t>(i)];
      sample.before.row(j * n + i) = tensor.before.row(from);
      sample.after.row(j * n + i) = tensor.after.row(from);
    }
  sample.places.unit = tensor.unit;
  sample.places.heads = std::move(heads);
  sample.places.rows = std::move(rows);
  fill_units(sample);
  return sample;
}

}  // namespace

Residual& Residual::operator+=(const Residual& other) {
  sum_of_squares += other.sum_of_squares;
  capped_sum += other.capped_sum;
  count += other.count;
  largest = larger(largest, other.largest);
  largest_relative = larger(largest_relative, other.largest_relative);
  return *this;
}

double Residual::rms() const { return count > 0 ? std::sqrt(sum_of_squares / count) : 0.0; }

bool all_finite(const MatrixIn<double>& values) {
  return (values.array() * 0.0).sum() == 0.0;  // a NaN or an infinity times 0 is a NaN
}

Precision narrowest_format(const MatrixIn<double>& values) {
  for (const Precision format : {Precision::bf16, Precision::fp16, Precision::fp32}) {
    bool all = true;
    for (Index i = 0; i < values.rows() && all; ++i)
      for (Index c = 0; c < values.cols() && all; ++c)
        all = round_to(format, values(i, c)) == values(i, c);
    if (all) return format;
  }
  return Precision::fp64;
}

RotationSample sample_of(const RotatedTensor& tensor, Index most_rows, Index most_heads) {
  return sample_at(tensor, spread(tensor.heads, most_heads), chosen_rows(tensor.rows(), most_rows));
}

RotationSample rows_between(const RotatedTensor& tensor, Index first, Index last,
                            Index most_heads) {
  std::vector<Index> rows = spread(last - first, last - first);
  for (Index& row : rows) row += first;
  return sample_at(tensor, spread(tensor.heads, most_heads), std::move(rows));
}

Residual residual_of(const WrittenRope& rope, const RotationSample& sample) {
  Residual residual;
  see(residual, sample, apply_written(rope, sample.places, sample.before));
  return residual;
}

Residual residual_beyond_angles(const WrittenRope& rope, const RotationSample& sample) {
  constexpr double of_angles = 5e-7, of_tables = 1e-7;
  const bool finer = unit_roundoff(sample.format) < unit_roundoff(Precision::fp32);
  RotationSample allowing = sample;
  const std::vector<double> theta = frequencies_of(rope);
  const AxisPositions positions = turned_positions(rope, sample.places);
  const std::vector<std::size_t> axes = axes_of(rope, static_cast<std::size_t>(positions.cols()));
  const double a = amplitude_of(rope);
  for (Index t = 0; t < static_cast<Index>(theta.size()); ++t) {
    const WrittenPair at = pair_at(rope, t);
    const auto axis = static_cast<Index>(axes[static_cast<std::size_t>(t)]);
    for (Index i = 0; i < sample.before.rows(); ++i) {
      const auto p = static_cast<double>(positions(i % sample.rows(), axis));
      const double length = std::hypot(sample.before(i, at.a), sample.before(i, at.b));
      const double turned = p * sample.places.unit * theta[static_cast<std::size_t>(t)];
      const double off = a * length * (of_angles * std::abs(turned) + (finer ? of_tables : 0));
      allowing.slack(i, at.out_a) += off;
      allowing.slack(i, at.out_b) += off;
    }
  }
  return residual_of(rope, allowing);
}

namespace {

/// Squares of the residuals of a sample's numbers. [H·N, d]
Matrix<double> squares_of(const WrittenRope& rope, const RotationSample& sample) {
  Matrix<double> squares = apply_written(rope, sample.places, sample.before);
  for (Index i = 0; i < squares.rows(); ++i)
    for (Index c = 0; c < squares.cols(); ++c) {
      const double e = residual_at(sample, i, c, squares(i, c));
      squares(i, c) = e * e;
    }
  return squares;
}

}  // namespace

std::vector<double> row_misfits(const WrittenRope& rope, const RotationSample& sample) {
  const Matrix<double> squares = squares_of(rope, sample);
  std::vector<double> misfits(static_cast<std::size_t>(sample.rows()), 0.0);
  for (Index i = 0; i < squares.rows(); ++i)
    for (Index c = 0; c < squares.cols(); ++c)
      misfits[static_cast<std::size_t>(i % sample.rows())] += squares(i, c);
  return misfits;
}

namespace {

/// The numbers from 0 to before `count` that `agrees`.
template <class Agrees>
std::vector<Index> those_that(Index count, const Agrees& agrees) {
  std::vector<Index> found;
  for (Index i = 0; i < count; ++i)
    if (agrees(i)) found.push_back(i);
  return found;
}

}  // namespace

Agreement agreement_of(const WrittenRope& rope, const RotationSample& sample, double least) {
  const Matrix<double> squares = squares_of(rope, sample);
  const Index heads = sample.heads(), rows = sample.rows(), d = squares.cols();
  Agreement agreement;
  const double most = least * least;
  agreement.rows = those_that(rows, [&](Index n) {
    double sum = 0;
    for (Index h = 0; h < heads; ++h) sum += squares.row(h * rows + n).mean();
    return sum < most * static_cast<double>(heads);
  });
  std::vector<Index> among = agreement.rows;
  if (among.empty()) among = those_that(rows, [](Index) { return true; });
  const auto count = static_cast<double>(among.size());
  agreement.heads = those_that(heads, [&](Index h) {
    double sum = 0;
    for (const Index n : among) sum += squares.row(h * rows + n).mean();
    return sum < most * count;
  });
  agreement.channels = those_that(d, [&](Index c) {
    double sum = 0;
    for (const Index n : among)
      for (Index h = 0; h < heads; ++h) sum += squares(h * rows + n, c);
    return sum < most * count * static_cast<double>(heads);
  });
  return agreement;
}

std::vector<Residual> residuals_of(const std::vector<WrittenRope>& ropes,
                                   const RotatedTensor& tensor, int threads) {
  constexpr Index numbers_at_once = 1 << 18;
  const Index rows_at_once =
      std::max<Index>(16, numbers_at_once / (tensor.heads * tensor.channels()));
  const Index blocks = (tensor.rows() + rows_at_once - 1) / rows_at_once;
  std::vector<std::vector<Residual>> by_block(static_cast<std::size_t>(blocks));
  in_parallel(blocks, threads, [&] {
    return [&](std::ptrdiff_t number) {
      const Index first = number * rows_at_once;
      const RotationSample block = rows_between(
          tensor, first, std::min<Index>(first + rows_at_once, tensor.rows()), tensor.heads);
      for (const WrittenRope& rope : ropes)
        by_block[static_cast<std::size_t>(number)].push_back(residual_of(rope, block));
    };
  });
  std::vector<Residual> residuals(ropes.size());
  for (const std::vector<Residual>& block : by_block)
    for (std::size_t i = 0; i < ropes.size(); ++i) residuals[i] += block[i];
  return residuals;
}

Matrix<double> residual_map(const WrittenRope& rope, const RotationSample& sample) {
  const Matrix<double> squares = squares_of(rope, sample);
  Matrix<double> map = Matrix<double>::Zero(sample.before.cols(), sample.rows());
  for (Index h = 0; h < sample.heads(); ++h)
    for (Index n = 0; n < sample.rows(); ++n)
      for (Index c = 0; c < sample.before.cols(); ++c) {
        map(c, n) += squares(h * sample.rows() + n, c) / static_cast<double>(sample.heads());
      }
  return map.cwiseSqrt();
}

}  // namespace orrery
