#pragma once

#include <memory>
#include <vector>

#include "core/attention/feature_map.h"
#include "core/attention/linear_attention.h"
#include "core/attention/multi_head.h"
#include "core/training/model_weights.h"
#include "core/training/tile_product.h"

namespace orrery {

/// Linear attention, eq. (19), in place of softmax.
template <class T>
struct LinearKernel {
  std::shared_ptr<const FeatureMap<T>> features{};
  LinearVariant variant{LinearVariant::paper};
};

/// Some rows of a map, and the columns of the cells in them that a query sees.
struct SeenBlock {
  Index first{};
  Index count{};
  KeyRange columns{};
};

/// What is the same for every sequence of a step in a layer: its encoding as its doors are asked,
/// and maps that do not depend on contents.
template <class T>
struct AttentionPlan {
  const LayerDesign& layer;
  const AttentionDesign& design;
  HeadGroups groups;
  const LinearKernel<T>* linear{nullptr};  ///< null for softmax
  SoftmaxDoors<T> doors{};
  Positions positions{};             ///< of a sequence [N]
  Positions all_positions{};         ///< of the most sequences, one after the other
  T content_scale{1};                ///< where `doors` has score terms that are a bias, or none
  std::vector<Matrix<T>> bias{};     ///< by head [N, N]: terms beside the content's; empty for none
  std::vector<VisibleKeys> seen{};   ///< by query, all between the first and the last
  std::vector<SeenBlock> queries{};  ///< rows of the map, and the keys that they see
  std::vector<SeenBlock> keys{};     ///< its columns, and the queries that see them
  /// cos and sin as StepKernels::turn takes them, [N, heads·d_head]: of an encoding that turns
  /// neighbouring channels of queries and keys, else empty.
  Matrix<T> turn_cos{}, turn_sin{};
  std::vector<double> row_factors{};  ///< by query, of the layer's rule; empty for 1

  /// Of so many rows of whole sequences.
  PositionsIn positions_of(Index rows) const {
    return PositionsIn(all_positions).first(static_cast<std::size_t>(rows));
  }
  Index kv_head(Index head) const { return groups.kv_head(static_cast<int>(head)); }
  /// Whether logits are more than scaled products and a bias.
  bool changes_logits() const { return !row_factors.empty() || design.softcap > 0; }
  /// Whether score terms are formed for each sequence, from its contents.
  bool reads_contents() const { return doors.score_terms && !doors.score_terms->is_bias(); }
};

/// Throws UsageError: an encoding that linear attention does not take; as score_terms, HeadGroups
/// and logit_factors_of do.
/// @param encoding  of the layer; null for none
template <class T>
AttentionPlan<T> attention_plan(const TransformerDesign& design, std::size_t layer,
                                const LinearKernel<T>* linear, const Encoding* encoding,
                                Index length, Index sequences);

/// ∂loss by what belongs to a layer's encoding.
template <class T>
struct EncodingGradient {
  Tables tables{};                ///< of terms that read contents, and of the other doors
  std::vector<Matrix<T>> bias{};  ///< by AttentionPlan::bias
};

/// Attention of a layer over several sequences of one length, which remembers what its derivative
/// needs: forward, then back.
///   o_h = softmax(l_h) v_h, or by eq. (19); y = concat_h(o_h) W_oᵀ + b_o
template <class T>
class AttentionBlock {
 public:
  /// x [sequences·N, d_model], which must outlive `back`; y of the same shape.
  void forward(const AttentionPlan<T>& plan, const AttentionWeights<T>& w, const Matrix<T>& x,
               Matrix<T>& y);
  /// ∂loss by x, from that by y; until the next call.
  const Matrix<T>& back(const AttentionPlan<T>& plan, const AttentionWeights<T>& w,
                        const Matrix<T>& d_y, AttentionWeights<T>& d_w,
                        EncodingGradient<T>& d_encoding);

  /// Weights of a head over a sequence, after forward. [N, N]
  const Matrix<T>& weights(Index sequence, Index head) const {
    return maps_[static_cast<std::size_t>(sequence * heads_ + head)].weights;
  }

 private:
  struct Map {
    Matrix<T> weights{};
    Matrix<T> logits{};       ///< with a softcap: what the mask is added to
    Matrix<T> normalizers{};  ///< of linear attention [N, 1]
  };
  /// Features of a head over all sequences.
  struct Features {
    Matrix<T> read_q{}, read_k{};  ///< what they were made of
    Matrix<T> plain_q{}, plain_k{};
    Matrix<T> above_q{}, above_k{};  ///< rotated, where they are
  };

  void normalise(const AttentionPlan<T>& plan, const AttentionWeights<T>& w);
  void attend(const AttentionPlan<T>& plan, Index sequence, Index head);
  void form_logits(const AttentionPlan<T>& plan, Index sequence, Index head, Matrix<T>& logits);
  void weigh(const AttentionPlan<T>& plan, Index head, Map& map) const;
  void make_features(const AttentionPlan<T>& plan);
  void attend_linearly(const AttentionPlan<T>& plan, Index sequence, Index head);
  void attend_back(const AttentionPlan<T>& plan, Index sequence, Index head,
                   EncodingGradient<T>& d_encoding);
  void pull_weights_back(const AttentionPlan<T>& plan, const Map& map);
  void pull_logits_back(const AttentionPlan<T>& plan, Index sequence, Index head,
                        EncodingGradient<T>& d_encoding);
  void attend_linearly_back(const AttentionPlan<T>& plan, Index sequence, Index head);
  void clear_features();
  void features_back(const AttentionPlan<T>& plan, Tables& d_tables);
  void turn(const AttentionPlan<T>& plan);
  void turn_rows(const AttentionPlan<T>& plan, bool back, const Matrix<T>& x, Matrix<T>& y) const;
  void turn_back(const AttentionPlan<T>& plan, Tables& d_tables);
  void normalise_back(const AttentionPlan<T>& plan, const AttentionWeights<T>& w,
                      AttentionWeights<T>& d_w);
  ScoreInputs<T> score_inputs(const AttentionPlan<T>& plan, Index sequence, Index head,
                              const Matrix<T>* x) const;
  /// A head's rows of a sequence: all.block.
  auto part(Matrix<T>& all, Index sequence, Index head, Index width) const {
    return all.block(sequence * length_, head * width, length_, width);
  }
  auto part(const Matrix<T>& all, Index sequence, Index head, Index width) const {
    return all.block(sequence * length_, head * width, length_, width);
  }

  TileProducts<T> products_{};
  Index heads_{}, length_{}, sequences_{};
  const Matrix<T>* x_{nullptr};
  Matrix<T> projected_q_{}, projected_k_{};  ///< before norm and position
  Matrix<T> normed_q_{}, normed_k_{};        ///< before position
  Matrix<T> turned_q_{}, turned_k_{};        ///< before a norm behind position
  Matrix<T> q_{}, k_{}, v_{}, out_{};
  std::vector<Map> maps_{};
  std::vector<Features> features_{};  ///< by query head
  // Of the way back:
  Matrix<T> d_q_{}, d_k_{}, d_v_{}, d_out_{}, d_x_{};
  Matrix<T> d_map_{};  ///< ∂loss by the map of one head, its weights and then its logits [N, N]
  Matrix<T> below_{};  ///< of linear attention: what is below the fraction bar, or ∂loss by it
  std::vector<Features> d_features_{};
};

}  // namespace orrery
