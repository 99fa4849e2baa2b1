#include "experiments/studies/score_spectrogram/log_columns.h"

#include <cmath>
#include <limits>

#include "core/analysis/largest.h"

namespace orrery {
namespace {

/// What a column covers: parts of its first and last token, and whole ones between.
struct Cover {
  double first{};  ///< the token that it begins in
  double last{};
  double of_first{};  ///< how much of it
  double of_last{};   ///< 0 where it is the first
};

Cover cover_of(double from, double to) {
  Cover cover{.first = std::floor(from + 0.5), .last = std::ceil(to - 0.5)};
  if (cover.last < cover.first) cover.last = cover.first;
  if (cover.first == cover.last) {
    cover.of_first = to - from;
  } else {
    cover.of_first = cover.first + 0.5 - from;
    cover.of_last = to - (cover.last - 0.5);
  }
  return cover;
}

/// Σ cos(rθ) over r = first … last.
double sum_of_cosines(double first, double last, double theta) {
  if (last < first) return 0;
  const double count = last - first + 1, half = std::sin(theta / 2);
  if (half == 0) return count;
  return std::sin(count * theta / 2) / half * std::cos((first + last) * theta / 2);
}

}  // namespace

LogColumns::LogColumns(std::int64_t last, std::size_t count) {
  const double high = std::log2(static_cast<double>(last) + 0.5);
  for (std::size_t i = 0; i <= count; ++i)
    edges_.push_back(std::exp2(high * static_cast<double>(i) / static_cast<double>(count)));
  edges_.back() = static_cast<double>(last) + 0.5;
}

std::vector<double> LogColumns::middles() const {
  std::vector<double> middles;
  for (std::size_t i = 0; i < size(); ++i) middles.push_back(std::sqrt(from(i) * to(i)));
  return middles;
}

std::vector<double> LogColumns::mean_cosine(double theta) const {
  std::vector<double> means;
  for (std::size_t i = 0; i < size(); ++i) {
    const Cover cover = cover_of(from(i), to(i));
    const double sum = cover.of_first * std::cos(cover.first * theta) +
                       sum_of_cosines(cover.first + 1, cover.last - 1, theta) +
                       cover.of_last * std::cos(cover.last * theta);
    means.push_back(sum / (to(i) - from(i)));
  }
  return means;
}

Band LogColumns::of(std::span<const double> values) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double no_value = std::numeric_limits<double>::quiet_NaN();
  Band columns;
  for (std::size_t i = 0; i < size(); ++i) {
    const Cover cover = cover_of(from(i), to(i));
    Smallest least(infinity);
    Largest greatest(-infinity);
    double sum = 0;
    const bool known = cover.last <= static_cast<double>(values.size());
    for (double r = cover.first; known && r <= cover.last; ++r) {
      const double value = values[static_cast<std::size_t>(r) - 1];
      const double part = r == cover.first ? cover.of_first : r == cover.last ? cover.of_last : 1.0;
      sum += part * value;
      least.see(value);
      greatest.see(value);
    }
    columns.mean.push_back(known ? sum / (to(i) - from(i)) : no_value);
    columns.least.push_back(known ? least.value() : no_value);
    columns.greatest.push_back(known ? greatest.value() : no_value);
  }
  return columns;
}

}  // namespace orrery
