#include "core/transformer/pass_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/encodings/rope_scaling.h"
#include "core/encodings/rope_settings.h"
#include "core/errors.h"

namespace orrery {
namespace {

void check_edited_layer(int layer, const TransformerDesign& design) {
  const auto count = static_cast<int>(design.layers.size());
  if (layer >= count)
    throw UsageError(fmt::format("layer {} of an edit", layer),
                     fmt::format("the model has {} of them", count),
                     fmt::format("give layers from 0 to {}", count - 1));
}

RopeConvention compressed(RopeConvention c, double s) {
  if (c.scaling.kind == RopeScalingKind::none) {
    c.scaling = {.kind = RopeScalingKind::linear, .factor = s};
    return c;
  }
  RopeConvention plain = c;
  plain.scaling = {};
  const std::vector<double> unscaled = frequencies_of(plain, Precision::fp64);
  const std::vector<double> scaled = frequencies_of(c, Precision::fp64);
  RopeScaling by_factors{.kind = RopeScalingKind::factors,
                         .attention_factor = attention_factor(c.scaling)};
  for (std::size_t t = 0; t < scaled.size() && unscaled[t] != 0; ++t)
    by_factors.factors.push_back(s * unscaled[t] / scaled[t]);
  c.scaling = std::move(by_factors);
  return c;
}

/// Whether an edit changes the convention of a layer's rope.
bool changes_rope(EditKind kind) {
  return kind == EditKind::rope || kind == EditKind::sign || kind == EditKind::compress;
}

RopeConvention changed_rope(RopeConvention c, const Edit& edit) {
  if (edit.kind == EditKind::compress) return compressed(std::move(c), edit.number);
  if (edit.kind == EditKind::sign)
    c.clockwise = !c.clockwise;
  else
    find_rope_setting(edit.key)->set(c, edit.value);
  return c;
}

bool changes_positions(EditKind kind) {
  return kind == EditKind::shift || kind == EditKind::group || kind == EditKind::no_position;
}

void change_positions(const Edit& edit, Positions& positions) {
  const auto s = static_cast<Position>(edit.number);
  for (Position& p : positions) {
    if (edit.kind == EditKind::shift) p += s;
    if (edit.kind == EditKind::group) p = (p - (p < 0 ? s - 1 : 0)) / s;
    if (edit.kind == EditKind::no_position) p = 0;
  }
  check_positions(positions);
}

bool names_head(const Edit& edit, const Site& site) {
  return std::any_of(edit.heads.begin(), edit.heads.end(), [&](const HeadPlace& place) {
    return place.layer == site.layer && (place.head < 0 || place.head == site.head);
  });
}

bool can_be_patched(Quantity quantity) {
  return quantity == Quantity::hidden || quantity == Quantity::attention ||
         quantity == Quantity::feed_forward || quantity == Quantity::head_output;
}

}  // namespace

TransformerDesign edited_design(TransformerDesign design, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    for (const int layer : edit.layers) check_edited_layer(layer, design);
    if (edit.kind == EditKind::softcap) design.attention.softcap = edit.number;
    if (edit.kind == EditKind::adds_one && edit.layers.empty()) {
      design.norm.added = edit.number;
      design.attention.qk_norm.norm.added = edit.number;
    }
    for (std::size_t l = 0; l < design.layers.size(); ++l) {
      if (!edit.acts_in(static_cast<int>(l))) continue;
      if (edit.kind == EditKind::window)
        design.layers[l].window = static_cast<Position>(edit.number);
      if (edit.kind == EditKind::scale) design.layers[l].scale = edit.number;
    }
  }
  return design;
}

template <class T>
ActiveEdits<T>::ActiveEdits(const PassEdits<T>* edits, const TransformerDesign& design)
    : edits_(edits) {
  if (!edits) return;
  check(design);
  for (const Edit& edit : edits->list) {
    // These change the design itself, or each norm that they name.
    const bool of_design = edit.kind == EditKind::window || edit.kind == EditKind::scale ||
                           edit.kind == EditKind::softcap || edit.kind == EditKind::adds_one;
    applied_.push_back(of_design);
  }
}

