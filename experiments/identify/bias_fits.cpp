#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/analysis/largest.h"
#include "experiments/identify/written_bias.h"

namespace orrery {
namespace {

using Cell = BiasCells::Cell;
constexpr double unseen = std::numeric_limits<double>::quiet_NaN();

/// A number per head and distance, computed when it is first asked for.
template <class Compute>
class ByDistance {
 public:
  ByDistance(const BiasCells& cells, Compute compute) : compute_(compute) {
    for (const Cell& cell : cells.cells) {
      low_ = std::min<Position>(low_, cell.m - cell.n);
      high_ = std::max<Position>(high_, cell.m - cell.n);
    }
    values_.assign(static_cast<std::size_t>((high_ - low_ + 1) * cells.heads), std::nullopt);
  }
  double at(Index head, Position r) {
    std::optional<double>& value =
        values_[static_cast<std::size_t>(head * (high_ - low_ + 1) + r - low_)];
    if (!value) value = compute_(head, r);
    return *value;
  }

 private:
  Compute compute_;
  Position low_{0}, high_{0};
  std::vector<std::optional<double>> values_{};
};

/// Least squares of y on (x, 1) for the cells of one head.
struct Line {
  double slope{0}, intercept{0}, through_origin{0};
};

template <class Distance>
std::vector<Line> lines_of(const BiasCells& cells, Distance distance) {
  struct Sums {
    double n{0}, x{0}, xx{0}, y{0}, xy{0};
  };
  std::vector<Sums> sums(static_cast<std::size_t>(cells.heads));
  for (const Cell& cell : cells.cells) {
    Sums& s = sums[static_cast<std::size_t>(cell.head)];
    const double x = distance(cell);
    s.n += 1;
    s.x += x;
    s.xx += x * x;
    s.y += cell.value;
    s.xy += x * cell.value;
  }
  std::vector<Line> lines;
  for (const Sums& s : sums) {
    Line line;
    const double determinant = s.n * s.xx - s.x * s.x;
    if (determinant > 0) line.slope = (s.n * s.xy - s.x * s.y) / determinant;
    if (s.n > 0) line.intercept = (s.y - line.slope * s.x) / s.n;
    if (s.xx > 0) line.through_origin = s.xy / s.xx;
    lines.push_back(line);
  }
  return lines;
}

/// What is added to the distance, where all heads agree on a whole number.
Position common_offset(const std::vector<Line>& lines) {
  constexpr double near = 0.02;
  std::optional<Position> common;
  for (const Line& line : lines) {
    if (line.slope == 0) continue;
    const double offset = line.intercept / line.slope;
    if (!(std::abs(offset - std::round(offset)) < near) || !(std::abs(offset) < 1e9)) return 0;
    const Position whole = std::llround(offset);
    if (common && *common != whole) return 0;
    common = whole;
  }
  return common.value_or(0);
}

double positive_distance(const Cell& cell) {
  return static_cast<double>(std::abs(cell.m - cell.n));
}

/// The factor of shape(|r|) by least squares, and what it leaves, for one head.
template <class Shape>
std::pair<double, double> factor_of(const BiasCells& cells, Index head, Shape shape) {
  double xx = 0, xy = 0, yy = 0;
  const auto h = static_cast<std::size_t>(head);
  for (std::size_t i = cells.begin[h]; i < cells.begin[h + 1]; ++i) {
    const Cell& cell = cells.cells[i];
    const double x = shape(cell), w = 1 / (cell.unit * cell.unit);
    xx += w * x * x;
    xy += w * x * cell.value;
    yy += w * cell.value * cell.value;
  }
  if (!(xx > 0)) return {0, yy};
  return {xy / xx, yy - xy * xy / xx};
}

/// The argument of the least value on a logarithmic grid, then by golden sections.
template <class Misfit>
double least_on(double low, double high, Misfit misfit) {
  constexpr int points = 61, steps = 60;
  const double ratio = std::pow(high / low, 1.0 / (points - 1));
  double best = low, least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < points; ++i) {
    const double at = low * std::pow(ratio, i);
    const double value = misfit(at);
    if (!(value < least)) continue;
    least = value;
    best = at;
  }
  double a = std::max<double>(low, best / ratio), b = std::min<double>(high, best * ratio);
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; i < steps; ++i) {
    const double u = b - golden * (b - a), v = a + golden * (b - a);
    if (misfit(u) < misfit(v))
      b = v;
    else
      a = u;
  }
  return (a + b) / 2;
}

class Fits {
 public:
  explicit Fits(const BiasCells& cells) : cells_(cells) {}

