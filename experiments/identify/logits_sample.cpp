#include "experiments/identify/identify_logits.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/largest.h"
#include "experiments/identify/seen_mask.h"

namespace orrery {
namespace {

/// A half from the first on, the others spread to the last.
std::vector<Index> chosen(Index count, Index most) {
  std::vector<Index> rows;
  const Index near = std::min<Index>(count, most / 2);
  for (Index i = 0; i < near; ++i) rows.push_back(i);
  const Index far = std::min<Index>(count - near, most - near);
  for (Index i = 1; i <= far; ++i) rows.push_back(near + (count - near) * i / far - 1);
  return rows;
}

RowPlaces places_of(const std::vector<Index>& heads, const std::vector<Index>& rows,
                    const Positions& positions) {
  RowPlaces places{
      .heads = heads, .rows = rows, .positions = AxisPositions(static_cast<Index>(rows.size()), 1)};
  for (std::size_t i = 0; i < rows.size(); ++i)
    places.positions(static_cast<Index>(i), 0) = positions[static_cast<std::size_t>(rows[i])];
  return places;
}

Matrix<double> rows_of(const MatrixIn<double>& whole, const RowPlaces& places,
                       Index rows_per_head) {
  const auto rows = static_cast<Index>(places.rows.size());
  Matrix<double> some(rows * static_cast<Index>(places.heads.size()), whole.cols());
  for (Index h = 0; h < static_cast<Index>(places.heads.size()); ++h)
    for (Index i = 0; i < rows; ++i)
      some.row(h * rows + i) = whole.row(places.heads[static_cast<std::size_t>(h)] * rows_per_head +
                                         places.rows[static_cast<std::size_t>(i)]);
  return some;
}

void fill_units(LogitsSample& sample) {
  constexpr double least_of_logits = 1e-100;
  const double u = unit_roundoff(sample.format);
  sample.unit = Matrix<double>::Zero(sample.logits.rows(), sample.logits.cols());
  for (Index i = 0; i < sample.logits.rows(); ++i) {
    double sum = 0, count = 0;
    for (Index j = 0; j < sample.logits.cols(); ++j) {
      const double y = sample.logits(i, j);
      if (hides_cell(y)) continue;
      sum += y * y;
      count += 1;
    }
    for (Index j = 0; j < sample.logits.cols(); ++j) {
      const double y = sample.logits(i, j);
      if (hides_cell(y)) continue;
      sample.unit(i, j) =
          std::max<double>(u * std::sqrt((y * y + sum / count) / 2), least_of_logits);
    }
  }
}

}  // namespace

LogitsSample logits_sample(const LogitsQuestion& question, Index most_rows, Index most_heads) {
  const auto queries = static_cast<Index>(question.queries.size());
  const auto keys = static_cast<Index>(question.keys.size());
  std::vector<Index> heads;
  for (Index h = 0; h < std::min<Index>(question.heads, most_heads); ++h) heads.push_back(h);
  LogitsSample sample{.queries = places_of(heads, chosen(queries, most_rows), question.queries),
                      .keys = places_of(heads, chosen(keys, most_rows), question.keys),
                      .format = question.format};
  sample.q = rows_of(question.q, sample.queries, queries);
  sample.k = rows_of(question.k, sample.keys, keys);
  const Matrix<double> rows = rows_of(question.logits, sample.queries, queries);
  sample.logits.resize(rows.rows(), static_cast<Index>(sample.keys.rows.size()));
  for (Index j = 0; j < sample.logits.cols(); ++j)
    sample.logits.col(j) = rows.col(sample.keys.rows[static_cast<std::size_t>(j)]);
  fill_units(sample);
  return sample;
}

void measure(LogitsHypothesis& hypothesis, const LogitsSample& sample) {
  const Matrix<double> q = apply_written(hypothesis.of_q, sample.queries, sample.q);
  const Matrix<double> k = apply_written(hypothesis.of_k, sample.keys, sample.k);
  const Index rows = q.rows() / sample.heads(), keys = k.rows() / sample.heads();
  Matrix<double> product(q.rows(), keys);
  for (Index h = 0; h < sample.heads(); ++h)
    product.middleRows(h * rows, rows).noalias() =
        q.middleRows(h * rows, rows) * k.middleRows(h * keys, keys).transpose();
  double xx = 0, xy = 0;
  const auto weighted = [&](const auto& see) {
    for (Index i = 0; i < product.rows(); ++i)
      for (Index j = 0; j < keys; ++j)
        if (sample.unit(i, j) > 0)
          see(product(i, j) / sample.unit(i, j), sample.logits(i, j) / sample.unit(i, j));
  };
  weighted([&](double x, double y) {
    xx += x * x;
    xy += x * y;
  });
  hypothesis.scale = xx > 0 ? xy / xx : 0.0;
  Residual residual;
  weighted([&](double x, double y) {
    const double e = std::abs(y - hypothesis.scale * x);
    residual.sum_of_squares += e * e;
    residual.count += 1;
    residual.largest = larger(residual.largest, e);
  });
  residual.largest_relative = residual.largest * unit_roundoff(sample.format);
  hypothesis.residual = residual;
}

}  // namespace orrery
