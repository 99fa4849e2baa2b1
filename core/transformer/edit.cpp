#include "core/transformer/edit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/encodings/rope_frequencies.h"
#include "core/encodings/rope_scaling.h"
#include "core/encodings/rope_settings.h"
#include "core/errors.h"
#include "core/unknown_name.h"

namespace orrery {
namespace {

/// Layers, pairs and heads that a text may name.
constexpr int most_numbered = 100'000;

/// What follows the name of an edit.
enum class EditValue { none, number, truth, pairs, heads, name };

struct KindForm {
  EditKind kind;
  const char* name;
  EditValue value;
  const char* form;
  const char* description;
};

constexpr KindForm kind_forms[] = {
    {EditKind::sign, "sign", EditValue::none, "sign", "RoPE turns the other way."},
    {EditKind::still, "still", EditValue::pairs, "still:PAIRS",
     "Pairs of RoPE do not turn: they lose position, and keep their content."},
    {EditKind::mute, "mute", EditValue::pairs, "mute:PAIRS",
     "Pairs of RoPE give nothing to the logits: they lose both."},
    {EditKind::shift, "positions:shift", EditValue::number, "positions:shift=S",
     "Positions p + S; relative encodings do not change."},
    {EditKind::compress, "positions:compress", EditValue::number, "positions:compress=S",
     "Positions p/S of RoPE, which is theta/S: linear interpolation."},
    {EditKind::group, "positions:group", EditValue::number, "positions:group=S",
     "Positions ⌊p/S⌋: S neighbours share one."},
    {EditKind::no_position, "no_position", EditValue::none, "no_position",
     "Every token is at position 0."},
    {EditKind::window, "window", EditValue::number, "window:W",
     "Tokens see W keys, their own included; 0 for all."},
    {EditKind::scale, "scale", EditValue::number, "scale:S", "q·k is multiplied by S."},
    {EditKind::softcap, "softcap", EditValue::number, "softcap:C",
     "Logits l of attention become C tanh(l/C) in all layers; 0 for none."},
    {EditKind::adds_one, "adds_one", EditValue::truth, "adds_one:yes",
     "Norms multiply by 1 + gain; no: by gain."},
    {EditKind::defect, "defect", EditValue::name, "defect:NAME",
     "q and k turn as a program with a known mistake turns them."},
    {EditKind::zero, "zero", EditValue::heads, "zero:HEADS", "Outputs of heads become 0."},
    {EditKind::mean, "mean", EditValue::heads, "mean:HEADS",
     "Outputs of heads become their mean over the tokens of the text."},
    {EditKind::corpus_mean, "corpus_mean", EditValue::heads, "corpus_mean:HEADS",
     "Outputs of heads become their mean over the other texts."},
};

const KindForm& form_of(EditKind kind) {
  for (const KindForm& form : kind_forms)
    if (form.kind == kind) return form;
  check_invariant(false, "every kind of edit but rope has a form");
  return kind_forms[0];
}

/// "pairing" of "rope.pairing": what an edit is called.
std::string short_key(std::string_view key) {
  constexpr std::string_view prefix = "rope.";
  return std::string(key.starts_with(prefix) ? key.substr(prefix.size()) : key);
}

/// Settings of RoPE that are one value: no lists of factors.
std::vector<const RopeSetting*> settings_of_edits() {
  std::vector<const RopeSetting*> settings;
  for (const RopeSetting& setting : rope_settings())
    if (setting.spec.kind != ParamKind::number_list) settings.push_back(&setting);
  return settings;
}

[[noreturn]] void refuse_name(std::string_view name) {
  std::vector<std::string> names;
  for (const RopeSetting* setting : settings_of_edits())
    names.push_back(short_key(setting->spec.key));
  for (const KindForm& form : kind_forms) names.emplace_back(form.name);
  throw_unknown_name(name, "an edit", names);
}

[[noreturn]] void refuse_value(std::string_view text, const std::string& rule,
                               const std::string& remedy) {
  throw UsageError(fmt::format("edit {}", text), rule, remedy);
}

int number_of(std::string_view text, const char* what) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 ||
      number >= most_numbered)
    throw UsageError(fmt::format("{} \"{}\"", what, text), "is no number from 0 on",
                     "write 3, 0..3, or 0..3+7");
  return number;
}

