#include "experiments/results/machine.h"

#include <sys/utsname.h>

#include <fstream>
#include <string_view>

namespace orrery {
namespace {

constexpr std::string_view unknown = "unknown";

std::string without(std::string_view text, std::string_view ends) {
  const std::size_t first = text.find_first_not_of(ends);
  if (first == std::string_view::npos) return std::string(unknown);
  return std::string(text.substr(first, text.find_last_not_of(ends) - first + 1));
}

/// The text after `separator` in the first line that begins with `key`.
std::string field(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(separator);
    if (at != std::string::npos && line.starts_with(key))
      return without(std::string_view(line).substr(at + 1), " \t\"");
  }
  return std::string(unknown);
}

}  // namespace

Machine this_machine() {
  Machine machine{.cpu = field("/proc/cpuinfo", "model name", ':'),
                  .os = field("/etc/os-release", "PRETTY_NAME", '='),
                  .kernel = std::string(unknown),
                  .architecture = std::string(unknown)};
  utsname system{};
  if (::uname(&system) == 0) {
    machine.kernel = std::string(system.sysname) + " " + system.release;
    machine.architecture = system.machine;
  }
  return machine;
}

}  // namespace orrery
