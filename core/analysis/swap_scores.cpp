#include "core/analysis/swap_scores.h"

#include <limits>
#include <numeric>

namespace orrery {

std::vector<Index> random_partners(Random& random, Index n) {
  const std::vector<Index> order = random_order(random, n);
  std::vector<Index> partners(order.size());
  std::iota(partners.begin(), partners.end(), Index{0});
  for (std::size_t at = 0; at + 1 < order.size(); at += 2) {
    partners[static_cast<std::size_t>(order[at])] = order[at + 1];
    partners[static_cast<std::size_t>(order[at + 1])] = order[at];
  }
  return partners;
}

template <class T>
void SwapScoreSums<T>::begin(std::span<const Index> partners, const Mask& mask) {
  pairs_.clear();
  for (std::size_t b = 0; b < partners.size(); ++b)
    if (partners[b] < static_cast<Index>(b)) pairs_.push_back({partners[b], static_cast<Index>(b)});
  mask_ = &mask;
}

template <class T>
void SwapScoreSums<T>::add_rows(Index first, const MatrixIn<T>& logits, const MatrixIn<T>& moved) {
  for (Index row = 0; row < logits.rows(); ++row) {
    const VisibleKeys seen = mask_->keys_of(first + row, logits.cols());
    const T* before = logits.data() + row * logits.outerStride();
    const T* after = moved.data() + row * moved.outerStride();
    for (const Pair& pair : pairs_) {
      if (pair.b >= seen.end) break;
      if (pair.a < seen.first) continue;
      const double d = static_cast<double>(before[pair.a] - before[pair.b]);
      const double of_moved = static_cast<double>(after[pair.a] - after[pair.b]);
      Sums& sums = pair.a == 0 ? with_first_ : others_;
      sums.places += (d + of_moved) * (d + of_moved);
      sums.contents += (d - of_moved) * (d - of_moved);
      const double size = static_cast<double>(before[pair.a]);
      sums.squares += size * size;
    }
  }
}

template <class T>
void SwapScoreSums<T>::Sums::add(const Sums& other) {
  places += other.places;
  contents += other.contents;
  squares += other.squares;
}

template <class T>
double SwapScoreSums<T>::Sums::share() const {
  // A product of 64 channels is rounded a few times its last digit.
  constexpr double rounding = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double all = places + contents;
  return all <= squares * rounding * rounding ? std::numeric_limits<double>::quiet_NaN()
                                              : places / all;
}

template <class T>
void SwapScoreSums<T>::add(const SwapScoreSums& other) {
  with_first_.add(other.with_first_);
  others_.add(other.others_);
}

template <class T>
double SwapScoreSums<T>::place_share() const {
  Sums all = with_first_;
  all.add(others_);
  return all.share();
}

template <class T>
double SwapScoreSums<T>::place_share_without_first() const {
  return others_.share();
}

template class SwapScoreSums<float>;
template class SwapScoreSums<double>;

}  // namespace orrery
