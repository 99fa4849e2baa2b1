#include "core/transformer/edit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/encodings/rope_settings.h"
#include "core/errors.h"
#include "core/position.h"
#include "core/unknown_name.h"

namespace orrery {
namespace {

/// Layers, pairs and heads that a text may name.
constexpr int most_numbered = 100'000;

/// What follows the name of an edit.
enum class EditValue { none, number, share, pairs, heads, name };

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
    {EditKind::adds_one, "adds_one", EditValue::share, "adds_one:yes",
     "Norms multiply by 1 + gain; no: by gain; A: by A + gain. Of layers: not the last norm."},
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
  const std::size_t equals = name.find('=');
  if (std::count(names.begin(), names.end(), name.substr(0, equals)) > 0)
    throw UsageError(name, "is not an edit",
                     fmt::format("did you mean {}:{}?", name.substr(0, equals),
                                 name.substr(std::min(equals, name.size() - 1) + 1)));
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

/// The finite number that a value is, and nothing beside it.
std::optional<double> finite_number(std::string_view value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

double edit_number(std::string_view text, std::string_view value, EditKind kind) {
  const std::optional<double> found = finite_number(value);
  if (!found) refuse_value(text, "needs a number", fmt::format("write {}", form_of(kind).form));
  const double number = *found;
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

/// yes, no, or how much of it.
double parse_share(std::string_view text, std::string_view value) {
  if (value == "yes") return 1;
  if (value == "no") return 0;
  const std::optional<double> share = finite_number(value);
  if (!share || std::abs(*share) > 1e6)
    refuse_value(text, "is neither yes, no nor a number up to 1e6", "write yes");
  return *share;
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
    case EditValue::share:
      edit.number = parse_share(text, parts.value);
      break;
    case EditValue::none:
      break;
  }
  const bool is_of_model = form.kind == EditKind::softcap;
  if (parts.has_layers && (is_of_model || form.value == EditValue::heads))
    refuse_value(text, is_of_model ? "acts in all layers" : "has its layers in its heads",
                 "leave out the @");
  return edit;
}

}  // namespace

bool Edit::acts_in(int layer) const {
  if (is_ablation())
    return std::any_of(heads.begin(), heads.end(),
                       [&](const HeadPlace& place) { return place.layer == layer; });
  return layers.empty() || std::binary_search(layers.begin(), layers.end(), layer);
}

bool Edit::is_ablation() const {
  return kind == EditKind::zero || kind == EditKind::mean || kind == EditKind::corpus_mean;
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

std::set<HeadPlace> single_heads(const std::vector<HeadPlace>& places, int heads) {
  std::set<HeadPlace> single;
  for (const HeadPlace& place : places)
    for (int h = 0; h < heads; ++h)
      if (place.head < 0 || place.head == h) single.insert({place.layer, h});
  return single;
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

std::vector<Edit> parse_edits(const std::vector<std::string>& texts) {
  std::vector<Edit> edits;
  for (const std::string& text : texts) edits.push_back(parse_edit(text));
  return edits;
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
      case EditValue::share:
        text += mark + (edit.number == 0   ? "no"
                        : edit.number == 1 ? "yes"
                                           : number_text(edit.number));
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

}  // namespace orrery
