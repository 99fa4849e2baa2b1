#include "core/attention/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/errors.h"

namespace orrery {

Index Mask::Window::keys_up_to(Position last) const {
  const auto keys = static_cast<Index>(n.size());
  if (keys == 0) return 0;
  const auto at = [&](Index key) { return n[static_cast<std::size_t>(key)]; };
  // Mostly n counts on from its first.
  const Index guess = std::clamp<Position>(last - at(0) + 1, 0, keys);
  if ((guess == 0 || at(guess - 1) <= last) && (guess == keys || at(guess) > last)) return guess;
  return std::ranges::upper_bound(n, last) - n.begin();
}

VisibleKeys Mask::Window::keys_of(Index query) const {
  const Position at = m[static_cast<std::size_t>(query)];
  if (!ascending) return {0, static_cast<Index>(n.size()), false};
  return {keys_up_to(at - behind - 1), keys_up_to(at + ahead), true};
}

Mask Mask::of_window(PositionsIn m, PositionsIn n, Position behind, Position ahead) {
  check_positions(m);
  check_positions(n);
  Mask mask;
  mask.queries_ = static_cast<Index>(m.size());
  mask.keys_ = static_cast<Index>(n.size());
  mask.windows_.push_back({Positions(m.begin(), m.end()), Positions(n.begin(), n.end()), behind,
                           ahead, std::ranges::is_sorted(n)});
  return mask;
}

Mask Mask::causal(PositionsIn m, PositionsIn n) { return of_window(m, n, 2 * max_position, 0); }

Mask Mask::sliding_window(PositionsIn m, PositionsIn n, Position width) {
  if (width < 1)
    throw UsageError(fmt::format("window width {}", width), "must be at least 1",
                     "width 1 lets a token see itself");
  const Position reach = std::min(width - 1, 2 * max_position);
  return of_window(m, n, reach, reach);
}

Mask Mask::padding(Index queries, const std::vector<bool>& key_is_real) {
  Mask mask;
  mask.queries_ = queries;
  mask.keys_ = static_cast<Index>(key_is_real.size());
  mask.real_ = key_is_real;
  return mask;
}

bool Mask::hides(double value) {
  constexpr double lowest_fp16 = -65504;
  constexpr double lowest_bf16 = -0x1.fep127;
  return value == lowest_fp16 || value <= lowest_bf16;
}

Mask Mask::additive(orrery::Matrix<double> values) {
  Mask mask(values.unaryExpr([](double value) { return !hides(value); }).eval());
  values = values.unaryExpr([](double value) { return hides(value) ? 0.0 : value; }).eval();
  if ((values.array() != 0).any()) mask.added_ = std::move(values);
  return mask;
}

bool Mask::allows(Index query, Index key) const {
  for (const Window& window : windows_)
    if (!window.allows(query, key)) return false;
  if (!real_.empty() && !real_[static_cast<std::size_t>(key)]) return false;
  return allowed_.size() == 0 || allowed_(query, key);
}

VisibleKeys Mask::keys_of(Index query, Index keys) const {
  VisibleKeys seen{0, keys, real_.empty() && allowed_.size() == 0};
  for (const Window& window : windows_) {
    const VisibleKeys within = window.keys_of(query);
    seen.first = std::max<Index>(seen.first, within.first);
    seen.end = std::min<Index>(seen.end, within.end);
    seen.all = seen.all && within.all;
  }
  seen.end = std::max<Index>(seen.first, seen.end);
  return seen;
}

template <class T>
void Mask::hide(Index query, Index first, std::span<T> logits) const {
  constexpr T hidden = -std::numeric_limits<T>::infinity();
  const auto count = static_cast<Index>(logits.size());
  const VisibleKeys seen = keys_of(query, first + count);
  const auto at = [&](Index key) {
    return logits.begin() + std::clamp<Index>(key - first, 0, count);
  };
  std::fill(logits.begin(), at(seen.first), hidden);
  std::fill(at(seen.end), logits.end(), hidden);
  if (seen.all) return;
  for (Index key = std::max<Index>(first, seen.first);
       key < std::min<Index>(first + count, seen.end); ++key)
    if (!allows(query, key)) logits[static_cast<std::size_t>(key - first)] = hidden;
}

bool Mask::sees_a_key(Index query, Index keys) const {
  const VisibleKeys seen = keys_of(query, keys);
  if (seen.all) return seen.first < seen.end;
  for (Index key = seen.first; key < seen.end; ++key)
    if (allows(query, key)) return true;
  return false;
}

Mask Mask::of_queries(Index first, Index count) const {
  Mask part = *this;
  if (allows_everything()) return part;
  part.queries_ = count;
  for (Window& window : part.windows_)
    window.m = Positions(window.m.begin() + first, window.m.begin() + first + count);
  if (allowed_.size() > 0) part.allowed_ = allowed_.middleRows(first, count);
  if (added_.size() > 0) part.added_ = added_.middleRows(first, count);
  return part;
}

Mask Mask::of_queries(Index first, Index count, Index keys) const {
  Mask part = of_queries(first, count);
  if (allows_everything() || keys == keys_) return part;
  part.keys_ = keys;
  for (Window& window : part.windows_) window.n.resize(static_cast<std::size_t>(keys));
  if (!real_.empty()) part.real_.resize(static_cast<std::size_t>(keys));
  if (allowed_.size() > 0) part.allowed_ = part.allowed_.leftCols(keys).eval();
  if (added_.size() > 0) part.added_ = part.added_.leftCols(keys).eval();
  return part;
}

void Mask::check_shape(Index queries, Index keys) const {
  if (allows_everything() || (queries_ == queries && keys_ == keys)) return;
  throw UsageError(fmt::format("a mask of [{}, {}]", queries_, keys_),
                   fmt::format("must be [queries, keys] = [{}, {}]", queries, keys),
                   "build it from the positions of these queries and keys");
}

Mask operator&(const Mask& a, const Mask& b) {
  if (a.allows_everything()) return b;
  if (b.allows_everything()) return a;
  a.check_shape(b.queries_, b.keys_);
  Mask both = a;
  both.windows_.insert(both.windows_.end(), b.windows_.begin(), b.windows_.end());
  if (a.real_.empty()) both.real_ = b.real_;
  for (std::size_t key = 0; key < std::min(a.real_.size(), b.real_.size()); ++key)
    both.real_[key] = a.real_[key] && b.real_[key];
  if (a.allowed_.size() == 0)
    both.allowed_ = b.allowed_;
  else if (b.allowed_.size() > 0)
    both.allowed_ = a.allowed_.cwiseProduct(b.allowed_);
  both.added_ = a.added_.size() == 0   ? b.added_
                : b.added_.size() == 0 ? a.added_
                                       : (a.added_ + b.added_).eval();
  return both;
}

template void Mask::hide(Index, Index, std::span<float>) const;
template void Mask::hide(Index, Index, std::span<double>) const;

}  // namespace orrery
