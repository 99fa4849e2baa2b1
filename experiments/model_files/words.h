#pragma once

#include <span>
#include <string_view>
#include <vector>

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

/// The rows of a table, each once for every word of its name.
template <class Row>
std::vector<Row> row_for_each_name(std::span<const Row> rows) {
  std::vector<Row> all;
  for (const Row& row : rows)
    for_each_word(row.name, [&](std::string_view name) {
      all.push_back(row);
      all.back().name = name;
    });
  return all;
}

}  // namespace orrery
