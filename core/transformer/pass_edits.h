#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/rope_convention.h"
#include "core/transformer/design.h"
#include "core/transformer/edit.h"
#include "core/types.h"

namespace orrery {

/// What a forward pass computes, by name.
enum class Quantity {
  hidden,   ///< the residual stream [N, d_model]: behind the embedding (layer 0) and each layer
  queries,  ///< q [N, d_head] of a head, after norm and position
  keys,     ///< k [N, d_head] of a kv head, after norm and position
  values,   ///< v [N, d_value] of a kv head
  logits,   ///< [N, N] of a head, final but for the mask
  weights,  ///< [N, N] of a head
  moved_logits,  ///< of keys whose contents PassOptions::moved_keys has moved, behind `weights`
  head_output,   ///< Σ_n a_mn v_n [N, d_value] of a head: what W_o reads
  attention,     ///< what attention adds to the residual stream [N, d_model]
  memory,        ///< what attention to an encoder's output adds to it [N, d_model]
  feed_forward,  ///< what feed-forward adds to it [N, d_model]
};

/// Where a number was computed.
struct Site {
  Quantity quantity{};
  int layer{};       ///< counted from 0; of `hidden`, how many layers are behind it
  int head{};        ///< 0 where heads share the quantity
  bool of_memory{};  ///< whether it belongs to a decoder's attention to its encoder
};

/// Looks at a forward pass. What no reader wants is neither kept nor, where it can be avoided,
/// computed: maps of attention above all.
template <class T>
struct Probe {
  /// Whether `see` is called there; asked once per site and pass.
  std::function<bool(const Site&)> wants{};
  /// Gets the rows from `first` on; one call after the other, in the order of the pass.
  std::function<void(const Site&, Index first, const MatrixIn<T>& rows)> see{};
  /// Takes maps of different heads of a layer at the same time, each head's from one thread and in
  /// order.
  bool heads_at_once{false};
  /// Takes rows of maps without the keys behind the last that one of their queries sees.
  bool in_sight{false};

  bool wanted(const Site& site) const { return wants && wants(site); }
};

/// The design with the edits of windows, scales, softcaps and norms, which the vocabulary's logits
/// need as well. Doing it twice is doing it once.
/// Throws UsageError for a layer that the model does not have.
TransformerDesign edited_design(TransformerDesign design, const std::vector<Edit>& edits);

/// Rows of a quantity that are taken from elsewhere, such as another run: hidden, attention,
/// feed_forward or head_output.
template <class T>
struct Patch {
  Site site{};
  std::vector<Index> tokens{};  ///< whose rows are replaced
  Matrix<T> rows{};             ///< [tokens, channels]
};

/// Turns q or k of a layer in place of its encoding. [N, d_head]
template <class T>
using Turn = std::function<void(int layer, int head, PositionsIn positions, MatrixOut<T> x)>;

/// The changes of a pass, by Edits and by numbers that no text holds.
template <class T>
struct PassEdits {
  /// What edits of RoPE need of a model: the convention of each layer, and how its encoding is made of
  /// another one, with all else that the layer's rope has.
  struct LayerRopes {
    std::map<int, RopeConvention> conventions{};  ///< of the layers that have RoPE
    std::function<std::shared_ptr<const Encoding>(int layer, const RopeConvention&)> make{};
  };

  std::vector<Edit> list{};                       ///< applied in this order
  LayerRopes ropes{};                             ///< where an edit is of RoPE
  std::map<HeadPlace, Matrix<T>> corpus_means{};  ///< [1, d_value] of each head of corpus_mean
  std::map<std::string, Turn<T>> defects{};       ///< by name, of each `defect`
  std::vector<Patch<T>> patches{};
};

/// PassEdits in the course of a pass.
template <class T>
class ActiveEdits {
 public:
  /// @param edits  null for none
  /// Throws UsageError: a layer or head that the design does not have, a corpus_mean or a defect
  /// without its numbers, a patch of a quantity that cannot be patched.
  ActiveEdits(const PassEdits<T>* edits, const TransformerDesign& design);

  /// A layer's encoding; `own` itself where nothing changes it.
  /// Throws UsageError for an edit of RoPE where a layer that it names has none.
  std::shared_ptr<const Encoding> encoding(int layer, std::shared_ptr<const Encoding> own);
  /// A layer's norms, `own` without edits: those without layers are the design's, too.
  NormDesign norm(int layer, NormDesign own) const;
  /// Positions as a layer's attention gets them; its mask keeps the others.
  /// @param are_read  whether the layer has an encoding
  Positions positions(int layer, PositionsIn own, bool are_read);
  /// The same where positions are added at the embedding.
  Positions embedding_positions(PositionsIn own);
  /// What turns q and k in place of the layer's encoding; null for that itself.
  const Turn<T>* turn(int layer);
  /// Sets still and muted pairs of one head, turned, from what it was before.
  /// @param pairs  of the layer's encoding
  void change_pairs(int layer, const TurningPairs& pairs, const MatrixIn<T>& before,
                    MatrixOut<T> turned);
  bool changes_pairs(int layer) const;
  /// Replaces the rows of a quantity, in the order of the edits.
  void change(const Site& site, MatrixOut<T> rows);
  /// Throws UsageError for an edit that has changed nothing: such a pass would tell that what it
  /// is about has no effect.
  void require_all_applied() const;

 private:
  bool use(std::size_t edit, int layer);
  std::vector<int> pairs_of(EditKind kind, int layer, Index count);
  void check(const TransformerDesign& design) const;

  const PassEdits<T>* edits_;
  std::vector<bool> applied_{};
};

}  // namespace orrery
