#pragma once

#include "core/attention/feature_map.h"
#include "core/attention/softmax_attention.h"

namespace orrery {

/// Where the rotation goes.
enum class LinearVariant {
  paper,                    ///< eq. (19): rotated features above, plain features below
  both_rotated,             ///< rotated features in the normaliser too: it can vanish
  rotated_before_features,  ///< φ(R_m q): what performer-pytorch does; not a function of m − n
};

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

/// Eq. (19): o_m = Σ_n (R_m φ(q_m))ᵀ(R_n φ(k_n)) v_n / Σ_n φ(q_m)ᵀφ(k_n); without a rotation eq.
/// (17) with (18). It never forms a score matrix, which is why it takes a QkTransform and a feature
/// map and no score terms. With RoPE above and not below, weights can be negative and do not sum
/// to 1. The rotation is of features: made for d_head = features, but for rotated_before_features,
/// where it turns q and k. rotation may be null. Throws UsageError on shapes that do not fit.
/// Features or sums that overflow are divided as IEEE 754 has it: a NaN denominator gives NaN, an
/// infinite one 0, or NaN where the sum above it is infinite too.
/// Accuracy: sums in fp64 for either T. Cost: O((N_q + N_k)·features·d_v).
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
