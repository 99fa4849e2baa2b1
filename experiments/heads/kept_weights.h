#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "core/transformer/weights.h"

namespace orrery::heads {

/// Another source's weights, of which the first layers that fit into `bytes` stay decoded.
template <class T>
class KeptWeights final : public WeightSource<T> {
 public:
  KeptWeights(std::unique_ptr<WeightSource<T>> source, std::uint64_t bytes)
      : source_(std::move(source)), left_(bytes) {}

  Index vocabulary_size() const override { return source_->vocabulary_size(); }
  Matrix<T> token_vectors(std::span<const std::int32_t> ids) override {
    return source_->token_vectors(ids);
  }
  std::shared_ptr<const EmbeddingWeights<T>> embedding() override { return source_->embedding(); }
  std::shared_ptr<const HeadWeights<T>> head() override { return source_->head(); }
  LinearWeights<T> vocabulary(Index first, Index count) override {
    return source_->vocabulary(first, count);
  }

  std::shared_ptr<const LayerWeights<T>> layer(int layer) override {
    if (const auto kept = layers_.find(layer); kept != layers_.end()) return kept->second;
    std::shared_ptr<const LayerWeights<T>> decoded = source_->layer(layer);
    const std::uint64_t bytes = bytes_of(*decoded);
    if (bytes > left_) return decoded;
    left_ -= bytes;
    layers_[layer] = decoded;
    return decoded;
  }

 private:
  static std::uint64_t bytes_of(const LayerWeights<T>& w) {
    Index numbers = 0;
    for (const AttentionWeights<T>* a : {&w.attention, &w.memory})
      for (const LinearWeights<T>* linear : {&a->q, &a->k, &a->v, &a->o})
        numbers += linear->W.size();
    for (const LinearWeights<T>* linear :
         {&w.feed_forward.gate, &w.feed_forward.up, &w.feed_forward.down})
      numbers += linear->W.size();
    for (const Matrix<T>& tap : w.convolution.W) numbers += tap.size();
    return static_cast<std::uint64_t>(numbers) * sizeof(T);
  }

  std::unique_ptr<WeightSource<T>> source_;
  std::uint64_t left_;
  std::map<int, std::shared_ptr<const LayerWeights<T>>> layers_{};
};

}  // namespace orrery::heads
