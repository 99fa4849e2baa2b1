#include "experiments/identify/identify_bias.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "experiments/identify/identify_rotation.h"
#include "experiments/identify/written_bias.h"

namespace orrery {
namespace {

constexpr double explained_bias = 4.0;        // roundings: what is above is no explanation
constexpr double least_bias_variance = 0.01;  // of what fits to the bit
constexpr Index fitted_cells = 1 << 16;
constexpr double least_bias_unit = 1e-100;  // of what is all zeros; its square is still a number

/// Every `step`th of so many, beginning and end among them.
std::vector<Index> some_of(Index count, Index most) {
  std::vector<Index> chosen;
  const Index taken = std::min<Index>(count, std::max<Index>(most, 2));
  for (Index i = 0; i < taken; ++i)
    chosen.push_back(taken == 1 ? 0 : i * (count - 1) / (taken - 1));
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

/// Of a head: a row of few cells may be all zeros.
double mean_square(const BiasQuestion& question, Index head) {
  const Index rows = question.bias.rows() / question.heads;
  double sum = 0, count = 0;
  for (Index i = head * rows; i < (head + 1) * rows; ++i)
    for (Index j = 0; j < question.bias.cols(); ++j) {
      const double value = question.bias(i, j);
      if (hides_cell(value)) continue;
      sum += value * value;
      count += 1;
    }
  return count > 0 ? sum / count : 0.0;
}

/// The cells of some rows, as many as are looked at for each of many fits, or of all.
BiasCells cells_of(const BiasQuestion& question, bool all) {
  const Index rows = question.bias.rows() / question.heads, columns = question.bias.cols();
  const Index most = all ? rows : fitted_cells / std::max<Index>(1, question.heads * columns);
  BiasCells cells{.heads = question.heads, .format = question.format, .begin = {0}};
  const double u = unit_roundoff(question.format);
  for (Index h = 0; h < question.heads; ++h) {
    const double mean = mean_square(question, h);
    for (const Index i : some_of(rows, most)) {
      const Index row = h * rows + i;
      for (Index j = 0; j < columns; ++j) {
        const double y = question.bias(row, j);
        if (hides_cell(y)) continue;
        const double unit = u * std::sqrt((y * y + mean) / 2);
        cells.cells.push_back({.head = h,
                               .m = question.queries[static_cast<std::size_t>(i)],
                               .n = question.keys[static_cast<std::size_t>(j)],
                               .value = y,
                               .unit = std::max<double>(unit, least_bias_unit),
                               .slack = y == 0 ? 0.0 : u * std::ldexp(1.0, std::ilogb(y))});
      }
    }
    cells.begin.push_back(cells.cells.size());
  }
  return cells;
}

/// Half the range of each diagonal of each head, the largest in units of rounding of its numbers.
class DiagonalRanges {
 public:
  void see(const BiasCells::Cell& cell, double value, double unit) {
    Range& range = ranges_[{cell.head, cell.m - cell.n}];
    range.low = std::min<double>(range.low, value);
    range.high = std::max<double>(range.high, value);
    range.unit = std::max<double>(range.unit, unit);
  }
  double largest() const {
    double most = 0;
    for (const auto& entry : ranges_)
      most = larger(most, (entry.second.high - entry.second.low) / 2 / entry.second.unit);
    return most;
  }

 private:
  struct Range {
    double low{std::numeric_limits<double>::infinity()}, high{-low}, unit{0};
  };
  std::map<std::pair<Index, Position>, Range> ranges_{};
};

/// Weights depend on m − n alone where the steps from key to key do.
BiasAnswer::Toeplitz toeplitz_of(const BiasCells& cells) {
  DiagonalRanges values, steps;
  const BiasCells::Cell* before = nullptr;
  for (const BiasCells::Cell& cell : cells.cells) {
    values.see(cell, cell.value, cell.unit);
    if (before && before->head == cell.head && before->m == cell.m && before->n + 1 == cell.n)
      steps.see(cell, cell.value - before->value, cell.unit + before->unit);
    before = &cell;
  }
  return {values.largest(), steps.largest()};
}

bool holds_free_numbers(const BiasHypothesis& hypothesis) {
  return hypothesis.bias.family == BiasFamily::table;
}

/// A number per distance explains all that depends on distances: it says nothing where a formula
/// does.
void drop_free_tables(std::vector<BiasHypothesis>& found) {
  const bool formula = std::any_of(found.begin(), found.end(), [](const BiasHypothesis& h) {
    return !holds_free_numbers(h) && h.residual.rms() < explained_bias;
  });
  if (!formula) return;
  found.erase(std::remove_if(found.begin(), found.end(), holds_free_numbers), found.end());
}

/// Rows of a table that hold a number.
Index rows_seen(const WrittenBias& bias) {
  Index seen = 0;
  for (Index row = 0; row < bias.table.rows(); ++row)
    seen += bias.table.row(row).array().isNaN().all() ? 0 : 1;
  return seen;
}

/// Of buckets that fit, those with the fewest numbers: finer ones hold the same numbers several
/// times over, which trained tables do not.
void drop_finer_buckets(std::vector<BiasHypothesis>& found) {
  Index least = std::numeric_limits<Index>::max();
  const auto fits = [](const BiasHypothesis& h) {
    return h.bias.family == BiasFamily::t5 && h.residual.rms() < explained_bias;
  };
  for (const BiasHypothesis& hypothesis : found)
    if (fits(hypothesis)) least = std::min<Index>(least, rows_seen(hypothesis.bias));
  found.erase(
      std::remove_if(found.begin(), found.end(),
                     [&](const BiasHypothesis& h) { return fits(h) && rows_seen(h.bias) > least; }),
      found.end());
}

std::vector<BiasHypothesis> ranked(const BiasQuestion& question) {
  constexpr std::size_t most = 12;
  const BiasCells some = cells_of(question, false);
  std::vector<BiasHypothesis> found = fitted_biases(some);
  for (BiasHypothesis& hypothesis : found) hypothesis.residual = residual_of(hypothesis.bias, some);
  drop_free_tables(found);
  drop_finer_buckets(found);
  order_by_evidence(found, least_bias_variance);
  if (found.size() > most) found.resize(most);
  const BiasCells all = cells_of(question, true);
  if (all.cells.size() == some.cells.size()) return found;
  for (BiasHypothesis& hypothesis : found) hypothesis.residual = residual_of(hypothesis.bias, all);
  order_by_evidence(found, least_bias_variance);
  return found;
}

void check(const BiasQuestion& question) {
  const auto rows = static_cast<Index>(question.queries.size());
  if (question.heads > 0 && rows > 0 && question.bias.rows() == rows * question.heads &&
      question.bias.cols() == static_cast<Index>(question.keys.size()))
    return;
  throw UsageError(fmt::format("a bias of {} x {} for {} heads", question.bias.rows(),
                               question.bias.cols(), question.heads),
                   fmt::format("there are {} queries and {} keys", rows, question.keys.size()),
                   "give [heads, N_q, N_k] and a position of each");
}

/// Distances in the order in which they are tried: 0, 1, −1, 2, …
Position distance_number(Position i) { return i % 2 == 1 ? (i + 1) / 2 : -i / 2; }

bool has_table(const WrittenBias& bias) {
  return bias.family == BiasFamily::t5 || bias.family == BiasFamily::table;
}

bool same_class(const WrittenBias& bias, Index head, Position r, Position s, double u) {
  if (bias.family == BiasFamily::t5 || bias.family == BiasFamily::table)
    return table_row(bias, r, 0) == table_row(bias, s, 0);
  const double a = bias_at(bias, head, r, 0), b = bias_at(bias, head, s, 0);
  return std::abs(a - b) <= 8 * u * std::abs(a);
}

/// Whether one of them has a single number for r and some nearer distance, and the other two.
bool conflict_at(const WrittenBias& a, const WrittenBias& b, Position number, double u) {
  const Position r = distance_number(number);
  for (Position i = std::max<Position>(0, number - 64); i < number; ++i) {
    const Position s = distance_number(i);
    const bool in_a = same_class(a, 0, r, s, u), in_b = same_class(b, 0, r, s, u);
    // Two numbers of a table may be equal; one cannot be two.
    if ((has_table(a) && in_a && !in_b) || (has_table(b) && in_b && !in_a)) return true;
  }
  return false;
}

}  // namespace

std::optional<Position> telling_distance(const WrittenBias& a, const WrittenBias& b, Index heads,
                                         Precision format) {
  constexpr Position last = 8192;  // 4096 behind and as many ahead
  constexpr double telling = 8;
  const double u = unit_roundoff(format);
  const bool tables = has_table(a) || has_table(b);
  for (Position i = 0; i <= last; ++i) {
    const Position r = distance_number(i);
    for (Index h = 0; h < heads; ++h) {
      const double of_a = bias_at(a, h, r, 0), of_b = bias_at(b, h, r, 0);
      const double size = std::max<double>(std::abs(of_a), std::abs(of_b));
      if (std::abs(of_a - of_b) > telling * u * size) return r;
    }
    if (tables && conflict_at(a, b, i, u)) return r;
  }
  return std::nullopt;
}

BiasAnswer identify_bias(const BiasQuestion& question) {
  check(question);
  BiasAnswer answer;
  answer.mask = seen_mask(question.bias, question.heads, question.queries, question.keys);
  if (answer.mask.rule == MaskRule::everything) {
    answer.explained = true;
    return answer;
  }
  if (!is_finite_where_seen(question.bias)) {  // nothing explains a NaN or a positive infinity
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    answer.hypotheses.push_back(
        {.residual = {.sum_of_squares = nan, .count = 1, .largest = nan}, .tied = true});
    return answer;
  }
  answer.toeplitz = toeplitz_of(cells_of(question, true));
  answer.hypotheses = ranked(question);
  answer.explained = answer.best().residual.rms() < explained_bias;
  return answer;
}

}  // namespace orrery
