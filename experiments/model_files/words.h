#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace orrery {

/// The words of a list between spaces.
template <class Use>
void for_each_word(std::string_view list, const Use& use) {
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    if (end != 0) use(list.substr(0, end));
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
  }
}

/// Whether a word is one of them.
inline bool lists_word(std::string_view list, std::string_view word) {
  bool found = false;
  for_each_word(list, [&](std::string_view one) { found = found || one == word; });
  return found;
}

/// The number of a word among them. Throws std::out_of_range.
inline std::size_t place_of_word(std::string_view list, std::string_view word) {
  std::size_t place = 0, at = 0;
  bool found = false;
  for_each_word(list, [&](std::string_view one) {
    if (one == word) found = true, place = at;
    ++at;
  });
  if (!found) throw std::out_of_range(std::string(word) + " is none of " + std::string(list));
  return place;
}

}  // namespace orrery
