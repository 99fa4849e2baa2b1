#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/training/attention_block.h"
#include "core/training/model_weights.h"

namespace orrery {

/// A target that counts in no loss.
inline constexpr std::int32_t no_target = -1;

/// Sequences of one length, one after the other, and what a model should say at each token.
struct SequencesIn {
  std::span<const std::int32_t> tokens{};   ///< [sequences·length]
  std::span<const std::int32_t> targets{};  ///< the same, or no_target
  Index length{};
};

/// A transformer that can be trained: its equations, without its weights.
template <class T>
struct TrainedDesign {
  TransformerDesign transformer{};
  LinearKernel<T> linear{};  ///< without features: softmax
};

/// What is the same for all sequences of one length at some weights.
template <class T>
struct ForwardPlan {
  ModelEncodings encodings{};
  std::vector<AttentionPlan<T>> layers{};
  Index length{};
  Index sequences{};
};

/// Throws UsageError for what cannot be trained: a decoder that reads an encoder's output, and
/// convolutions; as attention_plan does.
template <class T>
ForwardPlan<T> forward_plan(const TrainedDesign<T>& design, const ModelEncodings& encodings,
                            Index length, Index sequences);

/// ∂loss by everything that training changes, as it is gathered over sequences.
template <class T>
struct Gradient {
  ModelWeights<T> weights{};
  Tables input_tables{};
  std::vector<EncodingGradient<T>> layers{};
};

/// Zeros for such a model.
template <class T>
Gradient<T> empty_gradient(const ModelWeights<T>& weights);

/// a ← a + b.
template <class T>
void add_gradient(Gradient<T>& a, Gradient<T>& b);

/// What the encodings say of their tables joins weights.input_tables and weights.layer_tables.
template <class T>
void gather_tables(const ForwardPlan<T>& plan, Gradient<T>& gradient);

/// The loss at each token: −ln p of its target, nats; 0 without one.
struct TokenLosses {
  std::vector<double> losses{};  ///< [sequences·length]
  std::vector<bool> right{};     ///< whether the target is the likeliest token
};

/// One pass of some sequences through a model, and its derivative on the way back.
template <class T>
class Network {
 public:
  Network(const TrainedDesign<T>& design, const ModelWeights<T>& weights,
          const ForwardPlan<T>& plan);

  TokenLosses forward(const SequencesIn& in);
  /// After forward: gradient gains scale·∂(Σ losses).
  void back(double scale, Gradient<T>& gradient);

  /// Weights of a head over a sequence, after forward. [N, N]
  const Matrix<T>& attention(std::size_t layer, Index sequence, Index head) const {
    return layers_[layer].attention.weights(sequence, head);
  }

 private:
  /// What a half of a block has made, and of what.
  struct Half {
    Matrix<T> x{};     ///< the stream before it
    Matrix<T> read{};  ///< what it read
    Matrix<T> made{};  ///< before its norm
    Matrix<T> sum{};   ///< of stream and made, where that is normalised
  };
  struct FeedForward {
    Matrix<T> read{};
    Matrix<T> gate{}, up{};        ///< before the activation
    Matrix<T> active{}, hidden{};  ///< f(gate) or f(up), and what W_down reads
  };
  struct Layer {
    AttentionBlock<T> attention{};
    FeedForward feed_forward{};
    Half first{}, second{};
  };

  Matrix<T> embedded();
  Matrix<T> block(std::size_t l, Matrix<T> x);
  Matrix<T> read_by(bool norms, const NormWeights<T>& w, const Matrix<T>& x) const;
  Matrix<T> joined(Half& half, Matrix<T> made, const NormWeights<T>& w) const;
  Matrix<T> feed_forward(FeedForward& half, const FeedForwardWeights<T>& w, const Matrix<T>& x);
  TokenLosses losses_of(const Matrix<T>& hidden);

  Matrix<T> head_back(double scale, Gradient<T>& gradient);
  Matrix<T> block_back(std::size_t l, Matrix<T> d, Gradient<T>& gradient);
  Matrix<T> made_back(const Half& half, const NormWeights<T>& w, Matrix<T>& d,
                      NormWeights<T>& d_w) const;
  void read_back(const Half& half, bool norms, const NormWeights<T>& w, const Matrix<T>& d_read,
                 Matrix<T>& d, NormWeights<T>& d_w) const;
  Matrix<T> feed_forward_back(const FeedForward& half, const FeedForwardWeights<T>& w,
                              const Matrix<T>& d_y, FeedForwardWeights<T>& d_w) const;
  void embedded_back(Matrix<T> d, Gradient<T>& gradient);

  const TransformerDesign& design() const { return design_.transformer; }
  bool reads_normed() const {
    const NormPlace place = design().norm_place;
    return place != NormPlace::after && place != NormPlace::inside;
  }

  const TrainedDesign<T>& design_;
  const ModelWeights<T>& weights_;
  const ForwardPlan<T>& plan_;
  SequencesIn in_{};
  Matrix<T> token_sum_{},
      normed_sum_{};  ///< at the embedding: before its norm, before its projection
  std::vector<Layer> layers_{};
  Matrix<T> last_{}, hidden_{};  ///< the stream behind the last layer, and after its norm
  Matrix<T> transformed_{}, activated_{}, head_read_{};
  Matrix<T> probabilities_{};   ///< [rows with a target, vocabulary]
  Matrix<T> capped_{};          ///< their logits, where they have a softcap
  std::vector<Index> asked_{};  ///< rows with a target
};

}  // namespace orrery