template <class Use>
void each_part(std::string_view text, char separator, const Use& use) {
  while (true) {
    const std::size_t at = text.find(separator);
    use(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

/// "3" or "0..3".
std::pair<int, int> range_of(std::string_view text, const char* what) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const int only = number_of(text, what);
    return {only, only};
  }
  const int first = number_of(text.substr(0, dots), what);
  const int last = number_of(text.substr(dots + 2), what);
  if (last < first)
    throw UsageError(fmt::format("{} {}", what, text), "ends before it begins",
                     fmt::format("write {}..{}", last, first));
  return {first, last};
}

/// "0..3+7" of ascending numbers.
std::string numbers_text(const std::vector<int>& numbers) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    parts.push_back(end - i == 1 ? fmt::format("{}", numbers[i])
                                 : fmt::format("{}..{}", numbers[i], numbers[end - 1]));
    i = end;
  }
  return fmt::format("{}", fmt::join(parts, "+"));
}

std::string heads_text(const std::vector<HeadPlace>& heads) {
  std::vector<std::string> parts;
  for (const HeadPlace& place : heads)
    parts.push_back(place.head < 0 ? fmt::format("{}", place.layer)
                                   : fmt::format("{}.{}", place.layer, place.head));
  return fmt::format("{}", fmt::join(parts, "+"));
}

double edit_number(std::string_view text, std::string_view value, EditKind kind) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(number))
    refuse_value(text, "needs a number", fmt::format("write {}", form_of(kind).form));
  const bool whole = kind == EditKind::shift || kind == EditKind::group || kind == EditKind::window;
  if (whole && number != std::floor(number))
    refuse_value(text, "needs a whole number of tokens", fmt::format("write {:.0f}", number));
  const bool divides = kind == EditKind::compress || kind == EditKind::group;
  const double least = divides ? 1 : 0;
  if (kind != EditKind::shift && kind != EditKind::scale && number < least)
    refuse_value(text, fmt::format("needs a number from {} on", least),
                 fmt::format("write {}", form_of(kind).form));
  if (std::abs(number) > static_cast<double>(max_position))
    refuse_value(text, "is beyond ±2^53", "give a smaller number");
  return number;
}

bool parse_truth(std::string_view text, std::string_view value) {
  if (value != "yes" && value != "no") refuse_value(text, "is neither yes nor no", "write one");
  return value == "yes";
}

/// An edit's text in its parts.
struct EditParts {
  std::string_view name, value, layers;
  bool has_value{}, has_layers{};
};

EditParts parts_of(std::string_view text) {
  EditParts parts;
  std::string_view rest = text;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    parts.layers = rest.substr(at + 1);
    parts.has_layers = true;
    rest = rest.substr(0, at);
  }
  // positions:shift=1000 has a name of two words.
  const std::size_t mark = rest.starts_with("positions:") ? rest.find('=') : rest.find(':');
  parts.name = rest.substr(0, mark);
  parts.has_value = mark != std::string_view::npos;
  if (parts.has_value) parts.value = rest.substr(mark + 1);
  return parts;
}

std::optional<Edit> setting_edit(const EditParts& parts) {
  for (const RopeSetting* setting : settings_of_edits()) {
    if (short_key(setting->spec.key) != parts.name && setting->spec.key != parts.name) continue;
    ParamSet set({setting->spec});
    set.set(setting->spec.key, parts.value);
    return Edit{
        .kind = EditKind::rope, .key = setting->spec.key, .value = set.value(setting->spec.key)};
  }
  return std::nullopt;
}

Edit edit_of(std::string_view text, const EditParts& parts, const KindForm& form) {
  if (parts.has_value != (form.value != EditValue::none))
    refuse_value(text, parts.has_value ? "takes no value" : "needs a value",
                 fmt::format("write {}", form.form));
  Edit edit{.kind = form.kind};
  switch (form.value) {
    case EditValue::number:
      edit.number = edit_number(text, parts.value, form.kind);
      break;
    case EditValue::pairs:
      edit.pairs = parse_numbers(parts.value, "pair");
      break;
    case EditValue::heads:
      edit.heads = parse_heads(parts.value);
      break;
    case EditValue::name:
      edit.key = std::string(parts.value);
      break;
    case EditValue::truth:
      edit.number = parse_truth(text, parts.value) ? 1 : 0;
      break;
    case EditValue::none:
      break;
  }
  const bool is_of_model = form.kind == EditKind::softcap || form.kind == EditKind::adds_one;
  if (parts.has_layers && (is_of_model || form.value == EditValue::heads))
    refuse_value(text, is_of_model ? "acts in all layers" : "has its layers in its heads",
                 "leave out the @");
  return edit;
}

