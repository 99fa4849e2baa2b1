#include "experiments/identify/seen_mask.h"

#include <algorithm>
#include <cmath>
#include <utility>
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

/// Rows and columns of the cells, with their positions.
struct Part {
  Cells hidden{};
  Positions queries{}, keys{};

  /// Whether the cells that hides(m, n) are just the hidden ones.
  template <class Hides>
  bool is_hidden_by(const Hides& hides) const {
    for (Index i = 0; i < hidden.rows(); ++i)
      for (Index j = 0; j < hidden.cols(); ++j)
        if (hidden(i, j) !=
            hides(queries[static_cast<std::size_t>(i)], keys[static_cast<std::size_t>(j)]))
          return false;
    return true;
  }

  /// 1 more than the largest size_of(m, n) of the cells that are seen; 0 for none.
  template <class SizeOf>
  Position seen_size(const SizeOf& size_of) const {
    Position size = 0;
    for (Index i = 0; i < hidden.rows(); ++i)
      for (Index j = 0; j < hidden.cols(); ++j)
        if (!hidden(i, j))
          size = std::max<Position>(
              size,
              size_of(queries[static_cast<std::size_t>(i)], keys[static_cast<std::size_t>(j)]) + 1);
    return size;
  }
};

bool hides_columns(const Cells& hidden) {
  for (Index j = 0; j < hidden.cols(); ++j)
    for (Index i = 1; i < hidden.rows(); ++i)
      if (hidden(i, j) != hidden(0, j)) return false;
  return true;
}

