#include "core/analysis/term_shares.h"

#include <fmt/format.h>

#include <cmath>

#include "core/analysis/largest.h"
#include "core/errors.h"

namespace orrery {
namespace {

using Cells = std::vector<double>;

/// The cells that the mask allows, row by row.
template <class T>
std::vector<Cells> visible_rows(const Matrix<T>& values, const Mask& mask) {
  std::vector<Cells> rows(static_cast<std::size_t>(values.rows()));
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      if (mask.allows(i, j))
        rows[static_cast<std::size_t>(i)].push_back(static_cast<double>(values(i, j)));
  return rows;
}

double mean_of(const Cells& cells) {
  double sum = 0;
  for (const double v : cells) sum += v;
  return sum / static_cast<double>(cells.size());
}

void centre(Cells& cells) {
  const double mean = mean_of(cells);
  for (double& v : cells) v -= mean;
}

Cells joined(const std::vector<Cells>& rows) {
  Cells all;
  for (const Cells& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

Cells centred_as_a_whole(const std::vector<Cells>& rows) {
  Cells all = joined(rows);
  centre(all);
  return all;
}

Cells centred_by_row(std::vector<Cells> rows) {
  for (Cells& row : rows) centre(row);
  return joined(rows);
}

double cell_product(const Cells& a, const Cells& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Cells sum_of(const std::vector<Cells>& terms) {
  Cells sum = terms.front();
  for (std::size_t t = 1; t < terms.size(); ++t)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += terms[t][i];
  return sum;
}

/// cov(term, sum)/var(sum) of centred terms.
std::vector<double> shares_of(const std::vector<Cells>& terms) {
  const Cells sum = sum_of(terms);
  const double variance = cell_product(sum, sum);
  std::vector<double> shares;
  shares.reserve(terms.size());
  for (const Cells& term : terms)
    shares.push_back(variance > 0 ? cell_product(term, sum) / variance : std::nan(""));
  return shares;
}

template <class T>
void check_terms(const std::vector<Matrix<T>>& terms, const Mask& mask) {
  if (terms.empty())
    throw UsageError("no terms", "there must be one at least", "give the terms of the logits");
  for (const Matrix<T>& term : terms) {
    mask.check_shape(term.rows(), term.cols());
    if (term.rows() != terms.front().rows() || term.cols() != terms.front().cols())
      throw UsageError(fmt::format("a term [{}, {}]", term.rows(), term.cols()),
                       "all must have one shape", "give the terms of one score");
  }
}

}  // namespace

template <class T>
std::vector<TermShare> term_shares(const std::vector<Matrix<T>>& terms, const Mask& mask) {
  check_terms(terms, mask);
  std::vector<Cells> whole, by_row;
  std::vector<TermShare> shares(terms.size());
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::vector<Cells> rows = visible_rows(terms[t], mask);
    whole.push_back(centred_as_a_whole(rows));
    by_row.push_back(centred_by_row(rows));
    shares[t].variance = cell_product(whole[t], whole[t]) / static_cast<double>(whole[t].size());
    Largest largest;
    for (const double v : joined(rows)) largest.see(std::abs(v));
    shares[t].largest = largest.value();
  }
  const std::vector<double> of_all = shares_of(whole), in_rows = shares_of(by_row);
  for (std::size_t t = 0; t < terms.size(); ++t) {
    shares[t].share = of_all[t];
    shares[t].share_in_rows = in_rows[t];
  }
  return shares;
}

template std::vector<TermShare> term_shares(const std::vector<Matrix<float>>&, const Mask&);
template std::vector<TermShare> term_shares(const std::vector<Matrix<double>>&, const Mask&);

}  // namespace orrery
