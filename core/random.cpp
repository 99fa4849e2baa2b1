#include "core/random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace orrery {
namespace {

/// FNV-1a over the purpose, then mixed with the seed by SplitMix64's finaliser, so that
/// neighbouring seeds give unrelated streams.
std::uint64_t stream_seed(std::int64_t seed, std::string_view purpose) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  hash ^= static_cast<std::uint64_t>(seed) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}

}  // namespace

Random::Random(std::int64_t seed, std::string_view purpose) : engine_(stream_seed(seed, purpose)) {}

double Random::uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::int64_t Random::integer(std::int64_t count) {
  const auto range = static_cast<std::uint64_t>(count);
  const std::uint64_t rest = (0 - range) % range;  // 2^64 mod range: the biased low end
  std::uint64_t draw = engine_();
  while (draw < rest) draw = engine_();
  return static_cast<std::int64_t>(draw % range);
}

template <class T>
Matrix<T> normal_matrix(Random& random, Index rows, Index columns, double standard_deviation) {
  Matrix<T> values(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      values(i, j) = static_cast<T>(standard_deviation * random.normal());
  return values;
}

std::vector<Index> random_order(Random& random, Index n) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1],
              order[static_cast<std::size_t>(random.integer(static_cast<std::int64_t>(left)))]);
  return order;
}

template Matrix<float> normal_matrix<float>(Random&, Index, Index, double);
template Matrix<double> normal_matrix<double>(Random&, Index, Index, double);

}  // namespace orrery
