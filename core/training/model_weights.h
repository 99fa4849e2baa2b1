#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/attention/softmax_attention.h"
#include "core/encodings/settings.h"
#include "core/transformer/design.h"
#include "core/transformer/weights.h"

namespace orrery {

/// What an encoding in a model that is trained is made from, beside its tables.
struct EncodingRecipe {
  std::string name{"none"};  ///< in the catalogue
  ParamSet params{std::vector<ParamSpec>{}};
  Index d_model{};
  Index d_head{};
  int heads{1};

  /// Throws UsageError as the encoding's constructor does.
  /// @param tables  the values of its tables; those that are not there are drawn by `seed`
  /// @param made    gets all of its tables; may be null
  template <class T>
  std::shared_ptr<const Encoding> make(const Tables& tables, std::int64_t seed = 0,
                                       Tables* made = nullptr) const;
};

/// All that training changes in a transformer, in memory. ∂loss by it has the same form, and so
/// have the moments of an optimiser.
template <class T>
struct ModelWeights {
  /// An encoding's tables by name.
  using OwnTables = std::map<std::string, Matrix<T>, std::less<>>;

  Matrix<T> tokens{};                     ///< [vocabulary, d_embedding]
  EmbeddingWeights<T> embedding{};        ///< without its encoding
  std::vector<LayerWeights<T>> layers{};  ///< without their encodings
  HeadWeights<T> head{};
  LinearWeights<T> vocabulary{};          ///< an empty W: tokens in its place
  OwnTables input_tables{};               ///< of the encoding that adds to the input
  std::vector<OwnTables> layer_tables{};  ///< of the encoding of each layer
};

/// One of the matrices of a ModelWeights.
template <class T>
struct NamedWeight {
  std::string name{};  ///< as PyTorch's modules call it: "layers.0.attention.q.weight"
  Matrix<T>* values{};
  bool decays{};  ///< whether weight decay applies: matrices of linear layers, not gains and biases
  bool is_vector{};  ///< a gain or a bias, [1, d] here
};

/// Those that are not empty, always in the same order.
template <class T>
std::vector<NamedWeight<T>> named_weights(ModelWeights<T>& weights);

/// Zeros in the form of `weights`.
template <class T>
ModelWeights<T> zeros_like(const ModelWeights<T>& weights);

/// Sizes of a model that the design does not hold.
struct ModelSizes {
  Index vocabulary{};
  Index d_model{};
  Index d_feed_forward{};
  double token_deviation{0.02};  ///< of their vectors before the first step: BERT's, GPT-2's
  bool biases{false};            ///< whether linear layers have them
  bool norm_biases{false};
  bool vocabulary_biases{false};
  bool tied{false};  ///< whether the vocabulary's matrix is that of the tokens
};

/// What multiplies q·k at a layer: its own scale, or that of an encoding that adds a bias, or
/// 1/√d_head.
template <class T>
double content_scale(const SoftmaxDoors<T>& doors, const LayerDesign& layer, Index d_head);

/// Weights before the first step: normals, linear layers with variance 1/in and those that add to
/// the residual stream with 1/(2·layers·in); tokens and tables of positions that are added to them
/// with `token_deviation`; gains 1, biases 0; other tables as their authors start them, each layer
/// with tables of its own.
/// @param recipe  for the input or the layers, as the encoding's doors say
template <class T>
ModelWeights<T> initial_weights(const TransformerDesign& design, const ModelSizes& sizes,
                                const EncodingRecipe& recipe, std::int64_t seed);

/// Encodings of a model, made from its tables as they are.
struct ModelEncodings {
  std::shared_ptr<const Encoding> input{};  ///< null for none
  std::vector<std::shared_ptr<const Encoding>> layers{};
};

template <class T>
ModelEncodings encodings_of(const EncodingRecipe& recipe, const ModelWeights<T>& weights);

}  // namespace orrery
