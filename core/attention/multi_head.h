#pragma once

#include <functional>
#include <vector>

#include "core/attention/head.h"
#include "core/attention/linear_attention.h"

namespace orrery {

/// H query heads over H_kv heads of keys and values: query head h reads kv head ⌊h/(H/H_kv)⌋. H_kv
/// = H is multi-head attention (Vaswani et al. 2017 §3.2.2), 1 multi-query (Shazeer 2019), and
/// between them grouped-query attention (Ainslie et al. 2023 §2.2).
class HeadGroups {
 public:
  /// Throws UsageError: fewer than one head, or H not a multiple of H_kv.
  HeadGroups(Index heads, Index kv_heads);

  int heads() const { return heads_; }
  int kv_heads() const { return kv_heads_; }
  int kv_head(int head) const { return head / (heads_ / kv_heads_); }

 private:
  int heads_;
  int kv_heads_;
};

/// Which keys the queries of a layer see. A default hides nothing.
struct MaskSpec {
  bool causal{false};               ///< only keys at or behind the query: n ≤ m, by position
  Position window{0};               ///< only keys with |m − n| < window; 0 is no window
  std::vector<bool> key_is_real{};  ///< one flag per key, false for padding
  Mask mask{};                      ///< any other mask, [N_q, N_k]
  std::vector<Mask> head_masks{};   ///< further masks, one per query head

  /// The mask that all heads share. Throws UsageError: a negative window, or not
  /// one flag per key.
  Mask build(PositionsIn m, PositionsIn n) const;
};

/// Projected queries, keys and values of a layer. N_q and N_k need not agree, nor positions start
/// at 0: in decoding with cached keys, one query has the last of the keys' positions.
template <class T>
struct LayerInputs {
  std::vector<Matrix<T>> q;  ///< H of [N_q, d]
  std::vector<Matrix<T>> k;  ///< H_kv of [N_k, d]
  std::vector<Matrix<T>> v;  ///< H_kv of [N_k, d_v]
  Positions m;               ///< [N_q]
  Positions n;               ///< [N_k]
  int first_head{0};         ///< which head of the encoding's layer q.front() is
  SegmentsIn segments{};     ///< the caller's; softmax attention reads them
};

/// The same, read head by head: a layer may be larger than memory. Each function is called once for
/// head 0, 1, …, k before v and v before the queries that read it.
template <class T>
struct LayerSource {
  HeadGroups groups;
  std::function<Matrix<T>(int head)> q;
  std::function<Matrix<T>(int kv_head)> k;
  std::function<Matrix<T>(int kv_head)> v;
  Positions m;  ///< [N_q]
  Positions n;  ///< [N_k]
  int first_head{0};
  SegmentsIn segments{};
};

/// Projections of a layer, applied from the right: q = x W_q + b_q. Head h owns the columns h·d …
/// of W_q and b_q, kv head g the columns g·d … of the others. An empty b adds nothing.
template <class T>
struct LayerProjections {
  Matrix<T> W_q;      ///< [d_model, H·d]
  Matrix<T> W_k;      ///< [d_model, H_kv·d]
  Matrix<T> W_v;      ///< [d_model, H_kv·d_v]
  HeadGroups groups;  ///< H and H_kv
  Matrix<T> b_q{};    ///< [1, H·d]
  Matrix<T> b_k{};    ///< [1, H_kv·d]
  Matrix<T> b_v{};    ///< [1, H_kv·d_v]

  /// The projections of head h. Throws UsageError when columns do not divide by the heads.
  Projections<T> of_head(int head) const;
};

/// Softmax attention, eq. (2), of all heads, each as attention_from_qkv makes it. [H]. The encoding
/// is made for a layer of first_head + H heads or more. Throws UsageError as HeadGroups, MaskSpec
/// and attention_from_qkv do, and unless `visible` has one mask per head or none.
template <class T>
std::vector<AttentionOutput<T>> multi_head_attention(const Encoding& encoding,
                                                     const LayerInputs<T>& in,
                                                     const MaskSpec& visible = {},
                                                     const Scoring& scoring = {});

/// The same from contents, each head as attention_head makes it.
template <class T>
std::vector<AttentionOutput<T>> multi_head_attention(const Encoding& encoding,
                                                     const LayerProjections<T>& projections,
                                                     const LayerContents<T>& in,
                                                     const MaskSpec& visible = {},
                                                     const Scoring& scoring = {});

/// Receives the attention of a layer, head after head, some queries at a time.
template <class T>
struct LayerReader {
  /// Gets the head, counted from 0, the number of the first query, and what RowReader::use gets.
  std::function<void(int head, Index first, AttentionOutput<T>& part)> use;
  Index rows{tile_queries};  ///< as RowReader's
  bool map{true};
  int threads{1};
};

/// multi_head_attention for some queries at a time.
template <class T>
void multi_head_by_rows(const Encoding& encoding, const LayerInputs<T>& in, const MaskSpec& visible,
                        const Scoring& scoring, const LayerReader<T>& reader);
template <class T>
void multi_head_by_rows(const Encoding& encoding, const LayerSource<T>& in, const MaskSpec& visible,
                        const Scoring& scoring, const LayerReader<T>& reader);
template <class T>
void multi_head_by_rows(const Encoding& encoding, const LayerProjections<T>& projections,
                        const LayerContents<T>& in, const MaskSpec& visible, const Scoring& scoring,
                        const LayerReader<T>& reader);

/// The doors that linear attention can honour. It never forms a score, so there is no third.
template <class T>
struct LinearDoors {
  const InputTerm<T>* input_term{nullptr};      ///< read when contents are given
  const QkTransform<T>* qk_transform{nullptr};  ///< made for as many channels as it rotates
};

/// Linear attention, eq. (19), of all heads with the same feature map. [H]. It keeps running sums,
/// so of a MaskSpec it honours causal and padding; options.causal is overruled by visible.causal.
/// Throws UsageError: a window or mask; segments; a grouping or shapes that do not fit.
template <class T>
std::vector<LinearOutput<T>> multi_head_linear_attention(const LinearDoors<T>& doors,
                                                         const FeatureMap<T>& features,
                                                         const LayerInputs<T>& in,
                                                         const MaskSpec& visible = {},
                                                         LinearOptions options = {});

/// Contents after an InputTerm and the projections: the inputs of the functions above.
template <class T>
LayerInputs<T> projected(const InputTerm<T>* input_term, const LayerProjections<T>& projections,
                         const LayerContents<T>& in);

/// Heads side by side, [N_q, H·d_v], as the output projection W_o takes them.
template <class T, class Output>
Matrix<T> concatenated(const std::vector<Output>& heads) {
  const Index width = heads.front().output.cols();
  Matrix<T> all(heads.front().output.rows(), width * static_cast<Index>(heads.size()));
  for (std::size_t h = 0; h < heads.size(); ++h)
    all.middleCols(static_cast<Index>(h) * width, width) = heads[h].output;
  return all;
}

}  // namespace orrery
