#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
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

  bool uses(Door door) const { return std::find(doors.begin(), doors.end(), door) != doors.end(); }
};

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
