#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/settings.h"
#include "core/types.h"

namespace orrery {

/// Keys with the same position, in the order of positions.
struct KeyGroup {
  Position position{};
  std::vector<Index> keys{};
};
/// Every key in its group. Keys of a group are ordered by contents, bit by bit, so that the order
/// in which they are given does not matter.
template <class T>
std::vector<KeyGroup> keys_in_order(PositionsIn n, const MatrixIn<T>& k);

/// The vector that the gate of a token reads.
enum class GateSource {
  key,    ///< k_t [d_head]: known wherever there is a key
  input,  ///< x_t [d_model], the layer's input: the papers' choice, known before projections only
};

/// The choice `key`, read as GateSource; `gates` names its readers, in the plural.
ParamSpec gate_source_param(const std::string& key, const std::string& gates);
GateSource gate_source_of(const EncodingSettings& settings, const std::string& key);
/// The width of the tables that multiply it: d_head or d_model.
Index gate_width(const EncodingSettings& settings, GateSource source);
/// k or x of every key. [N_k, width]. Throws UsageError if x is needed and not known.
template <class T>
Matrix<double> gate_contents(const ScoreInputs<T>& in, GateSource source);

/// Its derivative: adds ∂loss by the contents that it gave [N_k, width] to that by k or x. Throws
/// UsageError if there is no place for that by x.
template <class T>
void add_gate_content_gradients(const Matrix<double>& d_contents, GateSource source,
                                const ScoreGradients<T>& d);

/// The number of groups whose position is at most `position`.
Index groups_up_to(const std::vector<KeyGroup>& groups, Position position);

/// Weights of the gates of a forgetting head.
struct ForgetGates {
  Matrix<double> weight{};  ///< w [heads, d_head], or [heads, d_model] for gates of the input
  Matrix<double> bias{};    ///< b [1, heads]
  GateSource source{GateSource::key};
};

/// Throws UsageError unless there is a bias for every row of the weight, of one head or more.
void check_gates(const ForgetGates& gates);

/// The terms of forgetting: "constant_forgetting" with the gates of keys without content, and
/// "content_forgetting", what contents change of it.
template <class T>
std::vector<ScoreTerm<T>> forgetting_terms(const ScoreInputs<T>& in, const ForgetGates& gates);

/// The derivative of forgetting_terms, given that by D [N_q, N_k]. The names are those of the tables
/// of the gates; of the bias null where it is a parameter.
template <class T>
void add_forgetting_gradients(const ScoreInputs<T>& in, const ForgetGates& gates,
                              const char* weight_name, const char* bias_name,
                              const Matrix<double>& d_sums, const ScoreGradients<T>& d);

/// Forgetting Transformer (FoX): each token has a gate that scales down the weights of all tokens
/// before it.
///   f_t = σ(w_h·k_t + b_h),  logits_mn = q_m·k_n/√d + D_mn,  D_mn = Σ_{n < t ≤ m} ln f_t
///
/// t runs over the keys that are given. The paper is causal; here a key ahead of the query takes
/// the sum over m < t ≤ n. The paper's gates read the layer's input x_t, as they do here with
/// GateSource::input; where q and k are given without it, they read k_t. If all gates are equal it
/// is ALiBi; otherwise scores depend on more than m − n, though a common shift of all positions
/// does not change them.
///
/// Terms: content; constant_forgetting, which has σ(b_h) for every gate and at consecutive
/// positions is ALiBi's bias with slope −ln σ(b_h); content_forgetting, the rest.
/// Accuracy: N_k·2^-53 of the largest sum.
/// Cost: N_k·d, a sort of the keys, and O(N_q N_k).
/// Source: Lin et al. 2025 (Forgetting Transformer), ICLR; fla, ops/forgetting_attn/naive.py.
template <class T>
class Fox final : public Encoding, public ScoreTerms<T> {
 public:
  /// Rounding is of w and b. Throws UsageError unless there is a bias for every row of the weight.
  explicit Fox(ForgetGates gates, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Fox> make(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true, .reads_other_keys = true}; }
  /// Throws UsageError when in.head is not one of the heads, or keys have another width than w.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const override;

 private:
  ForgetGates gates_;
};

}  // namespace orrery
