#pragma once

#include <vector>

#include "core/encodings/catalogue.h"

// A plug-in is a shared library with encodings of one's own, which the programs load: the option
// --plugin, or the environment's ORRERY_PLUGINS. It links orrery::plugin, and one of its sources ends
// with
//   ORRERY_PLUGIN(orrery::encoding_entry<LogBias>())
// outside any namespace, with an entry for each of its class templates.

extern "C" {
/// What the plug-in was compiled for: ORRERY_PLUGIN_ABI of its target orrery::plugin.
const char* orrery_plugin_built_for();
/// Hands over the entries.
void orrery_plugin_encodings(std::vector<orrery::EncodingEntry>& entries);
}

#define ORRERY_PLUGIN(...)                                               \
  [[gnu::visibility("default")]] const char* orrery_plugin_built_for() { \
    return ORRERY_PLUGIN_ABI;                                            \
  }                                                                      \
  [[gnu::visibility("default")]] void orrery_plugin_encodings(           \
      std::vector<orrery::EncodingEntry>& entries) {                     \
    entries = {__VA_ARGS__};                                             \
  }                                                                      \
  static_assert(true, "a semicolon may follow")
