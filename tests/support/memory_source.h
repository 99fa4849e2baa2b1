#pragma once

#include <memory>

#include "core/training/model_weights.h"

namespace orrery {

/// Weights that are trained, as a forward pass reads them. Both must outlive it.
template <class T>
class MemorySource final : public WeightSource<T> {
 public:
  MemorySource(const ModelWeights<T>& weights, const ModelEncodings& encodings)
      : weights_(weights), encodings_(encodings) {}

  Index vocabulary_size() const override { return weights_.tokens.rows(); }
  Matrix<T> token_vectors(std::span<const std::int32_t> ids) override {
    Matrix<T> vectors(static_cast<Index>(ids.size()), weights_.tokens.cols());
    for (std::size_t i = 0; i < ids.size(); ++i)
      vectors.row(static_cast<Index>(i)) = weights_.tokens.row(ids[i]);
    return vectors;
  }
  std::shared_ptr<const EmbeddingWeights<T>> embedding() override {
    auto embedding = std::make_shared<EmbeddingWeights<T>>(weights_.embedding);
    embedding->positions = encodings_.input;
    return embedding;
  }
  std::shared_ptr<const LayerWeights<T>> layer(int layer) override {
    const auto l = static_cast<std::size_t>(layer);
    auto weights = std::make_shared<LayerWeights<T>>(weights_.layers[l]);
    weights->encoding = encodings_.layers[l];
    return weights;
  }
  std::shared_ptr<const HeadWeights<T>> head() override {
    return std::make_shared<HeadWeights<T>>(weights_.head);
  }
  std::shared_ptr<const LinearWeights<T>> vocabulary(Index first, Index count) override {
    const LinearWeights<T>& own = weights_.vocabulary;
    const Matrix<T>& W = own.W.size() > 0 ? own.W : weights_.tokens;
    LinearWeights<T> part{W.middleRows(first, count)};
    if (own.b.size() > 0) part.b = own.b.middleCols(first, count);
    return std::make_shared<LinearWeights<T>>(std::move(part));
  }

 private:
  const ModelWeights<T>& weights_;
  const ModelEncodings& encodings_;
};

}  // namespace orrery
