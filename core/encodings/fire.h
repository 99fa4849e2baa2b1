#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

/// The network f of FIRE, 1 → width → heads: f(x)_h = Σ_w max(0, x·w1_w + b1_w) w2_wh + b2_h.
struct FireNetwork {
  Matrix<double> w1{};  ///< [1, width]
  Matrix<double> b1{};  ///< [1, width]
  Matrix<double> w2{};  ///< [width, heads]
  Matrix<double> b2{};  ///< [1, heads]
};

struct FireConfig {
  double c{0.1};            ///< of ψ, trained
  double threshold{512.0};  ///< L, tokens, trained
};

/// FIRE, functional interpolation for relative positions: a small network reads the distance as a
/// share of the query's position, so that its argument stays in [0, 1] however long the text is.
///   logits_mn = q_m·k_n/√d + f(ψ(m − n)/(ψ(max(m, L)) + ε))_h,  ψ(x) = ln(|c x| + 1),  ε = 10^-6
///
/// For queries up to position L the bias is a function of m − n; beyond, it depends on m too, so
/// that the encoding is not relative. Keys ahead of the query take |m − n|, and ε is added, as in
/// the released code; the paper prints no ε. L and c are trained: the code starts them at 512 and
/// 0.1, and f as PyTorch starts two linear layers, uniform in ±1/√(inputs). Here f is normal with
/// the same deviation, unless tables are given.
///
/// Terms: content, network_bias.
/// Accuracy: 2^-50 of the sizes of the summands of f.
/// Cost: 4·width flops and a logarithm per pair.
/// Source: Li et al. 2023 (FIRE) §3, ICLR 2024; mcleish7/arithmetic,
/// cramming/architectures/embeddings.py.
template <class T>
class Fire final : public Encoding, public BiasTerm<T> {
 public:
  /// Rounding is of the positions, their distance and the network. Throws UsageError for shapes
  /// that do not fit, c not positive, or L below 1.
  Fire(const FireConfig& config, FireNetwork network, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Fire> make(const EncodingSettings& settings);

  EncodingTraits traits() const override {
    return {.relative = false, .relative_up_to = static_cast<Position>(config_.threshold)};
  }

 private:
  ScoreTerm<T> bias(const ScoreInputs<T>& in) const override;
  bool is_by_distance() const override { return false; }
  void add_bias_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                          Tables& d_tables) const override;
  double share(Position m, Position n) const;
  double network(double x, Index head) const;
  /// The derivative of the network at x: adds that of its weights.
  void add_network_gradients(double x, Index head, double d_bias, FireNetwork& d) const;

  FireConfig config_;
  FireNetwork network_;
  StageRounding rounding_;
};

}  // namespace orrery
