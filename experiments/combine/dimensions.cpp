#include "experiments/combine/dimensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr std::size_t most_panels = 16;

using Names = std::vector<std::string>;

bool has_several(const Dimension& dimension) { return dimension.values.size() > 1; }

const std::string* value_at(const Setting& setting, const std::string& key) {
  const auto found = setting.find(key);
  return found == setting.end() ? nullptr : &found->second;
}

/// Whether every value of `first` has only one value of `second` with it.
bool determines(const std::vector<Setting>& settings, const std::string& first,
                const std::string& second) {
  std::map<std::string, std::string> seen;
  for (const Setting& setting : settings) {
    const std::string* a = value_at(setting, first);
    const std::string* b = value_at(setting, second);
    if (!a || !b) continue;
    const auto [known, fresh] = seen.emplace(*a, *b);
    if (!fresh && known->second != *b) return false;
  }
  return true;
}

/// Takes the dimension of this key out of the list.
std::optional<Dimension> taken(std::vector<Dimension>& left, const std::string& key) {
  const auto found = std::ranges::find(left, key, &Dimension::key);
  if (found == left.end()) return std::nullopt;
  Dimension dimension = std::move(*found);
  left.erase(found);
  return dimension;
}

/// The one that is asked for. Throws UsageError.
std::optional<Dimension> asked(std::vector<Dimension>& left, const char* part,
                               const std::string& key) {
  if (key.empty() || key == "none") return std::nullopt;
  Names keys;
  for (const Dimension& one : left) keys.push_back(one.key);
  if (std::optional<Dimension> found = taken(left, key)) return found;
  refuse_setting(part, key, keys);
}

std::string most_values(const std::vector<Dimension>& left, bool encoding_first) {
  std::string best;
  std::size_t most = 0;
  for (const Dimension& one : left) {
    if (encoding_first && one.key == encoding_key) return one.key;
    if (one.key == curve_key || one.values.size() <= most) continue;
    best = one.key;
    most = one.values.size();
  }
  return best;
}

std::string without_blanks(const std::string& text) {
  std::string part;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    part += std::isalnum(byte) != 0 || c == '.' || c == '-' ? c : '_';
  }
  return part;
}

int slot_of_encoding(const std::string& name) {
  const auto& list = encoding_list();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  return 0;
}

void color(const Dimension& hue, const std::string* value, const Setting& setting, Series& series) {
  if (!value) {
    const std::string* encoding = value_at(setting, encoding_key);
    series.color = slot_of_encoding(encoding ? *encoding : "none");
    return;
  }
  if (hue.key == encoding_key) {
    series.color = slot_of_encoding(*value);
    return;
  }
  const auto place = std::ranges::find(hue.values, *value) - hue.values.begin();
  if (hue.is_number && hue.values.size() > 1)
    series.shade = static_cast<double>(place) / static_cast<double>(hue.values.size() - 1);
  else
    series.color = static_cast<int>(place);
}

}  // namespace

const EnumNames<SpreadBand>& band_names() {
  static const EnumNames<SpreadBand> names{{SpreadBand::interval, "interval"},
                                           {SpreadBand::deviation, "deviation"},
                                           {SpreadBand::range, "range"},
                                           {SpreadBand::none, "none"}};
  return names;
}

void refuse_setting(std::string_view part, const std::string& key,
                    const std::vector<std::string>& keys) {
  throw UsageError(
      fmt::format("{}={}", part, key), "is not among the settings that differ here",
      remedy_for_unknown(key, keys,
                         keys.empty() ? std::string("leave it out: nothing differs")
                                      : fmt::format("choose one of {}", fmt::join(keys, ", "))));
}

Dimension dimension_of(const std::vector<Setting>& settings, const std::string& key) {
  Dimension dimension{.key = key};
  std::set<std::string> known;
  for (const Setting& setting : settings)
    if (const std::string* value = value_at(setting, key); value && known.insert(*value).second)
      dimension.values.push_back(*value);
  const auto is_number = [](const std::string& value) { return number_in(value).has_value(); };
  dimension.is_number =
      !dimension.values.empty() && std::ranges::all_of(dimension.values, is_number);
  if (dimension.is_number)
    std::ranges::stable_sort(dimension.values, [](const std::string& a, const std::string& b) {
      return number_in(a).value_or(0.0) < number_in(b).value_or(0.0);
    });
  return dimension;
}

