#include "experiments/setup/encoding_style.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/encodings/catalogue.h"

namespace orrery {

std::string encoding_label(const std::string& name) { return find_encoding(name).info.label; }

std::string label_in_sentence(const std::string& name) {
  return name == "none" ? "no encoding" : encoding_label(name);
}

std::string listed(const std::vector<std::string>& labels) {
  constexpr std::size_t most = 4;
  const bool cut = labels.size() > most;
  const std::size_t shown = cut ? most - 2 : labels.size();
  std::string words;
  for (std::size_t i = 0; i < shown; ++i)
    words += (i == 0 ? "" : i + 1 == shown && !cut ? " and " : ", ") + labels[i];
  return cut ? fmt::format("{} and {} others", words, labels.size() - shown) : words;
}

std::string untrained_label(const std::string& name) {
  const EncodingInfo& info = find_encoding(name).info;
  return info.draws_tables() ? info.label + " (untrained tables)" : info.label;
}

int encoding_color(const std::string& name) {
  const auto& entries = encoding_catalogue();
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const EncodingEntry& e) { return e.info.name == name; });
  return static_cast<int>(found - entries.begin());
}

Series encoding_series(const std::string& name) {
  return {.name = encoding_label(name), .color = encoding_color(name), .choice = name};
}

}  // namespace orrery
