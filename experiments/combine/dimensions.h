#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/model/figure.h"
#include "experiments/text/enum_names.h"

namespace orrery {

/// The shade around a mean over repeats.
enum class SpreadBand {
  interval,   ///< 95 % of the mean, by Student's t
  deviation,  ///< one standard deviation
  range,      ///< from the smallest to the largest
  none
};

/// "interval", "deviation", "range", "none".
const EnumNames<SpreadBand>& band_names();

/// What to draw of a sweep; what is empty is chosen.
struct PlotRequest {
  std::string figure{};   ///< id of the figure whose curves are laid over one another
  std::string measure{};  ///< or the measure that is drawn over x, or over x and y as a map
  std::string x{};
  std::string y{};
  std::string hue{};
  std::string facet{};
  std::string dash{};  ///< told apart by dashes, up to three of them
  std::vector<std::pair<std::string, std::string>> where{};  ///< only points with these values
  SpreadBand band{SpreadBand::interval};
  /// Whether panels have the same axes and colours; curves have, and maps have not.
  std::optional<bool> shared{};
};

/// The curves of a point that a figure lacks, as their file cannot be read.
struct LeftOut {
  std::string figure{};
  std::string point{};   ///< its label and id; empty where the figure is lost at all points
  std::string reason{};  ///< "FILE: is missing; …"
  std::size_t curves{};  ///< as many as each other point has; 0 where they differ in that
};

/// The settings at which a curve or a number was found, by key; a key that is not read there is
/// missing. "encoding" is the one that it is of, "curve" the name of a curve of no encoding.
using Setting = std::map<std::string, std::string>;

inline constexpr const char* encoding_key = "encoding";
inline constexpr const char* curve_key = "curve";

/// A key with several values: numbers in ascending order, names in the order of their appearance.
struct Dimension {
  std::string key{};
  std::vector<std::string> values{};
  bool is_number{};
};

/// The values of a key over all settings that have it.
Dimension dimension_of(const std::vector<Setting>& settings, const std::string& key);

/// Throws UsageError for a setting that does not differ, and names those that do.
/// @param part  that was asked of it: "hue"
[[noreturn]] void refuse_setting(std::string_view part, const std::string& key,
                                 const std::vector<std::string>& keys);

/// What each dimension becomes.
struct Arrangement {
  std::optional<Dimension> hue{};
  std::optional<Dimension> facet{};
  std::optional<Dimension> dash{};  ///< curves of one hue, told apart by dashes
  std::vector<Dimension> pages{};   ///< a page per combination
};

/// Gives the keys with several values their parts: those that the request names, then the encoding
/// and the key with the most values. A key that follows from the hue, as zipped ones do, needs no
/// part. Throws UsageError for a hue or facet that does not vary.
Arrangement arranged(const std::vector<Setting>& settings, const std::vector<std::string>& keys,
                     const PlotRequest& request, const std::vector<std::string>& axes);

/// A value as pictures show it: 10000, 1e+07 and their like in groups of three digits, so that all
/// of one setting look alike.
std::string shown_value(const std::string& value);

/// Values as names along an axis: fractions have as few digits as tell all of them apart, four at
/// least.
std::vector<std::string> axis_names(const std::vector<std::string>& values);

/// One page's or panel's values: "dim = 64, base = 10 000"; empty for none.
using Place = std::vector<std::pair<std::string, std::string>>;
std::string text_of(const Place& place);
/// Every combination of the values that occurs.
std::vector<Place> places_of(const std::vector<Setting>& settings,
                             const std::vector<Dimension>& dimensions);
/// Whether a setting belongs there; one that does not have a key belongs to all of its values.
bool belongs(const Setting& setting, const Place& place);

/// "base = 10 000", "RoPE".
std::string value_name(const Dimension& dimension, const std::string& value);

/// Name and colour of a curve by its hue and dash; "ALiBi, any base" where it does not read it.
void give_look(const Arrangement& arrangement, const Setting& setting, Series& series);

/// Settings that choose points: throws UsageError for one that no point has.
std::vector<std::string> varying_keys(const std::vector<Setting>& settings);

/// The keys and values as a part of a file's name: "dim_64_base_10000".
std::string file_part(const Place& place);

}  // namespace orrery