/// The first key that each query sees, each once. Empty where a query sees none.
std::vector<Position> first_keys(const Cells& hidden, const Positions& keys) {
  std::vector<Position> starts;
  for (Index i = 0; i < hidden.rows(); ++i) {
    Index j = 0;
    while (j < hidden.cols() && hidden(i, j)) ++j;
    if (j == hidden.cols()) return {};
    starts.push_back(keys[static_cast<std::size_t>(j)]);
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

MaskRule finds_top_left(const Part& part, SeenMask&) {
  for (Index i = 0; i < part.hidden.rows(); ++i)
    for (Index j = 0; j < part.hidden.cols(); ++j)
      if (part.hidden(i, j) != (j > i)) return MaskRule::other;
  return MaskRule::top_left;
}

/// Blocks begin at the first query that sees keys ahead, and end at the last key that it sees.
MaskRule finds_whole_blocks(const Part& part, SeenMask& mask) {
  std::vector<Position> blocks;
  for (Index i = 0; i < part.hidden.rows(); ++i) {
    const Position m = part.queries[static_cast<std::size_t>(i)];
    Position last = m;
    for (Index j = 0; j < part.hidden.cols(); ++j)
      if (!part.hidden(i, j))
        last = std::max<Position>(last, part.keys[static_cast<std::size_t>(j)]);
    if (last > m && (blocks.empty() || blocks.back() < m)) {
      blocks.push_back(m);
      blocks.push_back(last);
    }
  }
  const auto block_of = [&](Position p) {
    const auto next = std::lower_bound(blocks.begin(), blocks.end(), p) - blocks.begin();
    const auto at = static_cast<std::size_t>(next);
    const bool inside = at < blocks.size() && (at % 2 == 1 || blocks[at] == p);
    return inside ? next / 2 : -1;
  };
  const bool holds = !blocks.empty() && part.is_hidden_by([&](Position m, Position n) {
    return n > m && (block_of(m) < 0 || block_of(m) != block_of(n));
  });
  if (!holds) return MaskRule::other;
  mask.starts = std::move(blocks);
  return MaskRule::whole_blocks;
}

/// The last query sees the sinks, what it does not, and its window.
MaskRule finds_sinks(const Part& part, SeenMask& mask) {
  const Index last = part.hidden.rows() - 1;
  Index sinks = 0, behind = part.hidden.cols();
  while (sinks < part.hidden.cols() && !part.hidden(last, sinks)) ++sinks;
  while (behind > sinks && !part.hidden(last, behind - 1)) --behind;
  if (sinks == 0 || behind <= sinks) return MaskRule::other;
  const auto key = [&](Index j) { return part.keys[static_cast<std::size_t>(j)]; };
  const Position first = key(0), width = part.queries.back() - key(behind - 1);
  const bool holds = part.is_hidden_by(
      [&](Position m, Position n) { return n > m || (m - n >= width && n - first >= sinks); });
  if (!holds) return MaskRule::other;
  mask.width = width;
  mask.ahead = sinks;
  return MaskRule::sinks;
}

/// The rule of these cells, without padding.
MaskRule rule_of(const Part& part, SeenMask& mask) {
  if (!part.hidden.any()) return MaskRule::none;
  if (part.hidden.all()) return MaskRule::everything;
  mask.width = part.seen_size([](Position m, Position n) { return std::abs(m - n); });
  for (const MaskRule rule : {MaskRule::causal, MaskRule::causal_window, MaskRule::window,
                              MaskRule::chunks, MaskRule::without_self, MaskRule::with_next})
    if (part.is_hidden_by(
            [&](Position m, Position n) { return rule_hides(rule, mask.width, m, n); }))
      return rule;
  mask.starts = first_keys(part.hidden, part.keys);
  const auto text_of = [&](Position p) {
    return std::upper_bound(mask.starts.begin(), mask.starts.end(), p) - mask.starts.begin();
  };
  constexpr std::size_t rows_of_text =
      2;  // of a text, on average: a window's rows begin one by one
  if (mask.starts.size() > 1 && rows_of_text * mask.starts.size() <= part.queries.size())
    for (const MaskRule rule : {MaskRule::texts, MaskRule::blocks})
      if (part.is_hidden_by([&](Position m, Position n) {
            return text_of(m) != text_of(n) || (rule == MaskRule::texts && n > m);
          }))
        return rule;
  mask.starts.clear();
  for (const auto& finds : {finds_top_left, finds_whole_blocks, finds_sinks})
    if (const MaskRule rule = finds(part, mask); rule != MaskRule::other) return rule;
  mask.ahead = part.seen_size([](Position m, Position n) { return n - m; });
  const bool is_band = mask.ahead > 0 && part.is_hidden_by([&](Position m, Position n) {
    return m - n >= mask.width || n - m >= mask.ahead;
  });
  return is_band ? MaskRule::band : MaskRule::other;
}

/// What is left without the rows that hide nothing or everything, as programs let rows of padding
/// do, and without the columns on both sides that all others hide. Empty where one between is
/// hidden, too, or none is.
Part without_padding(const Part& whole, SeenMask& mask) {
  const Cells& hidden = whole.hidden;
  std::vector<Index> rows;
  for (Index i = 0; i < hidden.rows(); ++i)
    if (hidden.row(i).any() && !hidden.row(i).all()) rows.push_back(i);
  const auto is_hidden = [&](Index j) {
    return std::all_of(rows.begin(), rows.end(), [&](Index i) { return hidden(i, j); });
  };
  Index first = 0, last = hidden.cols();
  while (first < last && is_hidden(first)) ++first;
  while (first < last && is_hidden(last - 1)) --last;
  if (rows.empty() || last - first == hidden.cols()) return {};
  Part part{.hidden = Cells(static_cast<Index>(rows.size()), last - first)};
  for (Index j = first; j < last; ++j) part.keys.push_back(whole.keys[static_cast<std::size_t>(j)]);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    part.hidden.row(static_cast<Index>(i)) = hidden.row(rows[i]).segment(first, last - first);
    part.queries.push_back(whole.queries[static_cast<std::size_t>(rows[i])]);
  }
  mask.left = first;
  mask.right = hidden.cols() - last;
  return part;
}

void find_rule(const Part& whole, SeenMask& mask) {
  mask.rule = rule_of(whole, mask);
  if (mask.rule != MaskRule::other) return;
  const Part part = without_padding(whole, mask);
  if (part.hidden.size() > 0) mask.rule = rule_of(part, mask);
  if (mask.rule != MaskRule::other) return;
  mask.left = mask.right = 0;
  if (hides_columns(whole.hidden)) mask.rule = MaskRule::columns;
}

}  // namespace

bool is_boolean_mask(const std::vector<double>& values) {
  const auto is_flag = [](double value) { return value == 0 || value == 1; };
  return std::all_of(values.begin(), values.end(), is_flag) &&
         std::find(values.begin(), values.end(), 1.0) != values.end();
}

bool hides_cell(double value) {
  constexpr double lowest_bias = -1e8;  // programs add −10⁹ and below
  constexpr double of_bert = -10000;
  return Mask::hides(value) || value <= lowest_bias || value == of_bert;
}

bool is_finite_where_seen(const MatrixIn<double>& values) {
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      if (!hides_cell(values(i, j)) && !std::isfinite(values(i, j))) return false;
  return true;
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
  find_rule({std::move(first), queries, keys}, mask);
  return mask;
}

}  // namespace orrery