  std::vector<BiasHypothesis> all() {
    found_.push_back({{}, 0});
    add_constant();
    for (const AlibiForm form : {AlibiForm::symmetric, AlibiForm::causal, AlibiForm::key})
      add_alibi(form);
    if (const Position padding = zero_keys(); padding > 0) add_alibi(AlibiForm::key, padding);
    add_kerple(BiasFamily::kerple_log, 1e-3, 1e3);
    add_kerple(BiasFamily::kerple_power, 0.01, 2.0);
    add_sandwich();
    add_t5();
    add_table();
    return std::move(found_);
  }

 private:
  void add_constant() {
    WrittenBias bias{.family = BiasFamily::constant};
    for (const Line& line : lines_of(cells_, [](const Cell&) { return 1.0; }))
      bias.size.push_back(line.through_origin);
    const bool zero =
        std::all_of(bias.size.begin(), bias.size.end(), [](double value) { return value == 0; });
    if (!zero) found_.push_back({std::move(bias), 1.0});
  }

  /// The last of the keys that are 0 for every query and head: the first token behind padding.
  Position zero_keys() const {
    Position zero = std::numeric_limits<Position>::max();
    for (const Cell& cell : cells_.cells)
      if (cell.value != 0) zero = std::min<Position>(zero, cell.n - 1);
    return zero == std::numeric_limits<Position>::max() ? 0 : zero;
  }

  void add_alibi(AlibiForm form, Position padding = 0) {
    WrittenBias bias{.family = BiasFamily::alibi, .form = form, .padding = padding};
    const WrittenBias unit{
        .family = BiasFamily::alibi, .form = form, .padding = padding, .size = {1.0}};
    const auto distance = [&](const Cell& cell) { return -bias_at(unit, 0, cell.m, cell.n); };
    bias.offset = common_offset(lines_of(cells_, distance));
    const auto moved = [&](const Cell& cell) {
      return distance(cell) + static_cast<double>(bias.offset);
    };
    for (Index h = 0; h < cells_.heads; ++h)
      bias.size.push_back(-factor_of(cells_, h, moved).first);
    const double cost = 0.2 * static_cast<double>(form) + (bias.offset == 0 ? 0.0 : 0.8) +
                        (padding == 0 ? 0.0 : 0.8);
    const std::vector<NamedSlopes> likely = named_slopes(bias.size, cells_.format);
    for (const NamedSlopes& named : likely) {
      bias.size = named.slopes;
      found_.push_back({bias, cost + named.cost});
    }
  }

  void add_kerple(BiasFamily family, double low, double high) {
    WrittenBias bias{.family = family};
    bool linear = true;
    for (Index h = 0; h < cells_.heads; ++h) {
      const auto shape_at = [&](double r2) {
        return [&, r2](const Cell& cell) {
          const double r = positive_distance(cell);
          return family == BiasFamily::kerple_log ? std::log1p(r2 * r) : std::pow(r, r2);
        };
      };
      const double r2 =
          least_on(low, high, [&](double at) { return factor_of(cells_, h, shape_at(at)).second; });
      bias.shape.push_back(r2);
      bias.size.push_back(-factor_of(cells_, h, shape_at(r2)).first);
      constexpr double near = 2e-3;
      const double as_linear = family == BiasFamily::kerple_log ? low : 1.0;
      linear = linear && std::abs(r2 - as_linear) <= near * as_linear;
    }
    // A power of 1 is ALiBi, and so is a logarithm that hardly bends.
    if (!linear) found_.push_back({std::move(bias), 2.0});
  }

  void add_sandwich() {
    for (const Index channels : {16, 32, 48, 64, 80, 96, 128, 192, 256, 384, 512, 768, 1024})
      for (const double base : {10000.0, 1000.0, 100000.0, 500000.0})
        for (const bool centred : {false, true}) {
          WrittenBias bias{.family = BiasFamily::sandwich,
                           .size = {1.0},
                           .channels = channels,
                           .base = base,
                           .centred = centred};
          ByDistance products(cells_, [&](Index, Position r) { return bias_at(bias, 0, r, 0); });
          const auto shape = [&](const Cell& cell) { return products.at(0, cell.m - cell.n); };
          std::vector<double> size;
          for (Index h = 0; h < cells_.heads; ++h)
            size.push_back(factor_of(cells_, h, shape).first);
          bias.size = std::move(size);
          found_.push_back(
              {std::move(bias), 2.0 + (base == 10000 ? 0.0 : 1.0) + (channels == 128 ? 0.0 : 0.3)});
        }
  }

