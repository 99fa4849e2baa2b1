#include "core/encodings/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "core/attention/content.h"
#include "core/errors.h"

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

ParamSpec gate_source_param(const std::string& key, const std::string& gates) {
  return {.key = key,
          .description = gates +
                         " read the keys, or the layer's input as in the paper, which is "
                         "known where tokens have contents and projections.",
          .kind = ParamKind::choice,
          .default_value = std::string("key"),
          .choices = {{"key", "$k_t$"}, {"input", "$x_t$, before $W_k$"}},
          .stated_if_set = true};
}

GateSource gate_source_of(const EncodingSettings& settings, const std::string& key) {
  return settings.params.text(key) == "input" ? GateSource::input : GateSource::key;
}

Index gate_width(const EncodingSettings& settings, GateSource source) {
  return source == GateSource::input ? settings.d_model : settings.d_head;
}

template <class T>
Matrix<double> gate_contents(const ScoreInputs<T>& in, GateSource source) {
  if (source == GateSource::key) return in.k.template cast<double>();
  if (in.x == nullptr)
    throw UsageError("gates of the layer's input", "need x, and here q and k are given without it",
                     "set fox.reads=key or path.reads=key, or give x and the projections");
  if (in.x->rows() != in.k.rows())
    throw UsageError(fmt::format("x of {} tokens", in.x->rows()),
                     fmt::format("must have a row for each of the {} keys", in.k.rows()),
                     "give the input that the keys were projected from");
  return in.x->template cast<double>();
}

template <class T>
void add_gate_content_gradients(const Matrix<double>& d_contents, GateSource source,
                                const ScoreGradients<T>& d) {
  if (source == GateSource::key) return add_to<T>(d.k, d_contents.cast<T>());
  if (d.x == nullptr)
    throw UsageError("the derivative of gates of the layer's input", "needs a place for that by x",
                     "give ScoreGradients::x");
  add_to<T>(*d.x, d_contents.cast<T>());
}

template void add_gate_content_gradients(const Matrix<double>&, GateSource,
                                         const ScoreGradients<float>&);
template void add_gate_content_gradients(const Matrix<double>&, GateSource,
                                         const ScoreGradients<double>&);
template Matrix<double> gate_contents(const ScoreInputs<float>&, GateSource);
template Matrix<double> gate_contents(const ScoreInputs<double>&, GateSource);
template std::vector<KeyGroup> keys_in_order(PositionsIn, const MatrixIn<float>&);
template std::vector<KeyGroup> keys_in_order(PositionsIn, const MatrixIn<double>&);

}  // namespace orrery
