#pragma once

#include <optional>

#include "core/attention/feature_map.h"
#include "core/attention/softmax_attention.h"
#include "core/encoding.h"

namespace orrery {

/// Whether the rotation is applied to features, and to which.
enum class LinearVariant {
  paper,                    ///< eq. (19): rotated features above, plain features below
  both_rotated,             ///< rotated features in the normaliser too: it can vanish
  rotated_before_features,  ///< φ(R_m q): what performer-pytorch does; not a function of m − n
};

/// How queries and keys become features above and below the fraction bar of eq. (19).
template <class T>
struct LinearFeatures {
  const FeatureMap<T>& map;
  const QkTransform<T>* rotation;  ///< may be null
  LinearVariant variant;
};

enum class FeaturesOf { queries, keys };

template <class S>
struct FeatureRows {
  Matrix<S> above;  ///< [rows or more, features]
  Matrix<S> below;  ///< [rows, features]
};

/// Features of rows, and `padding` rows of 0 behind those above the bar.
template <class T, class S>
FeatureRows<S> feature_rows(const LinearFeatures<T>& features, FeaturesOf side, PositionsIn at,
                            const MatrixIn<T>& rows, Index padding = 0);

struct LinearOptions {
  LinearVariant variant{LinearVariant::paper};
  bool causal{false};   ///< a query sees keys with n ≤ m, by position
  double epsilon{0.0};  ///< added to the normaliser; fast-transformers uses 1e-6
};

template <class T>
struct LinearOutput {
  Matrix<T> output;           ///< [N_q, d_v]
  Matrix<T> normalizers;      ///< [N_q, 1], the denominators
  Matrix<T> numerators;       ///< [N_q, 1], what the numerators' weights sum to: a row of weights
                              ///< sums to numerator/normalizer, which eq. (19) does not make 1
  Index zero_normalizers{0};  ///< queries whose denominator is 0: zero output
};

/// Linear attention, one block of keys at a time in the order of positions. If it is not causal,
/// every query multiplies the sums over all keys. If it is causal, a query multiplies the sums
/// over the blocks before its own, and weighs the keys of its own block. Blocks start at the first
/// key, so that a causal output depends neither on other queries nor on later keys. Products are
/// formed and summed over a block in S, and summed over blocks in fp64.
///
/// @param key_by_key  blocks of one key: no weight is formed, so that no hidden one is 0·NaN, and
///                    none overflows where its value is 0.
///
/// Empty for numbers whose products S might lose. fp32: features or values that are not 0 and not
/// within 2^-32 … 2^30, or 2^-60 … 2^30. fp64: beyond 1e100 or NaN, if causal and not key by key.
template <class T, class S>
std::optional<LinearOutput<T>> linear_attention_in(const AttentionInputs<T>& in,
                                                   const LinearFeatures<T>& features,
                                                   const LinearOptions& options,
                                                   bool key_by_key = false);

/// Linear attention, eq. (19); without a rotation, eq. (17) with (18).
///   o_m = Σ_n (R_m φ(q_m))ᵀ(R_n φ(k_n)) v_n / Σ_n φ(q_m)ᵀφ(k_n)
///
/// It never forms a map of scores, and so takes a QkTransform and a feature map, but no score
/// terms. With RoPE above the fraction bar and not below it, weights can be negative and do not
/// sum to 1.
///
/// `rotation` rotates features: it is made for d_head = features, but for rotated_before_features,
/// where it rotates q and k. It may be null.
///
/// Throws UsageError for shapes that do not fit.
/// Accuracy: for fp32, products in fp32 where no product can over- or underflow, and in fp64 where
/// one might; denominators, numerators and sums over more than 384 keys in fp64. If causal and
/// without overflow, a query's output has the same bits whatever comes after it. Features or sums
/// that overflow are divided by the rules of IEEE 754: a NaN denominator gives NaN, an infinite
/// one 0, or NaN where the sum above it is infinite too.
/// Cost: O((N_q + N_k)·features·d_v), and memory for blocks of rows beside the output.
/// Source: Su et al. 2021 §3.3; Katharopoulos et al. 2020.
template <class T>
LinearOutput<T> linear_attention(const AttentionInputs<T>& in, const FeatureMap<T>& features,
                                 const QkTransform<T>* rotation, const LinearOptions& options = {});

/// The weights that linear_attention applies without forming them, [N_q, N_k]: for looking at.
/// @param mask  beside options.causal: keys that it hides weigh 0, as padding does that was removed
///              before the sums; it adds nothing. Throws UsageError for another shape.
template <class T>
Matrix<T> linear_attention_weights(const AttentionInputs<T>& in, const FeatureMap<T>& features,
                                   const QkTransform<T>* rotation,
                                   const LinearOptions& options = {}, const Mask& mask = {});

}  // namespace orrery
