#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/rope_convention.h"
#include "core/params.h"
#include "core/transformer/design.h"
#include "core/transformer/probe.h"

namespace orrery {

/// What an edit changes of a forward pass.
enum class EditKind {
  rope,         ///< a setting of RoPE: base, pairing, fraction, scaling, …
  sign,         ///< RoPE turns the other way
  still,        ///< pairs of RoPE keep the angle 0 at every position
  mute,         ///< pairs of RoPE are 0 in q and k: they give the logits nothing
  shift,        ///< positions p + s
  compress,     ///< positions p/s, for RoPE: theta/s, as linear interpolation has it
  group,        ///< positions ⌊p/s⌋
  no_position,  ///< position 0 for every token
  window,       ///< keys with |m − n| < w; 0 for all
  scale,        ///< q·k is multiplied by s
  softcap,      ///< of the logits of attention; 0 for none
  adds_one,     ///< whether norms multiply by 1 + gain, or by gain
  defect,       ///< q and k turn as a program with a known mistake turns them
  zero,         ///< outputs of heads become 0
  mean,         ///< outputs of heads become their mean over the tokens of the pass
  corpus_mean,  ///< outputs of heads become their mean over other texts
};

/// A head, by numbers from 0. head −1 stands for all of the layer.
struct HeadPlace {
  int layer{};
  int head{};
  friend bool operator==(const HeadPlace&, const HeadPlace&) = default;
  friend bool operator<(const HeadPlace& a, const HeadPlace& b) {
    return a.layer != b.layer ? a.layer < b.layer : a.head < b.head;
  }
};

/// A change of a forward pass, as one writes it: NAME[:VALUE][@LAYERS].
///   base:10000@3..5   pairing:half_split   scaling:linear   factor:4   sign   still:0..3
///   mute:7   positions:shift=1000   positions:compress=4   no_position@0+2   window:64
///   zero:16.0+11.1   mean:16   defect:base_lost   adds_one:yes
///
/// LAYERS and pairs are numbers and ranges, joined by +. Heads are LAYER.HEAD or LAYER, which is
/// all of its heads. Without LAYERS an edit acts wherever it can.
struct Edit {
  EditKind kind{};
  std::string key{};               ///< of rope a key of rope_settings(), of defect its name
  ParamValue value{};              ///< of rope that of its key
  double number{};                 ///< s, w or c; of adds_one 1 or 0
  std::vector<int> pairs{};        ///< still, mute
  std::vector<HeadPlace> heads{};  ///< zero, mean, corpus_mean
  std::vector<int> layers{};       ///< ascending; empty for all

  bool acts_in(int layer) const;
  friend bool operator==(const Edit&, const Edit&) = default;
};

/// Throws UsageError: an unknown name, with the nearest; a value, a layer, a pair or a head that is
/// no number or out of range. Whether the model has them is seen by the pass.
Edit parse_edit(std::string_view text);
/// The text that parse_edit reads back as the same edit.
std::string edit_text(const Edit& edit);

/// "0..3+7": numbers and ranges, ascending. Throws UsageError, naming `what` they are.
std::vector<int> parse_numbers(std::string_view text, const char* what);
/// "16.0+11.1+12": heads, and whole layers. Throws UsageError.
std::vector<HeadPlace> parse_heads(std::string_view text);

/// One kind of edit, for help.
struct EditForm {
  std::string form{};         ///< "still:PAIRS"
  std::string description{};  ///< a sentence
};
/// Every form, in the order of help texts.
std::vector<EditForm> edit_forms();

/// The first layer in which one of the edits acts; 0 where one changes the embedding or all layers,
/// `layers` where there are none.
int first_edited_layer(const std::vector<Edit>& edits, int layers);

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

/// What edits of RoPE need of a model: the convention of each layer, and how its encoding is made of
/// another one, with all else that the layer's rope has.
struct LayerRopes {
  std::map<int, RopeConvention> conventions{};  ///< of the layers that have RoPE
  std::function<std::shared_ptr<const Encoding>(int layer, const RopeConvention&)> make{};
};

/// The changes of a pass, by Edits and by numbers that no text holds.
template <class T>
struct PassEdits {
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
