#include "core/encodings/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "core/encodings/alibi.h"
#include "core/encodings/axis_rope.h"
#include "core/encodings/cope.h"
#include "core/encodings/deberta.h"
#include "core/encodings/fire.h"
#include "core/encodings/fox.h"
#include "core/encodings/grape_additive.h"
#include "core/encodings/grape_multiplicative.h"
#include "core/encodings/inkling.h"
#include "core/encodings/kerple.h"
#include "core/encodings/learned.h"
#include "core/encodings/none.h"
#include "core/encodings/path.h"
#include "core/encodings/pope.h"
#include "core/encodings/rope.h"
#include "core/encodings/sandwich.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "core/encodings/xpos.h"
#include "core/errors.h"
#include "core/unknown_name.h"

namespace orrery {
namespace {

template <template <class> class Method>
std::vector<Door> doors_of() {
  std::vector<Door> doors;
  if (std::is_base_of_v<InputTerm<double>, Method<double>>) doors.push_back(Door::input_term);
  if (std::is_base_of_v<QkTransform<double>, Method<double>>) doors.push_back(Door::qk_transform);
  if (std::is_base_of_v<ScoreTerms<double>, Method<double>>) doors.push_back(Door::score_terms);
  if (std::is_base_of_v<ValueTerm<double>, Method<double>>) doors.push_back(Door::value_term);
  return doors;
}

template <class Method>
std::unique_ptr<Encoding> make(const EncodingSettings& settings) {
  return Method::make(settings);
}

/// Most encodings have no parameters that could contradict each other, and no check.
template <class Method>
void check(const EncodingSettings& settings) {
  if constexpr (requires { Method::check(settings); }) Method::check(settings);
}

template <template <class> class Method>
EncodingEntry entry() {
  return {Method<double>::info(), doors_of<Method>(), &make<Method<float>>, &make<Method<double>>,
          &check<Method<double>>};
}

}  // namespace

const std::vector<EncodingEntry>& encoding_catalogue() {
  // clang-format off
  static const std::vector<EncodingEntry> entries{
      entry<NoEncoding>(),
      entry<Sinusoidal>(),
      entry<Rope>(),
      entry<Alibi>(),
      entry<Learned>(),
      entry<Shaw>(),
      entry<TransformerXl>(),
      entry<T5>(),
      entry<Tupe>(),
      entry<Deberta>(),
      entry<Kerple>(),
      entry<Xpos>(),
      entry<Sandwich>(),
      entry<Fire>(),
      entry<Fox>(),
      entry<Cope>(),
      entry<Path>(),
      entry<Pope>(),
      entry<Inkling>(),
      entry<GrapeAdditive>(),
      entry<GrapeMultiplicative>(),
      entry<AxisRope>(),
  };
  // clang-format on
  return entries;
}

const EncodingEntry& find_encoding(std::string_view name) {
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
  }
  throw_unknown_name(name, "an encoding", names);
}

template <>
std::unique_ptr<Encoding> make_encoding<float>(std::string_view name,
                                               const EncodingSettings& settings) {
  return find_encoding(name).make_float(settings);
}

template <>
std::unique_ptr<Encoding> make_encoding<double>(std::string_view name,
                                                const EncodingSettings& settings) {
  return find_encoding(name).make_double(settings);
}

void check_encoding(std::string_view name, const EncodingSettings& settings) {
  find_encoding(name).check(settings);
}

std::vector<ParamSpec> encoding_params(const std::string& selector) {
  std::vector<ParamSpec> merged;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    for (ParamSpec spec : entry.info.params) {
      const auto same = std::find_if(merged.begin(), merged.end(),
                                     [&](const ParamSpec& other) { return other.key == spec.key; });
      // A condition of the encoding's own stays: it implies the encoding through its key.
      if (same != merged.end()) {
        if (same->used_when->key == selector) same->used_when->any_of.push_back(entry.info.name);
        continue;
      }
      if (!spec.used_when) spec.used_when = Condition{selector, {entry.info.name}};
      merged.push_back(std::move(spec));
    }
  }
  return merged;
}

std::vector<Choice> encoding_choices() {
  std::vector<Choice> choices;
  for (const EncodingEntry& entry : encoding_catalogue())
    choices.push_back({entry.info.name, entry.info.title});
  return choices;
}

}  // namespace orrery
