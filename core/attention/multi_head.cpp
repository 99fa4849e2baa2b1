#include "core/attention/multi_head.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "core/attention/content.h"
#include "core/errors.h"

namespace orrery {
namespace {

template <class T>
HeadGroups groups_of(const LayerInputs<T>& in) {
  if (in.v.size() != in.k.size())
    throw UsageError(fmt::format("{} heads of k and {} of v", in.k.size(), in.v.size()),
                     "every key head has its values", "give as many heads in v as in k");
  return {static_cast<Index>(in.q.size()), static_cast<Index>(in.k.size())};
}

template <class T>
AttentionInputs<T> head_inputs(const LayerInputs<T>& in, const HeadGroups& groups, int head) {
  const auto kv = static_cast<std::size_t>(groups.kv_head(head));
  return {in.q[static_cast<std::size_t>(head)],
          in.k[kv],
          in.v[kv],
          in.m,
          in.n,
          in.first_head + head,
          in.segments};
}

/// The columns of one of `heads` equal parts; of an empty matrix none.
template <class T>
Matrix<T> part_of(const Matrix<T>& w, int heads, int head, const char* name) {
  if (w.cols() % heads != 0)
    throw UsageError(fmt::format("{} of shape [{}, {}]", name, w.rows(), w.cols()),
                     fmt::format("its columns must divide by {} heads", heads),
                     "set heads to what the layer has");
  const Index width = w.cols() / heads;
  return w.middleCols(head * width, width);
}

/// The rows whose flag is set.
template <class T>
Matrix<T> kept_rows(const Matrix<T>& rows, const std::vector<bool>& keep) {
  Matrix<T> kept(rows.rows(), rows.cols());
  Index count = 0;
  for (Index i = 0; i < rows.rows(); ++i)
    if (keep[static_cast<std::size_t>(i)]) kept.row(count++) = rows.row(i);
  return kept.topRows(count);
}

void check_flags(const std::vector<bool>& real, std::size_t keys) {
  if (real.empty() || real.size() == keys) return;
  throw UsageError(fmt::format("{} padding flags for {} keys", real.size(), keys),
                   "every key has one flag", "give one flag a key, or none");
}

void check_head_masks(const MaskSpec& visible, int heads) {
  if (visible.head_masks.empty() || visible.head_masks.size() == static_cast<std::size_t>(heads))
    return;
  throw UsageError(fmt::format("{} masks for {} heads", visible.head_masks.size(), heads),
                   "every head has one mask", "give one mask per head, or one for all of them");
}

/// The mask of one head within the mask of all.
Mask mask_of_head(const MaskSpec& visible, const Mask& all, int head) {
  return visible.head_masks.empty() ? all
                                    : all & visible.head_masks[static_cast<std::size_t>(head)];
}

template <class T>
RowReader<T> of_head(const LayerReader<T>& reader, int head) {
  return {[&reader, head](Index first, AttentionOutput<T>& part) { reader.use(head, first, part); },
          reader.rows, reader.map, reader.threads};
}

/// Takes all queries of a head at once.
template <class T>
LayerReader<T> whole_maps(std::vector<AttentionOutput<T>>& heads) {
  return {[&heads](int, Index, AttentionOutput<T>& part) { heads.push_back(std::move(part)); },
          std::numeric_limits<Index>::max()};
}

/// Running sums cannot drop a key, so padding is removed first.
template <class T>
LayerInputs<T> without_padding(const LayerInputs<T>& in, const std::vector<bool>& real) {
  check_flags(real, in.n.size());
  if (real.empty()) return in;
  LayerInputs<T> kept{in.q, {}, {}, in.m, {}, in.first_head};
  for (const Matrix<T>& k : in.k) kept.k.push_back(kept_rows(k, real));
  for (const Matrix<T>& v : in.v) kept.v.push_back(kept_rows(v, real));
  for (std::size_t j = 0; j < real.size(); ++j)
    if (real[j]) kept.n.push_back(in.n[j]);
  return kept;
}

}  // namespace

HeadGroups::HeadGroups(Index heads, Index kv_heads)
    : heads_(static_cast<int>(heads)), kv_heads_(static_cast<int>(kv_heads)) {
  if (heads >= 1 && kv_heads >= 1 && heads % kv_heads == 0) return;
  throw UsageError(fmt::format("{} query heads over {} key heads", heads, kv_heads),
                   "the heads of q must be a multiple of those of k",
                   "give as many heads, or groups of queries that share a key head");
}

Mask MaskSpec::build(PositionsIn m, PositionsIn n) const {
  Mask all = mask;
  if (causal) all = all & Mask::causal(m, n);
  if (window != 0) all = all & Mask::sliding_window(m, n, window);
  check_flags(key_is_real, n.size());
  if (!key_is_real.empty()) all = all & Mask::padding(static_cast<Index>(m.size()), key_is_real);
  return all;
}

template <class T>
Projections<T> LayerProjections<T>::of_head(int head) const {
  const int all = groups.heads();
  const int kv = groups.kv_head(head);
  const int all_kv = groups.kv_heads();
  return {part_of(W_q, all, head, "W_q"),  part_of(W_k, all_kv, kv, "W_k"),
          part_of(W_v, all_kv, kv, "W_v"), part_of(b_q, all, head, "b_q"),
          part_of(b_k, all_kv, kv, "b_k"), part_of(b_v, all_kv, kv, "b_v")};
}

template <class T>
void multi_head_by_rows(const Encoding& encoding, const LayerInputs<T>& in, const MaskSpec& visible,
                        const Scoring& scoring, const LayerReader<T>& reader) {
  const HeadGroups groups = groups_of(in);
  check_head_masks(visible, groups.heads());
  const Mask mask = visible.build(in.m, in.n);
  for (int h = 0; h < groups.heads(); ++h)
    attention_from_qkv_by_rows<T>(encoding, head_inputs<T>(in, groups, h),
                                  mask_of_head(visible, mask, h), scoring, of_head(reader, h));
}

template <class T>
void multi_head_by_rows(const Encoding& encoding, const LayerSource<T>& in, const MaskSpec& visible,
                        const Scoring& scoring, const LayerReader<T>& reader) {
  check_head_masks(visible, in.groups.heads());
  const Mask mask = visible.build(in.m, in.n);
  Matrix<T> k, v;
  for (int h = 0; h < in.groups.heads(); ++h) {
    if (h == 0 || in.groups.kv_head(h) != in.groups.kv_head(h - 1)) {
      k = in.k(in.groups.kv_head(h));
      v = in.v(in.groups.kv_head(h));
    }
    const Matrix<T> q = in.q(h);
    attention_from_qkv_by_rows<T>(encoding, {q, k, v, in.m, in.n, in.first_head + h, in.segments},
                                  mask_of_head(visible, mask, h), scoring, of_head(reader, h));
  }
}

template <class T>
void multi_head_by_rows(const Encoding& encoding, const LayerProjections<T>& projections,
                        const LayerContents<T>& in, const MaskSpec& visible, const Scoring& scoring,
                        const LayerReader<T>& reader) {
  check_head_masks(visible, projections.groups.heads());
  const Mask mask = visible.build(in.m, in.n);
  for (int h = 0; h < projections.groups.heads(); ++h)
    attention_head_by_rows<T>(encoding, projections.of_head(h),
                              {in.x_q, in.x_k, in.m, in.n, in.first_head + h, in.segments},
                              mask_of_head(visible, mask, h), scoring, of_head(reader, h));
}

template <class T>
std::vector<AttentionOutput<T>> multi_head_attention(const Encoding& encoding,
                                                     const LayerInputs<T>& in,
                                                     const MaskSpec& visible,
                                                     const Scoring& scoring) {
  std::vector<AttentionOutput<T>> heads;
  multi_head_by_rows<T>(encoding, in, visible, scoring, whole_maps(heads));
  return heads;
}

template <class T>
std::vector<AttentionOutput<T>> multi_head_attention(const Encoding& encoding,
                                                     const LayerProjections<T>& projections,
                                                     const LayerContents<T>& in,
                                                     const MaskSpec& visible,
                                                     const Scoring& scoring) {
  std::vector<AttentionOutput<T>> heads;
  multi_head_by_rows<T>(encoding, projections, in, visible, scoring, whole_maps(heads));
  return heads;
}

template <class T>
std::vector<LinearOutput<T>> multi_head_linear_attention(const LinearDoors<T>& doors,
                                                         const FeatureMap<T>& features,
                                                         const LayerInputs<T>& in,
                                                         const MaskSpec& visible,
                                                         LinearOptions options) {
  if (visible.window != 0 || !visible.mask.allows_everything() || !visible.head_masks.empty())
    throw UsageError(
        "a window or mask with linear attention",
        "its running sums cannot drop a key: it supports causal masks and padding only",
        "drop the window, or take the softmax kernel");
  if (in.segments.given())
    throw UsageError("segments of tokens with linear attention",
                     "are read by a term of the scores, which it never forms",
                     "drop them, or take the softmax kernel");
  options.causal = visible.causal;
  const HeadGroups groups = groups_of(in);
  const LayerInputs<T> kept = without_padding(in, visible.key_is_real);
  std::vector<LinearOutput<T>> heads;
  for (int h = 0; h < groups.heads(); ++h)
    heads.push_back(linear_attention<T>(head_inputs<T>(kept, groups, h), features,
                                        doors.qk_transform, options));
  return heads;
}

template <class T>
LayerInputs<T> projected(const InputTerm<T>* input_term, const LayerProjections<T>& projections,
                         const LayerContents<T>& in) {
  check_contents(projections, in);
  Matrix<T> x_q = in.x_q;
  Matrix<T> x_k = in.x_k;
  if (input_term) {
    input_term->add_to_input(in.m, x_q);
    input_term->add_to_input(in.n, x_k);
  }
  const auto positions = [](PositionsIn at) { return Positions(at.begin(), at.end()); };
  const HeadGroups& groups = projections.groups;
  LayerInputs<T> out{{}, {}, {}, positions(in.m), positions(in.n), in.first_head, in.segments};
  for (int h = 0; h < groups.heads(); ++h) {
    const Projections<T> w = projections.of_head(h);
    out.q.push_back(w.queries(x_q));
    if (h > 0 && groups.kv_head(h) == groups.kv_head(h - 1)) continue;
    out.k.push_back(w.keys(x_k));
    out.v.push_back(w.values(x_k));
  }
  return out;
}

#define ORRERY_INSTANTIATE(T)                                                                \
  template struct LayerProjections<T>;                                                       \
  template std::vector<AttentionOutput<T>> multi_head_attention(                             \
      const Encoding&, const LayerInputs<T>&, const MaskSpec&, const Scoring&);              \
  template std::vector<AttentionOutput<T>> multi_head_attention(                             \
      const Encoding&, const LayerProjections<T>&, const LayerContents<T>&, const MaskSpec&, \
      const Scoring&);                                                                       \
  template std::vector<LinearOutput<T>> multi_head_linear_attention(                         \
      const LinearDoors<T>&, const FeatureMap<T>&, const LayerInputs<T>&, const MaskSpec&,   \
      LinearOptions);                                                                        \
  template void multi_head_by_rows(const Encoding&, const LayerInputs<T>&, const MaskSpec&,  \
                                   const Scoring&, const LayerReader<T>&);                   \
  template void multi_head_by_rows(const Encoding&, const LayerSource<T>&, const MaskSpec&,  \
                                   const Scoring&, const LayerReader<T>&);                   \
  template void multi_head_by_rows(const Encoding&, const LayerProjections<T>&,              \
                                   const LayerContents<T>&, const MaskSpec&, const Scoring&, \
                                   const LayerReader<T>&);                                   \
  template LayerInputs<T> projected(const InputTerm<T>*, const LayerProjections<T>&,         \
                                    const LayerContents<T>&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