template <class T>
void ActiveEdits<T>::check(const TransformerDesign& design) const {
  const auto heads = static_cast<int>(design.attention.heads);
  for (const Edit& edit : edits_->list) {
    for (const int layer : edit.layers) check_edited_layer(layer, design);
    for (const HeadPlace& place : edit.heads) {
      check_edited_layer(place.layer, design);
      if (place.head >= heads)
        throw UsageError(fmt::format("head {}.{}", place.layer, place.head),
                         fmt::format("a layer has {} heads", heads),
                         fmt::format("give heads from 0 to {}", heads - 1));
    }
    if (edit.kind == EditKind::defect && edits_->defects.count(edit.key) == 0)
      throw UsageError("edit " + edit_text(edit), "has nothing that turns q and k",
                       "give PassEdits::defects what the defect does");
  }
  for (const Patch<T>& patch : edits_->patches)
    if (!can_be_patched(patch.site.quantity) ||
        patch.rows.rows() != static_cast<Index>(patch.tokens.size()))
      throw UsageError("a patch",
                       "replaces as many rows of hidden, attention, feed_forward or "
                       "head_output as it names tokens",
                       "take the rows from a probe of that quantity");
}

template <class T>
bool ActiveEdits<T>::use(std::size_t edit, int layer) {
  if (!edits_->list[edit].acts_in(layer)) return false;
  applied_[edit] = true;
  return true;
}

template <class T>
std::shared_ptr<const Encoding> ActiveEdits<T>::encoding(int layer,
                                                         std::shared_ptr<const Encoding> own) {
  if (!edits_) return own;
  const auto rope = edits_->ropes.conventions.find(layer);
  const bool has_rope = rope != edits_->ropes.conventions.end();
  std::optional<RopeConvention> changed;
  for (std::size_t e = 0; e < edits_->list.size(); ++e) {
    const Edit& edit = edits_->list[e];
    const bool needs_rope = changes_rope(edit.kind) || edit.kind == EditKind::still ||
                            edit.kind == EditKind::mute || edit.kind == EditKind::defect;
    if (!needs_rope || !edit.acts_in(layer)) continue;
    if (!has_rope && !edit.layers.empty())
      throw UsageError("edit " + edit_text(edit),
                       fmt::format("acts on RoPE, which layer {} does not have", layer),
                       "name layers that have it, or none for all that have");
    if (!has_rope || !changes_rope(edit.kind)) continue;
    use(e, layer);
    changed = changed_rope(changed ? *changed : rope->second, edit);
  }
  return changed ? edits_->ropes.make(layer, *changed) : own;
}

template <class T>
NormDesign ActiveEdits<T>::norm(int layer, NormDesign own) const {
  for (std::size_t e = 0; edits_ && e < edits_->list.size(); ++e)
    if (edits_->list[e].kind == EditKind::adds_one && edits_->list[e].acts_in(layer))
      own.added = edits_->list[e].number;
  return own;
}

template <class T>
Positions ActiveEdits<T>::positions(int layer, PositionsIn own, bool are_read) {
  Positions positions(own.begin(), own.end());
  if (!edits_ || !are_read) return positions;
  for (std::size_t e = 0; e < edits_->list.size(); ++e)
    if (changes_positions(edits_->list[e].kind) && use(e, layer))
      change_positions(edits_->list[e], positions);
  return positions;
}

template <class T>
Positions ActiveEdits<T>::embedding_positions(PositionsIn own) {
  Positions positions(own.begin(), own.end());
  if (!edits_) return positions;
  for (std::size_t e = 0; e < edits_->list.size(); ++e) {
    const Edit& edit = edits_->list[e];
    if (!changes_positions(edit.kind) || !edit.layers.empty()) continue;
    change_positions(edit, positions);
    applied_[e] = true;
  }
  return positions;
}

template <class T>
const Turn<T>* ActiveEdits<T>::turn(int layer) {
  const Turn<T>* last = nullptr;
  for (std::size_t e = 0; edits_ && e < edits_->list.size(); ++e)
    if (edits_->list[e].kind == EditKind::defect && use(e, layer))
      last = &edits_->defects.at(edits_->list[e].key);
  return last;
}