void check_layer(int layer, const TransformerDesign& design) {
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

bool is_ablation(EditKind kind) {
  return kind == EditKind::zero || kind == EditKind::mean || kind == EditKind::corpus_mean;
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

bool Edit::acts_in(int layer) const {
  if (is_ablation(kind))
    return std::any_of(heads.begin(), heads.end(),
                       [&](const HeadPlace& place) { return place.layer == layer; });
  return layers.empty() || std::binary_search(layers.begin(), layers.end(), layer);
}

std::vector<int> parse_numbers(std::string_view text, const char* what) {
  std::set<int> numbers;
  each_part(text, '+', [&](std::string_view part) {
    const auto [first, last] = range_of(part, what);
    for (int n = first; n <= last; ++n) numbers.insert(n);
  });
  return {numbers.begin(), numbers.end()};
}

std::vector<HeadPlace> parse_heads(std::string_view text) {
  std::vector<HeadPlace> heads;
  each_part(text, '+', [&](std::string_view part) {
    const std::size_t dot = part.find('.');
    const bool one_head =
        dot != std::string_view::npos && part.find("..") == std::string_view::npos;
    if (one_head) {
      heads.push_back(
          {number_of(part.substr(0, dot), "layer"), number_of(part.substr(dot + 1), "head")});
      return;
    }
    const auto [first, last] = range_of(part, "layer");
    for (int layer = first; layer <= last; ++layer) heads.push_back({layer, -1});
  });
  return heads;
}

Edit parse_edit(std::string_view text) {
  const EditParts parts = parts_of(text);
  std::optional<Edit> edit = setting_edit(parts);
  for (const KindForm& form : kind_forms)
    if (!edit && parts.name == form.name) edit = edit_of(text, parts, form);
  if (!edit) refuse_name(parts.name);
  if (parts.has_layers) edit->layers = parse_numbers(parts.layers, "layer");
  return *edit;
}

std::string edit_text(const Edit& edit) {
  std::string text;
  if (edit.kind == EditKind::rope) {
    text = fmt::format("{}:{}", short_key(edit.key), to_text(edit.value));
  } else {
    const KindForm& form = form_of(edit.kind);
    text = form.name;
    const char* mark = text.starts_with("positions:") ? "=" : ":";
    switch (form.value) {
      case EditValue::number:
        text += mark + number_text(edit.number);
        break;
      case EditValue::pairs:
        text += mark + numbers_text(edit.pairs);
        break;
      case EditValue::heads:
        text += mark + heads_text(edit.heads);
        break;
      case EditValue::name:
        text += mark + edit.key;
        break;
      case EditValue::truth:
        text += mark + std::string(edit.number == 0 ? "no" : "yes");
        break;
      case EditValue::none:
        break;
    }
  }
  if (!edit.layers.empty()) text += "@" + numbers_text(edit.layers);
  return text;
}

std::vector<EditForm> edit_forms() {
  std::vector<EditForm> forms;
  for (const RopeSetting* setting : settings_of_edits())
    forms.push_back({short_key(setting->spec.key) + ":VALUE", setting->spec.description});
  for (const KindForm& form : kind_forms) forms.push_back({form.form, form.description});
  return forms;
}

int first_edited_layer(const std::vector<Edit>& edits, int layers) {
  int first = layers;
  for (const Edit& edit : edits)
    for (int layer = 0; layer < first; ++layer)
      if (edit.acts_in(layer)) first = layer;
  return first;
}

TransformerDesign edited_design(TransformerDesign design, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    for (const int layer : edit.layers) check_layer(layer, design);
    if (edit.kind == EditKind::softcap) design.attention.softcap = edit.number;
    if (edit.kind == EditKind::adds_one) {
      design.norm.adds_one = edit.number != 0;
      design.attention.qk_norm.norm.adds_one = edit.number != 0;
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
    // These change the design itself.
    const bool of_design = edit.kind == EditKind::window || edit.kind == EditKind::scale ||
                           edit.kind == EditKind::softcap || edit.kind == EditKind::adds_one;
    applied_.push_back(of_design);
  }
}

template <class T>
void ActiveEdits<T>::check(const TransformerDesign& design) const {
  const auto heads = static_cast<int>(design.attention.heads);
  for (const Edit& edit : edits_->list) {
    for (const int layer : edit.layers) check_layer(layer, design);
    for (const HeadPlace& place : edit.heads) {
      check_layer(place.layer, design);
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
    if (site.quantity != Quantity::head_output || !is_ablation(edit.kind) ||
        !names_head(edit, site))
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
                       "see orrery positions for what its layers have");
}

template class ActiveEdits<float>;
template class ActiveEdits<double>;

}  // namespace orrery
