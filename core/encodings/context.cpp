#include "core/encodings/context.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

namespace orrery {
namespace {

/// A total order of rows, NaN or not.
template <class T>
bool before(const MatrixIn<T>& k, Index a, Index b) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  for (Index c = 0; c < k.cols(); ++c) {
    const Bits left = std::bit_cast<Bits>(k(a, c)), right = std::bit_cast<Bits>(k(b, c));
    if (left != right) return left < right;
  }
  return false;
}

}  // namespace

bool has_relative_weights(const Encoding& encoding, Position last) {
  const auto* at_first = dynamic_cast<const RelativeAtFirst*>(&encoding);
  return encoding.has_relative_weights() || (at_first && last <= at_first->relative_up_to());
}

bool reads_other_keys(const Encoding& encoding) {
  const auto* context = dynamic_cast<const ReadsContext*>(&encoding);
  return context && context->reads_other_keys();
}

template <class T>
std::vector<KeyGroup> keys_in_order(PositionsIn n, const MatrixIn<T>& k) {
  check_positions(n, k.rows());
  std::vector<Index> order(n.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto at = [&](Index key) { return n[static_cast<std::size_t>(key)]; };
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return at(a) != at(b) ? at(a) < at(b) : before<T>(k, a, b); });
  std::vector<KeyGroup> groups;
  for (const Index key : order) {
    if (groups.empty() || groups.back().position != at(key)) groups.push_back({at(key), {}});
    groups.back().keys.push_back(key);
  }
  return groups;
}

Index groups_up_to(const std::vector<KeyGroup>& groups, Position position) {
  const auto end =
      std::upper_bound(groups.begin(), groups.end(), position,
                       [](Position p, const KeyGroup& group) { return p < group.position; });
  return end - groups.begin();
}

template std::vector<KeyGroup> keys_in_order(PositionsIn, const MatrixIn<float>&);
template std::vector<KeyGroup> keys_in_order(PositionsIn, const MatrixIn<double>&);

}  // namespace orrery
