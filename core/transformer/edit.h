#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/params.h"

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
  adds_one,     ///< norms multiply by 1 + gain, or by gain
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
  double number{};                 ///< s, w or c; of adds_one what is added to gains
  std::vector<int> pairs{};        ///< still, mute
  std::vector<HeadPlace> heads{};  ///< zero, mean, corpus_mean
  std::vector<int> layers{};       ///< ascending; empty for all

  bool acts_in(int layer) const;
  bool is_ablation() const;  ///< zero, mean, corpus_mean
  friend bool operator==(const Edit&, const Edit&) = default;
};

/// Throws UsageError: an unknown name, with the nearest; a value, a layer, a pair or a head that is
/// no number or out of range. Whether the model has them is seen by the pass.
Edit parse_edit(std::string_view text);
/// The same of each text, in their order.
std::vector<Edit> parse_edits(const std::vector<std::string>& texts);
/// The text that parse_edit reads back as the same edit.
std::string edit_text(const Edit& edit);

/// "0..3+7": numbers and ranges, ascending. Throws UsageError, naming `what` they are.
std::vector<int> parse_numbers(std::string_view text, const char* what);
/// "16.0+11.1+12": heads, and whole layers. Throws UsageError.
std::vector<HeadPlace> parse_heads(std::string_view text);
/// The places with each whole layer as its heads.
/// @param heads  of a layer; places of heads beyond them are left out
std::set<HeadPlace> single_heads(const std::vector<HeadPlace>& places, int heads);

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

}  // namespace orrery