Arrangement arranged(const std::vector<Setting>& settings, const Names& keys,
                     const PlotRequest& request, const Names& axes) {
  std::vector<Dimension> left;
  for (const std::string& key : keys) {
    if (std::ranges::find(axes, key) != axes.end()) continue;
    if (Dimension one = dimension_of(settings, key); has_several(one))
      left.push_back(std::move(one));
  }
  Arrangement arrangement;
  arrangement.hue = asked(left, "hue", request.hue);
  arrangement.facet = asked(left, "facet", request.facet);
  arrangement.dash = asked(left, "dash", request.dash);
  const bool is_map = axes.size() > 1;  // a map has no curves to colour
  if (!arrangement.hue && request.hue.empty() && !is_map)
    arrangement.hue = taken(left, most_values(left, true));
  if (arrangement.hue) {
    const std::string hue = arrangement.hue->key;
    std::erase_if(left, [&](const Dimension& one) {
      return one.key != curve_key && determines(settings, hue, one.key);
    });
  }
  for (const std::string& axis : axes)
    std::erase_if(left, [&](const Dimension& one) {
      return one.key != encoding_key && determines(settings, axis, one.key);
    });
  if (!arrangement.hue && !is_map && request.hue.empty()) arrangement.hue = taken(left, curve_key);
  if (!is_map && !arrangement.dash) arrangement.dash = taken(left, curve_key);
  if (!is_map && !arrangement.dash && request.facet != "none") {
    // Dashes tell apart up to three.
    for (const Dimension& one : left)
      if (one.key == encoding_key && one.values.size() <= 3 && !request.facet.empty()) {
        arrangement.dash = taken(left, encoding_key);
        break;
      }
  }
  if (!arrangement.facet && request.facet.empty()) {
    const std::string facet = most_values(left, true);
    for (const Dimension& one : left)
      if (one.key == facet && one.values.size() <= most_panels) {
        arrangement.facet = taken(left, facet);
        break;
      }
  }
  arrangement.pages = std::move(left);
  return arrangement;
}

std::string shown_value(const std::string& value) {
  constexpr double five_digits = 1e4;
  const std::optional<double> number = number_in(value);
  const bool is_long = number && std::abs(*number) >= five_digits && *number == std::trunc(*number);
  return is_long ? grouped_number(*number) : value;
}

std::vector<std::string> axis_names(const std::vector<std::string>& values) {
  constexpr int fewest = 4, most = 17;
  for (int digits = fewest; digits <= most; ++digits) {
    std::vector<std::string> names;
    for (const std::string& value : values) {
      const std::optional<double> number = number_in(value);
      const bool is_fraction = number && std::isfinite(*number) && *number != std::trunc(*number);
      names.push_back(shown_value(
          is_fraction ? number_text(*number_in(fmt::format("{:.{}g}", *number, digits))) : value));
    }
    if (std::set<std::string>(names.begin(), names.end()).size() == values.size()) return names;
  }
  return values;
}

std::string text_of(const Place& place) {
  std::string text;
  for (const auto& [key, value] : place)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, shown_value(value));
  return text;
}

std::vector<Place> places_of(const std::vector<Setting>& settings,
                             const std::vector<Dimension>& dimensions) {
  std::vector<Place> places{{}};
  for (const Dimension& dimension : dimensions) {
    std::vector<Place> longer;
    for (const Place& place : places)
      for (const std::string& value : dimension.values) {
        Place next = place;
        next.emplace_back(dimension.key, value);
        longer.push_back(std::move(next));
      }
    places = std::move(longer);
  }
  std::erase_if(places, [&](const Place& place) {
    return std::ranges::none_of(settings, [&](const Setting& setting) {
      return std::ranges::all_of(place, [&](const auto& one) {
        const std::string* value = value_at(setting, one.first);
        return value && *value == one.second;
      });
    });
  });
  return places;
}

bool belongs(const Setting& setting, const Place& place) {
  return std::ranges::all_of(place, [&](const auto& one) {
    const std::string* value = value_at(setting, one.first);
    return !value || *value == one.second;
  });
}

std::string value_name(const Dimension& dimension, const std::string& value) {
  if (dimension.key == encoding_key) return label_of_encoding(value);
  if (dimension.key == curve_key) return value;
  return fmt::format("{} = {}", dimension.key, shown_value(value));
}

void give_look(const Arrangement& arrangement, const Setting& setting, Series& series) {
  std::vector<std::string> words;
  series.shade.reset();
  if (arrangement.hue) {
    const std::string* value = value_at(setting, arrangement.hue->key);
    color(*arrangement.hue, value, setting, series);
    if (value) {
      words.push_back(value_name(*arrangement.hue, *value));
    } else {
      const std::string* encoding = value_at(setting, encoding_key);
      const bool dashed = arrangement.dash && arrangement.dash->key == encoding_key;
      const std::string whose =
          encoding && !dashed ? value_name({.key = encoding_key}, *encoding) + ", " : std::string();
      words.push_back(fmt::format("{}any {}", whose, arrangement.hue->key));
    }
  }
  if (arrangement.dash) {
    constexpr LineStyle dashes[] = {LineStyle::solid, LineStyle::dashed, LineStyle::dotted};
    if (const std::string* value = value_at(setting, arrangement.dash->key)) {
      const auto& values = arrangement.dash->values;
      const auto place = std::ranges::find(values, *value) - values.begin();
      series.style = dashes[place % 3];
      words.push_back(value_name(*arrangement.dash, *value));
    }
  }
  series.name = fmt::format("{}", fmt::join(words, ", "));
  series.label.clear();
}

std::vector<std::string> varying_keys(const std::vector<Setting>& settings) {
  Names keys;
  for (const Setting& setting : settings)
    for (const auto& [key, value] : setting)
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  std::erase_if(
      keys, [&](const std::string& key) { return dimension_of(settings, key).values.size() < 2; });
  return keys;
}

std::string file_part(const Place& place) {
  std::string part;
  for (const auto& [key, value] : place)
    part += fmt::format("_{}_{}", without_blanks(key), without_blanks(value));
  return part;
}

}  // namespace orrery
