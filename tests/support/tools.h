#pragma once

#include <cstdlib>
#include <string>

namespace orrery::test {

/// Whether the shell finds a program: some checks use external programs if they are installed.
inline bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

/// A Python with all of these modules ("numpy, pandas"): Debian's own, for which they are packaged,
/// or the first in the PATH. Empty if neither has them.
inline std::string python_with(const std::string& modules) {
  for (const std::string python : {"/usr/bin/python3", "python3"})
    if (std::system((python + " -c 'import " + modules + "' >/dev/null 2>&1").c_str()) == 0)
      return python;
  return {};
}

}  // namespace orrery::test
