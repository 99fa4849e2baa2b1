#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/settings.h"

namespace orrery {

struct XposConfig {
  Index d_head{};
  double base{10000.0};
  double scale_base{512.0};  ///< B, tokens
  double gamma{0.4};         ///< the closer to 0, the faster the fastest pair decays
  Position centre{0};        ///< c, the position at which nothing is scaled
  StageRounding rounding{};
};

/// xPos: RoPE whose pairs also shrink with distance, the fastest the most.
///   q_mᵀk_n = Σ_t zeta_t^((m − n)/B) Re h_t e^{i(m−n)theta_t},  zeta_t = (2t/d + γ)/(1 + γ),
///   theta_t = base^(-2t/d),  t = 0 … d/2 − 1
///
/// Pair t of q_m rotates by m·theta_t and is multiplied by zeta_t^((m − c)/B), pair t of k_n by
/// n·theta_t and zeta_t^(−(n − c)/B). Pairs are interleaved. Keys ahead of the query grow by the
/// same factor, so that it is meant for causal attention.
///
/// The centre c cancels in products of queries and keys that share it; it keeps numbers in range.
/// The released code takes the middle of the sequence, −⌊−(L + offset)/2⌋, lucidrains' takes
/// ⌊L/2⌋, and cached keys of another c no longer fit. Here c is a setting. Scores are functions of
/// m − n up to traits().last_position, where the fastest pair's factor reaches 2^±500 in
/// double, 2^±60 in float and 2^±12 where cosines or rotated q and k are rounded to fp16; beyond, q
/// would underflow while k overflows, and a UsageError is thrown.
///
/// Accuracy: cos and sin of the exact product position·theta; the factor within 4 ulp.
/// Source: Sun et al. 2022 (A Length-Extrapolatable Transformer) §3.2, algorithm 1;
/// microsoft/torchscale, xpos_relative_position.py.
template <class T>
class Xpos final : public Encoding, public QkTransform<T> {
 public:
  /// Throws UsageError: d_head odd or not positive, base ≤ 1, scale_base or gamma not positive.
  explicit Xpos(const XposConfig& config);

  static EncodingInfo info();
  static std::unique_ptr<Xpos> make(const EncodingSettings& settings);

  EncodingTraits traits() const override {
    return {.relative = true, .last_position = last_position()};
  }
  Position last_position() const;
  void transform_queries(PositionsIn m, MatrixOut<T> q) const override { turn(m, 1.0, q); }
  void transform_keys(PositionsIn n, MatrixOut<T> k) const override { turn(n, -1.0, k); }
  void pull_queries_back(PositionsIn m, const MatrixIn<T>&, MatrixOut<T> d_q,
                         Tables&) const override {
    turn_back(m, 1.0, d_q);
  }
  void pull_keys_back(PositionsIn n, const MatrixIn<T>&, MatrixOut<T> d_k, Tables&) const override {
    turn_back(n, -1.0, d_k);
  }

  const std::vector<double>& theta() const { return theta_; }  ///< rad per token
  const std::vector<double>& zeta() const { return zeta_; }    ///< decay of pair t in B tokens

 private:
  struct Turn {
    double growth;          ///< 1 for queries, −1 for keys
    double direction{1.0};  ///< −1 for the transpose
    StageRounding rounding{};
  };

  void rotate(PositionsIn positions, const Turn& turn, MatrixOut<T> x) const;
  void turn(PositionsIn positions, double growth, MatrixOut<T> x) const;
  void turn_back(PositionsIn positions, double growth, MatrixOut<T> d_x) const;

  XposConfig config_;
  std::vector<double> theta_;
  std::vector<double> zeta_;
};

}  // namespace orrery
