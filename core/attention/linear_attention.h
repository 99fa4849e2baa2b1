#pragma once

#include "core/attention/linear_sums.h"

namespace orrery {

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
