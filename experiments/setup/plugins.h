#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A shared library of encodings that was loaded (core/encodings/plugin.h).
struct Plugin {
  std::string file{};    ///< absolute
  std::string sha256{};  ///< of its bytes, 64 hexadecimal digits
  std::vector<std::string> encodings{};
};

/// Registers the encodings of a plug-in, all or none, for as long as the process runs; programs
/// that it starts load them by ORRERY_PLUGINS, files with colons between them. To be called before
/// anything else is asked of the catalogue. Does nothing for a file that is loaded already.
/// @param named_by  "--plugin", in errors
/// Throws IoError for a file that cannot be read, DataError for one that is no plug-in or was
/// compiled for another Orrery, and UsageError for a path with a colon and as register_encodings
/// does.
void load_plugin(const std::string& file, std::string_view named_by = {});

/// Loads those of ORRERY_PLUGINS, and those after each --plugin among the words of a command line.
void load_plugins(const std::vector<std::string>& words);

/// Those that have an encoding which settings name, "encoding=rope+rhythm", in the order in which
/// they were loaded.
std::vector<Plugin> plugins_named_in(const std::vector<std::string>& settings);
/// {"--plugin", FILE, …} for all that are loaded.
std::vector<std::string> plugin_words();
/// The words as a line for a shell, which loads the plug-ins that the settings among them name.
std::string command_line(std::vector<std::string> words);

}  // namespace orrery
