#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numbers>
#include <optional>
#include <utility>

#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "experiments/identify/identify_matrix.h"

namespace orrery {
namespace {
namespace in_identify_frequencies {

/// cos and sin of each pair, whatever the layout of the tables.
struct PairTables {
  Matrix<double> cos, sin;
  std::string layout;
  std::optional<RopePairing> pairing;
};

PairTables pair_tables(const Tensor& cos, const Tensor& sin) {
  const auto width = static_cast<Index>(cos.shape.back());
  const auto rows = static_cast<Index>(cos.values.size()) / width;
  using In = Eigen::Map<const Matrix<double>>;
  const In c(cos.values.data(), rows, width), s(sin.values.data(), rows, width);
  const Index half = width / 2;
  if (width % 2 == 0 && half > 0 && c.leftCols(half) == c.rightCols(half) &&
      s.leftCols(half) == s.rightCols(half))
    return {c.leftCols(half), s.leftCols(half),
            "each angle in both halves, as half_split pairs take", RopePairing::half_split};
  bool adjacent = width % 2 == 0;
  for (Index t = 0; t < half && adjacent; ++t)
    adjacent = c.col(2 * t) == c.col(2 * t + 1) && s.col(2 * t) == s.col(2 * t + 1);
  if (!adjacent) return {c, s, "each angle once, which says nothing of the pairing", std::nullopt};
  PairTables tables{Matrix<double>(rows, half), Matrix<double>(rows, half),
                    "each angle in neighbouring channels, as interleaved pairs take",
                    RopePairing::interleaved};
  for (Index t = 0; t < half; ++t) {
    tables.cos.col(t) = c.col(2 * t);
    tables.sin.col(t) = s.col(2 * t);
  }
  return tables;
}

/// A table is what it makes of the vectors (1, 0).
TensorReport identify_pair_tables(const PairTables& tables, const IdentifyOptions& options) {
  const Index pairs = tables.cos.cols();
  const bool interleaved = tables.pairing == RopePairing::interleaved;
  Matrix<double> x = Matrix<double>::Zero(tables.cos.rows(), 2 * pairs), y = x;
  for (Index t = 0; t < pairs; ++t) {
    const Index a = interleaved ? 2 * t : t, b = interleaved ? 2 * t + 1 : t + pairs;
    x.col(a).setOnes();
    y.col(a) = tables.cos.col(t);
    y.col(b) = tables.sin.col(t);
  }
  TensorReport report =
      identify_matrix(x, y, 1, options, {.wiring = false, .pairing = tables.pairing.has_value()});
  report.notes.push_back("the tables hold " + tables.layout);
  return report;
}

/// Whether these can be no frequencies, since most are beyond a turn per token, and their
/// reciprocals can.
bool hold_periods(const std::vector<double>& theta) {
  const auto fast = [](double one) { return one > 2 * std::numbers::pi; };
  const auto many = std::count_if(theta.begin(), theta.end(), fast);
  const bool positive = std::all_of(theta.begin(), theta.end(), [](double one) { return one > 0; });
  return positive && 2 * many > static_cast<std::ptrdiff_t>(theta.size());
}

}  // namespace in_identify_frequencies
}  // namespace

TensorReport identify_tables(const std::string& name, const Tensor& cos, const Tensor& sin,
                             const IdentifyOptions& options) {
  using namespace in_identify_frequencies;
  if (cos.shape != sin.shape || cos.shape.size() < 2)
    throw DataError(fmt::format("{} and {}", shape_words(cos), shape_words(sin)),
                    "tables of cosines and sines must both be [N, d] or [N, d/2]",
                    "save both as they are applied");
  TensorReport report = identify_pair_tables(pair_tables(cos, sin), options);
  if (!report.explained) {
    TensorReport swapped = identify_pair_tables(pair_tables(sin, cos), options);
    if (swapped.explained) {
      report = std::move(swapped);
      report.notes.insert(report.notes.begin(),
                          "cos and sin are exchanged: cosines are what is given as sines");
    }
  }
  report.name = name;
  report.shape = shape_words(cos);
  report.notes.push_back("pairing and channels are those of the tables, not of q and k");
  return report;
}

TensorReport identify_frequencies(const std::string& name, const Tensor& inv_freq,
                                  const IdentifyOptions& options) {
  using namespace in_identify_frequencies;
  std::vector<double> theta = inv_freq.values;
  const bool are_periods = hold_periods(theta);
  if (are_periods)
    for (double& period : theta) period = 1 / period;
  const auto pairs = static_cast<Index>(theta.size());
  // What they do to the vectors (1, 0) at position 0 and 1, and at those where slow pairs show.
  constexpr Index rows = 24;
  Matrix<double> x(rows, 2 * pairs), y(rows, 2 * pairs);
  IdentifyOptions at = options;
  at.positions.clear();
  at.axes = 1;
  at.format = options.format.empty() ? "fp32" : options.format;
  Position position = 0;
  for (Index n = 0; n < rows; ++n) {
    at.positions.push_back(position);
    for (Index t = 0; t < pairs; ++t) {
      const CosSin turn = rounded_rotation(position, theta[static_cast<std::size_t>(t)],
                                           {Precision::fp32, {Stage::angle, Stage::cos_sin}});
      x(n, t) = 1;
      x(n, pairs + t) = 0;
      y(n, t) = turn.cos;
      y(n, pairs + t) = turn.sin;
    }
    position = n < 8 ? position + 1 : position * 3 / 2;
  }
  TensorReport report = identify_matrix(x, y, 1, at, {.wiring = false, .pairing = false});
  report.name = name;
  report.shape = shape_words(inv_freq);
  if (are_periods)
    report.notes.push_back(
        "these are periods, 1/θ, as rope of MLX takes them: the rope is that of "
        "their reciprocals");
  report.notes.push_back("frequencies say nothing of pairing, direction and attention factor");
  return report;
}

}  // namespace orrery
