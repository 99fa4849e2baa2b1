#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/mask.h"
#include "core/transformer/forward.h"
#include "core/transformer/weights.h"
#include "experiments/checkpoints/checkpoint.h"
#include "experiments/heads/live_model.h"
#include "experiments/model/progress.h"

namespace orrery {

/// What a pass over a text leaves behind.
template <class T>
struct KeptPass {
  std::vector<std::int32_t> tokens{};
  std::map<int, Matrix<T>> hidden{};         ///< the residual stream in front of layers, by layer
  std::map<HeadPlace, Matrix<T>> weights{};  ///< of heads
  Matrix<T> last{};                          ///< behind the last norm
  std::vector<double> losses{};              ///< empty where the model has none
  std::vector<double> next{};                ///< probabilities of what comes behind; or empty
};

/// The passes of a LiveModel in one precision.
template <class T>
class ModelRun {
 public:
  ModelRun(const std::filesystem::path& path, const RunSettings& settings);

  const Checkpoint& checkpoint() const { return checkpoint_; }
  const TransformerDesign& design() const { return checkpoint_.stack().design; }
  const std::vector<LayerPlan>& layers() const { return checkpoint_.stack().layers; }
  int layer_count() const { return static_cast<int>(design().layers.size()); }
  int head_count() const { return static_cast<int>(design().attention.heads); }
  int vocabulary_size() const { return static_cast<int>(weights_->vocabulary_size()); }
  bool predicts_next() const;
  /// Throws UsageError for a model that does not predict the next token.
  void require_losses() const;

  /// Edits with what their texts alone do not hold: the layers' ropes, and how defects turn q and k.
  /// They hold as long as this run does.
  /// @param tokens  of the sequences, from whose middle on some defects act
  /// Throws as parse_edit; UsageError for an unknown defect, or one that no layer can have.
  PassEdits<T> edits_of(const std::vector<Edit>& list, Index tokens) const;

  /// Hidden states behind the last norm. [N, d_model]
  Matrix<T> pass(const std::vector<std::int32_t>& tokens, PassOptions<T> options = {});
  /// The same of the model under edits.
  Matrix<T> edited_pass(const std::vector<Edit>& edits, const std::vector<std::int32_t>& tokens);
  /// −ln p of each next token. Throws UsageError for a model that does not predict it.
  /// @param last  gets the logits behind the last token, [1, vocabulary]; null for none
  std::vector<double> losses(const std::vector<Edit>& edits, const Matrix<T>& hidden,
                             const std::vector<std::int32_t>& tokens, Matrix<T>* last = nullptr);
  /// The same of a whole pass under edits.
  std::vector<double> edited_losses(const std::vector<Edit>& edits,
                                    const std::vector<std::int32_t>& tokens);
  /// Throws UsageError for a token that the vocabulary does not have; −1 stands for none.
  void require_token(std::int32_t id, const char* key) const;
  /// Logits of the vocabulary. [N, vocabulary]
  Matrix<T> logits(const std::vector<Edit>& edits, const MatrixIn<T>& hidden);
  /// The last norm of states that a probe has seen. [N, d_model]
  Matrix<T> final_norm(const std::vector<Edit>& edits, const Matrix<T>& hidden);

  /// By which q·k of a layer is multiplied, where its encoding has no scale of its own.
  double scale_of(int layer, const std::vector<Edit>& edits = {}) const;
  /// The pairs that a layer's RoPE turns under edits.
  TurningPairs turning_pairs(int layer, const std::vector<Edit>& edits, Index tokens);
  /// Whether the logits of a layer's heads are a sum by position: of pairs of RoPE, or of the terms
  /// of its encoding.
  bool has_terms(int layer);
  /// The terms of a head of a layer without RoPE under edits, from what a pass has of it, among
  /// tokens at 0 … N − 1.
  std::vector<ScoreTerm<T>> score_terms(const HeadPlace& place, const std::vector<Edit>& edits,
                                        const MatrixIn<T>& q, const MatrixIn<T>& k);
  /// What a layer's queries see under edits, among tokens at 0 … N − 1.
  Mask mask_of(int layer, Index tokens, const std::vector<Edit>& edits = {}) const;

  /// While what it returns is there, passes throw Stopped in front of a layer once a stop is
  /// requested.
  [[nodiscard]] std::shared_ptr<const Progress> ask(const Progress& progress) {
    asked_ = &progress;
    return {&progress, [this](const Progress*) { asked_ = nullptr; }};
  }

  /// The last whole pass that a question kept for the next one; its tokens are empty without one.
  KeptPass<T>& kept_pass() { return kept_pass_; }

 private:
  Checkpoint checkpoint_;
  int threads_;
  std::unique_ptr<WeightSource<T>> weights_;  ///< some of which stay decoded
  KeptPass<T> kept_pass_{};
  const Progress* asked_{nullptr};  ///< whether to stop; null where nobody is
};

/// Probabilities of the vocabulary from a row of logits, in fp64. [vocabulary]
template <class T>
std::vector<double> probabilities_of(const MatrixIn<T>& logits, Index row);
/// The most probable, the first of equals first.
std::vector<std::int32_t> most_probable(const std::vector<double>& probabilities,
                                        std::size_t count);

/// The mean output Σ_j A_ij v_j of each head that an edit corpus_mean names, over the tokens of
/// some texts. [1, d_value]
///
/// Throws UsageError where an edit needs them and there is no text.
template <class T>
std::map<HeadPlace, Matrix<T>> corpus_means(ModelRun<T>& run, const std::vector<Edit>& edits,
                                            const std::vector<ModelText>& corpus);

}  // namespace orrery
