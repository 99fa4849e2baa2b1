#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/sampled.h"

namespace orrery::test {

using ChangedJson = std::function<void(const nlohmann::ordered_json& changed, const std::string&)>;

/// The places of the values in the JSON, objects and lists among them; of a list the first and the
/// last item.
inline void add_places(const nlohmann::ordered_json& json,
                       const nlohmann::ordered_json::json_pointer& at,
                       std::vector<nlohmann::ordered_json::json_pointer>& places) {
  places.push_back(at);
  if (json.is_object())
    for (const auto& [key, value] : json.items()) add_places(value, at / key, places);
  if (!json.is_array()) return;
  for (std::size_t i = 0; i < json.size(); ++i)
    if (i == 0 || i + 1 == json.size()) add_places(json[i], at / i, places);
}

/// Calls `use` with every change of one value: another value of each type, the extremes of each
/// type, a value left out and an item twice, or a seventh of them: is_tried. The second
/// argument says which.
inline void for_each_change(const nlohmann::ordered_json& json, const ChangedJson& see) {
  using Json = nlohmann::ordered_json;
  const std::vector<Json> others{nullptr,
                                 true,
                                 0,
                                 -1,
                                 1,
                                 std::uint64_t{1} << 63,
                                 1e300,
                                 std::int64_t{1} << 40,
                                 "",
                                 "../../escaped",
                                 "/escaped",
                                 "nan",
                                 "\xEF\xBF\xBE",
                                 std::string("a\0b", 3),
                                 Json::array(),
                                 Json::object(),
                                 Json::array({Json::array({1, "x"})})};
  std::size_t number = 0;
  const ChangedJson use = [&](const Json& changed, const std::string& what) {
    if (is_tried(number++)) see(changed, what);
  };
  std::vector<Json::json_pointer> places;
  add_places(json, Json::json_pointer(), places);
  for (const Json::json_pointer& place : places) {
    for (const Json& other : others) {
      Json changed = json;
      changed[place] = other;
      use(changed, place.to_string() + " = " + other.dump());
    }
    if (place.empty()) continue;
    Json less = json;
    Json& parent = less[place.parent_pointer()];
    if (parent.is_object())
      parent.erase(place.back());
    else
      parent.erase(std::stoul(place.back()));
    use(less, place.to_string() + " left out");
    if (!json[place.parent_pointer()].is_array()) continue;
    Json more = json;
    more[place.parent_pointer()].push_back(json[place]);
    use(more, place.to_string() + " twice");
  }
}

}  // namespace orrery::test
