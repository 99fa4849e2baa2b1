#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "core/transformer/weights.h"

namespace orrery {

/// Another source's weights, of which the first layers and parts of the vocabulary that fit into
/// `bytes` stay decoded.
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

  std::shared_ptr<const LinearWeights<T>> vocabulary(Index first, Index count) override {
    return kept(vocabulary_, std::pair(first, count),
                [&] { return source_->vocabulary(first, count); });
  }

  std::shared_ptr<const LayerWeights<T>> layer(int layer) override {
    return kept(layers_, layer, [&] { return source_->layer(layer); });
  }

 private:
  /// What was kept for the key, else what `decode` returns, which stays if there is room.
  template <class Key, class Weights, class Decode>
  std::shared_ptr<const Weights> kept(std::map<Key, std::shared_ptr<const Weights>>& all,
                                      const Key& key, const Decode& decode) {
    if (const auto found = all.find(key); found != all.end()) return found->second;
    std::shared_ptr<const Weights> decoded = decode();
    const std::uint64_t bytes = bytes_of(*decoded);
    if (bytes > left_) return decoded;
    left_ -= bytes;
    all[key] = decoded;
    return decoded;
  }

  static std::uint64_t bytes_of(const LinearWeights<T>& w) {
    return static_cast<std::uint64_t>(w.W.size()) * sizeof(T);
  }

  static std::uint64_t bytes_of(const LayerWeights<T>& w) {
    std::uint64_t bytes = 0;
    for (const AttentionWeights<T>* a : {&w.attention, &w.memory})
      for (const LinearWeights<T>* linear : {&a->q, &a->k, &a->v, &a->o})
        bytes += bytes_of(*linear);
    for (const LinearWeights<T>* linear :
         {&w.feed_forward.gate, &w.feed_forward.up, &w.feed_forward.down})
      bytes += bytes_of(*linear);
    for (const Matrix<T>& tap : w.convolution.W)
      bytes += static_cast<std::uint64_t>(tap.size()) * sizeof(T);
    return bytes;
  }

  std::unique_ptr<WeightSource<T>> source_;
  std::uint64_t left_;
  std::map<int, std::shared_ptr<const LayerWeights<T>>> layers_{};
  std::map<std::pair<Index, Index>, std::shared_ptr<const LinearWeights<T>>> vocabulary_{};
};

}  // namespace orrery
