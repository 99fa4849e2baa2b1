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

/// a ← a + b, but for the weights: what the encodings say of their tables.
template <class T>
void add_table_gradients(Gradient<T>& a, const Gradient<T>& b);

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
    Matrix<T> up{}, active{};  ///< with a gate: x W_upᵀ and f(x W_gateᵀ)
    Matrix<T> slopes{};        ///< f' of what the activation read
    Matrix<T> hidden{};        ///< what W_down reads
  };
  struct Layer {
    AttentionBlock<T> attention{};
    FeedForward feed_forward{};
    Half first{}, second{};
  };

  void embed();
  void pass_block(std::size_t l);
  void read_by(bool norms, const NormWeights<T>& w, const Matrix<T>& x, Matrix<T>& read) const;
  void join(Half& half, const NormWeights<T>& w, Matrix<T>& out);
  void feed_forward(FeedForward& tape, const FeedForwardWeights<T>& w, const Matrix<T>& x,
                    Matrix<T>& y);
  void form_probabilities();
  TokenLosses take_losses();

  void head_back(double scale, Gradient<T>& gradient);
  void block_back(std::size_t l, Gradient<T>& gradient);
  void made_back(const Half& half, const NormWeights<T>& w, NormWeights<T>& d_w);
  void read_back(const Half& half, bool norms, const NormWeights<T>& w, const Matrix<T>& d_read,
                 NormWeights<T>& d_w);
  const Matrix<T>& feed_forward_back(const FeedForward& tape, const FeedForwardWeights<T>& w,
                                     const Matrix<T>& x, FeedForwardWeights<T>& d_w);
  void embedded_back(Gradient<T>& gradient);

  /// The residual stream behind so many layers.
  Matrix<T>& stream(std::size_t layers) {
    return layers < layers_.size() ? layers_[layers].first.x : last_;
  }
  const TransformerDesign& design() const { return design_.transformer; }
  bool reads_normed() const {
    const NormPlace place = design().norm_place;
    return place != NormPlace::after && place != NormPlace::inside;
  }

  const TrainedDesign<T>& design_;
  const ModelWeights<T>& weights_;
  const ForwardPlan<T>& plan_;
  SequencesIn in_{};
  TileProducts<T> products_{};
  Matrix<T> token_sum_{};   ///< at the embedding, before its norm
  Matrix<T> normed_sum_{};  ///< before its projection
  std::vector<Layer> layers_{};
  Matrix<T> made_{};             ///< what a half has just made
  Matrix<T> last_{}, hidden_{};  ///< the stream behind the last layer, and after its norm
  Matrix<T> asked_hidden_{};     ///< its rows with a target
  Matrix<T> activated_{}, head_slopes_{}, head_read_{};
  Matrix<T> probabilities_{};  ///< [rows with a target, vocabulary]
  Matrix<T> capped_{};         ///< their logits, where they have a softcap
  // Of the way back:
  Matrix<T> d_{};       ///< ∂loss by the stream
  Matrix<T> d_made_{};  ///< by what a half has made
  Matrix<T> d_hidden_{}, d_gate_{}, d_read_{}, d_logits_{}, d_head_{};
  std::vector<Index> asked_{};  ///< rows with a target
};

}  // namespace orrery
