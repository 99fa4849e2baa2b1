#include "core/identify/seen_mask.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/mask.h"

namespace orrery {
namespace {

using Cells = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Position floor_divided(Position p, Position width) {
  return p >= 0 ? p / width : -((-p + width - 1) / width);
}

bool rule_hides(MaskRule rule, Position width, Position m, Position n) {
  const Position r = m - n;
  switch (rule) {
    case MaskRule::causal:
      return r < 0;
    case MaskRule::causal_window:
      return r < 0 || r >= width;
    case MaskRule::window:
      return std::abs(r) >= width;
    case MaskRule::chunks:
      return r < 0 || floor_divided(m, width) != floor_divided(n, width);
    case MaskRule::without_self:
      return r <= 0;
    case MaskRule::with_next:
      return r < -1;
    default:
      return false;
  }
}

bool is_rule(const Cells& hidden, MaskRule rule, Position width, const Positions& queries,
             const Positions& keys) {
  for (Index i = 0; i < hidden.rows(); ++i)
    for (Index j = 0; j < hidden.cols(); ++j)
      if (hidden(i, j) != rule_hides(rule, width, queries[static_cast<std::size_t>(i)],
                                     keys[static_cast<std::size_t>(j)]))
        return false;
  return true;
}

/// 1 more than the largest distance that is seen.
Position seen_width(const Cells& hidden, const Positions& queries, const Positions& keys) {
  Position width = 0;
  for (Index i = 0; i < hidden.rows(); ++i)
    for (Index j = 0; j < hidden.cols(); ++j)
      if (!hidden(i, j))
        width = std::max<Position>(
            width,
            std::abs(queries[static_cast<std::size_t>(i)] - keys[static_cast<std::size_t>(j)]) + 1);
  return width;
}

bool hides_columns(const Cells& hidden) {
  for (Index j = 0; j < hidden.cols(); ++j)
    for (Index i = 1; i < hidden.rows(); ++i)
      if (hidden(i, j) != hidden(0, j)) return false;
  return true;
}

MaskRule rule_of(const Cells& hidden, const Positions& queries, const Positions& keys,
                 Position& width) {
  if (!hidden.any()) return MaskRule::none;
  if (hidden.all()) return MaskRule::everything;
  width = seen_width(hidden, queries, keys);
  for (const MaskRule rule : {MaskRule::causal, MaskRule::causal_window, MaskRule::window,
                              MaskRule::chunks, MaskRule::without_self, MaskRule::with_next})
    if (is_rule(hidden, rule, width, queries, keys)) return rule;
  return hides_columns(hidden) ? MaskRule::columns : MaskRule::other;
}

}  // namespace

bool hides_cell(double value) {
  constexpr double lowest_bias = -1e8;  // programs add −10⁹ and below
  constexpr double of_bert = -10000;
  return Mask::hides(value) || value <= lowest_bias || value == of_bert;
}

SeenMask seen_mask(const MatrixIn<double>& values, Index heads, const Positions& queries,
                   const Positions& keys) {
  SeenMask mask;
  const Index rows = values.rows() / heads;
  Cells first;
  for (Index h = 0; h < heads; ++h) {
    Cells hidden(rows, values.cols());
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < values.cols(); ++j) {
        hidden(i, j) = hides_cell(values(h * rows + i, j));
        if (!hidden(i, j)) continue;
        ++mask.hidden;
        mask.value = std::min<double>(mask.value, values(h * rows + i, j));
      }
    if (h == 0) first = hidden;
    mask.same_for_all = mask.same_for_all && hidden == first;
  }
  mask.rule = rule_of(first, queries, keys, mask.width);
  return mask;
}

}  // namespace orrery