template <class T>
bool ActiveEdits<T>::changes_pairs(int layer) const {
  return edits_ && std::any_of(edits_->list.begin(), edits_->list.end(), [&](const Edit& edit) {
           return !edit.pairs.empty() && edit.acts_in(layer);
         });
}

template <class T>
std::vector<int> ActiveEdits<T>::pairs_of(EditKind kind, int layer, Index count) {
  std::vector<int> pairs;
  for (std::size_t e = 0; e < edits_->list.size(); ++e) {
    const Edit& edit = edits_->list[e];
    if (edit.kind != kind || !use(e, layer)) continue;
    if (edit.pairs.back() >= count)
      throw UsageError(fmt::format("pair {} of edit {}", edit.pairs.back(), edit_text(edit)),
                       fmt::format("layer {} has {} pairs", layer, count),
                       fmt::format("give pairs from 0 to {}", count - 1));
    pairs.insert(pairs.end(), edit.pairs.begin(), edit.pairs.end());
  }
  return pairs;
}

template <class T>
void ActiveEdits<T>::change_pairs(int layer, const TurningPairs& pairs, const MatrixIn<T>& before,
                                  MatrixOut<T> turned) {
  const auto count = static_cast<Index>(pairs.channels.size());
  for (const int t : pairs_of(EditKind::still, layer, count)) {
    const auto [a, b] = pairs.channels[static_cast<std::size_t>(t)];
    for (const Index channel : {a, b})
      turned.col(channel) = before.col(channel) * static_cast<T>(pairs.gain);
  }
  for (const int t : pairs_of(EditKind::mute, layer, count)) {
    const auto [a, b] = pairs.channels[static_cast<std::size_t>(t)];
    for (const Index channel : {a, b}) turned.col(channel).setZero();
  }
}

template <class T>
void ActiveEdits<T>::change(const Site& site, MatrixOut<T> rows) {
  if (!edits_ || site.of_memory) return;
  for (std::size_t e = 0; e < edits_->list.size(); ++e) {
    const Edit& edit = edits_->list[e];
    if (site.quantity != Quantity::head_output || !edit.is_ablation() || !names_head(edit, site))
      continue;
    applied_[e] = true;
    if (edit.kind == EditKind::zero) rows.setZero();
    if (edit.kind == EditKind::mean) rows.rowwise() = rows.colwise().mean().eval();
    if (edit.kind != EditKind::corpus_mean) continue;
    const auto mean = edits_->corpus_means.find({site.layer, site.head});
    if (mean == edits_->corpus_means.end() || mean->second.cols() != rows.cols())
      throw UsageError("edit " + edit_text(edit),
                       fmt::format("needs the mean output of head {}.{}", site.layer, site.head),
                       "give the mean over other texts");
    rows.rowwise() = mean->second.row(0);
  }
  for (const Patch<T>& patch : edits_->patches) {
    const bool here = patch.site.quantity == site.quantity && patch.site.layer == site.layer &&
                      patch.site.head == site.head;
    if (!here) continue;
    for (std::size_t i = 0; i < patch.tokens.size(); ++i) {
      if (patch.tokens[i] >= rows.rows() || patch.rows.cols() != rows.cols())
        throw UsageError(
            fmt::format("a patch of token {}", patch.tokens[i]),
            fmt::format("the pass has {} tokens of {} channels there", rows.rows(), rows.cols()),
            "patch runs of the same model and length");
      rows.row(patch.tokens[i]) = patch.rows.row(static_cast<Index>(i));
    }
  }
}

template <class T>
void ActiveEdits<T>::require_all_applied() const {
  for (std::size_t e = 0; e < applied_.size(); ++e)
    if (!applied_[e])
      throw UsageError("edit " + edit_text(edits_->list[e]),
                       "changes nothing in this model: no layer has what it acts on",
                       "see what its layers have: orrery run model_layers model=MODEL");
}

template class ActiveEdits<float>;
template class ActiveEdits<double>;

}  // namespace orrery
