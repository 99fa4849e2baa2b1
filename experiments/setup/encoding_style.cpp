#include "experiments/setup/encoding_style.h"

#include <algorithm>

#include "core/encodings/catalogue.h"

namespace orrery {

std::string encoding_label(const std::string& name) { return find_encoding(name).info.label; }

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
