#include "core/encodings/rotation_table.h"

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

#include "core/encodings/frequencies.h"
#include "core/kernels/rotations.h"

namespace orrery {
namespace {

constexpr Position ones = 32;
constexpr Position coarse = ones * 32;

/// The largest multiple of `spacing` that is not above m.
constexpr Position below(Position m, Position spacing) {
  const Position rest = m % spacing;
  return rest < 0 ? m - rest - spacing : m - rest;
}

}  // namespace

struct RotationTable::Tables {
  std::once_flag computed;
  Rows ones;    ///< at 0, 1, …, 31
  Rows middle;  ///< at 0, 32, …, 992
};

/// e^{i(1024 a + 32 b)θ} of the position asked for last.
class RotationTable::Anchor {
 public:
  explicit Anchor(const RotationTable& table) : table_(table) {}

  /// Of a multiple of 32.
  const Rows& at(Position m) {
    const Position a = below(m, coarse);
    if (a != coarse_at_) {
      coarse_ = table_.rows(a, 0, 1);
      coarse_.cos *= table_.amplitude_;
      coarse_.sin *= table_.amplitude_;
    }
    coarse_at_ = a;
    const Rows& middle = table_.tables().middle;
    const auto c = middle.cos.row((m - a) / ones).array();
    const auto s = middle.sin.row((m - a) / ones).array();
    anchor_.cos = coarse_.cos.array() * c - coarse_.sin.array() * s;
    anchor_.sin = coarse_.sin.array() * c + coarse_.cos.array() * s;
    return anchor_;
  }

 private:
  const RotationTable& table_;
  std::optional<Position> coarse_at_{};
  Rows coarse_{};
  Rows anchor_{};
};

RotationTable::RotationTable(const std::vector<double>& theta, double amplitude)
    : theta_(theta), amplitude_(amplitude), tables_(std::make_shared<Tables>()) {}

const RotationTable::Tables& RotationTable::tables() const {
  std::call_once(tables_->computed, [this] {
    tables_->ones = rows(0, 1, ones);
    tables_->middle = rows(0, ones, ones);
  });
  return *tables_;
}

RotationTable::Rows RotationTable::rows(Position first, Position spacing, Index count) const {
  const auto pairs = static_cast<Index>(theta_.size());
  Rows rows{Matrix<double>(count, pairs), Matrix<double>(count, pairs)};
  for (Index i = 0; i < count; ++i)
    for (Index t = 0; t < pairs; ++t) {
      const CosSin turn = rotation_at(first + i * spacing, theta_[static_cast<std::size_t>(t)]);
      rows.cos(i, t) = turn.cos;
      rows.sin(i, t) = turn.sin;
    }
  return rows;
}

template <class T, class Kernel>
void RotationTable::rotate(const Kernel& kernel, PositionsIn m, MatrixOut<T> x) const {
  Anchor anchor(*this);
  const Rows& near = tables().ones;
  std::array<std::uint8_t, 64> steps{};
  for (std::size_t first = 0; first < m.size();) {
    const Position at = below(m[first], ones);
    std::size_t count = 0;
    while (count < steps.size() && first + count < m.size() &&
           below(m[first + count], ones) == at) {
      steps[count] = static_cast<std::uint8_t>(m[first + count] - at);
      ++count;
    }
    const Rows& rows = anchor.at(at);
    kernel({.rows = count,
            .pairs = theta_.size(),
            .anchor_cos = rows.cos.data(),
            .anchor_sin = rows.sin.data(),
            .step_cos = near.cos.data(),
            .step_sin = near.sin.data(),
            .steps = steps.data(),
            .stride = x.outerStride(),
            .half = static_cast<std::ptrdiff_t>(theta_.size())},
           x.row(static_cast<Index>(first)).data());
    first += count;
  }
}

template <class T>
void RotationTable::rotate_interleaved(PositionsIn m, MatrixOut<T> x) const {
  rotate<T>(kernels::rotation_kernels<T>().interleaved, m, x);
}

template <class T>
void RotationTable::rotate_half_split(PositionsIn m, MatrixOut<T> x) const {
  rotate<T>(kernels::rotation_kernels<T>().half_split, m, x);
}

template void RotationTable::rotate_interleaved<float>(PositionsIn, MatrixOut<float>) const;
template void RotationTable::rotate_interleaved<double>(PositionsIn, MatrixOut<double>) const;
template void RotationTable::rotate_half_split<float>(PositionsIn, MatrixOut<float>) const;
template void RotationTable::rotate_half_split<double>(PositionsIn, MatrixOut<double>) const;

}  // namespace orrery
