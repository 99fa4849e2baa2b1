#pragma once

#include <string>
#include <vector>

namespace orrery::setup {

/// A shared library of encodings that was loaded (core/encodings/plugin.h).
struct Plugin {
  std::string file{};    ///< absolute
  std::string sha256{};  ///< of its bytes, 64 hexadecimal digits
  std::vector<std::string> encodings{};
};

/// Registers the encodings of a plug-in, for as long as the program runs. To be called before
/// anything else is asked of the catalogue. Does nothing for a file that is loaded already. Throws
/// IoError for a file that cannot be read, DataError for one that is no plug-in or was compiled for
/// another Orrery, and UsageError for a path with a colon and as register_encoding does.
void load_plugin(const std::string& file);

/// Loads those of the environment's ORRERY_PLUGINS, separated by colons, and those after each
/// --plugin among the words of a command line; ORRERY_PLUGINS then names them all, for programs that
/// this one starts.
void load_plugins(const std::vector<std::string>& words);

/// In the order in which they were loaded.
const std::vector<Plugin>& loaded_plugins();

/// {"--plugin", FILE, …}: what a command line needs to have them.
std::vector<std::string> plugin_words();
/// FILE:…, what ORRERY_PLUGINS has to be.
std::string plugin_variable();

}  // namespace orrery::setup