  /// The mean of each row of the table and head; empty where no row holds two distances.
  bool fill_table(WrittenBias& bias, Index rows) const {
    bias.table = Matrix<double>::Zero(rows, cells_.heads);
    Matrix<double> count = Matrix<double>::Zero(rows, cells_.heads);
    std::vector<std::optional<Position>> first(static_cast<std::size_t>(rows));
    bool shares = false;
    for (const Cell& cell : cells_.cells) {
      const Index row = table_row(bias, cell.m, cell.n);
      bias.table(row, cell.head) += cell.value;
      count(row, cell.head) += 1;
      std::optional<Position>& distance = first[static_cast<std::size_t>(row)];
      shares = shares || (distance && *distance != cell.m - cell.n);
      distance = cell.m - cell.n;
    }
    for (Index i = 0; i < bias.table.size(); ++i)
      bias.table.data()[i] = count.data()[i] > 0 ? bias.table.data()[i] / count.data()[i] : unseen;
    return shares;
  }

  void add_t5() {
    for (const bool bidirectional : {true, false})
      for (const bool swapped : {false, true})
        for (const int buckets : {8, 16, 32, 64, 128, 256, 320})
          for (const Position length : {16, 20, 32, 64, 128, 256, 512, 800, 1024, 2048}) {
            if (bidirectional && swapped) continue;  // the same table in another order
            add_buckets({buckets, length, bidirectional}, swapped);
          }
  }

  void add_buckets(const T5Buckets& buckets, bool swapped) {
    const Position exact = buckets.buckets / (buckets.bidirectional ? 4 : 2);
    if (buckets.max_distance <= exact) return;
    WrittenBias bias{.family = BiasFamily::t5, .buckets = buckets, .swapped = swapped};
    const bool shares = fill_table(bias, buckets.buckets);
    const bool usual = buckets.buckets == 32 && buckets.max_distance == 128;
    if (!shares && !usual) return;  // a number per distance: the usual one stands for all of them
    found_.push_back({std::move(bias),
                      3.0 + (usual ? 0.0 : 0.5) + (swapped ? 1.0 : 0.0) + 0.001 * buckets.buckets});
  }

  /// Clipped where all distances beyond have one number, if it is clipped at all.
  void add_table() {
    Position furthest = 0;
    for (const Cell& cell : cells_.cells)
      furthest = std::max<Position>(furthest, std::abs(cell.m - cell.n));
    constexpr Position largest_table = 1 << 16;
    if (furthest > largest_table) return;
    WrittenBias bias{.family = BiasFamily::table, .clip = furthest};
    fill_table(bias, 2 * furthest + 1);
    const auto same_beyond = [&](Position clip) {
      for (Index h = 0; h < cells_.heads; ++h)
        for (const Position side : {Position{-1}, Position{1}}) {
          const double beyond = bias.table(side * clip + furthest, h);
          const double next = bias.table(side * (clip - 1) + furthest, h);
          if (!std::isnan(beyond) && !std::isnan(next) &&
              std::abs(beyond - next) > 4 * ulp(cells_.format, beyond))
            return false;
        }
      return true;
    };
    Position clip = furthest;
    while (clip > 1 && same_beyond(clip)) --clip;
    bias.clip = clip;
    fill_table(bias, 2 * clip + 1);
    found_.push_back({std::move(bias), 20.0});
  }

  const BiasCells& cells_;
  std::vector<BiasHypothesis> found_{};
};

}  // namespace

Residual residual_of(const WrittenBias& bias, const BiasCells& cells) {
  Residual residual;
  const bool relative = bias.family != BiasFamily::alibi || bias.form != AlibiForm::key;
  ByDistance relative_bias(cells, [&](Index h, Position r) { return bias_at(bias, h, r, 0); });
  for (const Cell& cell : cells.cells) {
    const double value = relative ? relative_bias.at(cell.head, cell.m - cell.n)
                                  : bias_at(bias, cell.head, cell.m, cell.n);
    const double off = std::abs(cell.value - value);
    const double e = off <= cell.slack ? 0.0 : (off - cell.slack) / cell.unit;
    residual.sum_of_squares += e * e;
    residual.capped_sum += std::min<double>(e * e, 100.0);
    residual.largest = larger(residual.largest, e);
  }
  residual.count = static_cast<double>(cells.cells.size());
  residual.largest_relative = residual.largest * unit_roundoff(cells.format);
  return residual;
}

std::vector<BiasHypothesis> fitted_biases(const BiasCells& cells) { return Fits(cells).all(); }

}  // namespace orrery
