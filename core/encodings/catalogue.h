#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/door.h"
#include "core/encoding.h"
#include "core/encodings/settings.h"

namespace orrery {

/// One entry of the catalogue. The doors of an encoding follow from its type.
struct EncodingEntry {
  EncodingInfo info;
  std::vector<Door> doors;
  std::unique_ptr<Encoding> (*make_float)(const EncodingSettings&);
  std::unique_ptr<Encoding> (*make_double)(const EncodingSettings&);
  void (*check)(const EncodingSettings&);
  bool registered{false};  ///< by register_encodings: from outside the library

  bool uses(Door door) const { return std::find(doors.begin(), doors.end(), door) != doors.end(); }
};

/// The entry of the class template Method<T>, which has
///   static EncodingInfo info();
///   static std::unique_ptr<Method> make(const EncodingSettings&);
/// and, where parameters may contradict each other, static void check(const EncodingSettings&); or
/// make does that at once, of an encoding whose tables are small.
template <template <class> class Method, class ByMaking = std::false_type>
EncodingEntry encoding_entry(ByMaking = {}) {
  EncodingEntry entry{Method<double>::info(), {}, nullptr, nullptr, nullptr};
  if (std::is_base_of_v<InputTerm<double>, Method<double>>) entry.doors.push_back(Door::input_term);
  if (std::is_base_of_v<QkTransform<double>, Method<double>>)
    entry.doors.push_back(Door::qk_transform);
  if (std::is_base_of_v<ScoreTerms<double>, Method<double>>)
    entry.doors.push_back(Door::score_terms);
  if (std::is_base_of_v<ValueTerm<double>, Method<double>>) entry.doors.push_back(Door::value_term);
  entry.make_float = [](const EncodingSettings& settings) -> std::unique_ptr<Encoding> {
    return Method<float>::make(settings);
  };
  entry.make_double = [](const EncodingSettings& settings) -> std::unique_ptr<Encoding> {
    return Method<double>::make(settings);
  };
  entry.check = [](const EncodingSettings& settings) {
    if constexpr (ByMaking::value) Method<double>::make(settings);
    if constexpr (requires { Method<double>::check(settings); }) Method<double>::check(settings);
  };
  return entry;
}

/// Adds encodings of the caller's own, all or none, behind those of the library, in everything
/// that reads the catalogue. Throws UsageError: the catalogue has been read already, a name that is
/// taken or not made of a-z, 0-9 and _, no door, a parameter or table whose key does not begin with
/// "NAME.", and a "base" that is not base_param().
void register_encodings(std::vector<EncodingEntry> entries);

/// THE list of encodings, in the order in which menus show them. The place is the colour slot.
const std::vector<EncodingEntry>& encoding_catalogue();

/// Throws UsageError naming the nearest encoding when there is none such.
const EncodingEntry& find_encoding(std::string_view name);

/// T is float or double. Throws UsageError as the encoding's constructor does.
template <class T>
std::unique_ptr<Encoding> make_encoding(std::string_view name, const EncodingSettings& settings);

/// Throws UsageError for parameters that contradict each other and for tables that are too large,
/// as make_encoding does, but before any table is drawn.
void check_encoding(std::string_view name, const EncodingSettings& settings);

/// The parameters of all encodings, shared ones once, each used only when the choice or choice list
/// `selector` names an encoding that reads it.
std::vector<ParamSpec> encoding_params(const std::string& selector);

/// The choices of such a selector.
std::vector<Choice> encoding_choices();

}  // namespace orrery
