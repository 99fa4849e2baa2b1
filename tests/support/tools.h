#pragma once

#include <cstdlib>
#include <string>

namespace orrery::test {

/// Whether the shell finds a program: some checks ask others' programs where they are installed.
inline bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

/// Whether Python has all of these modules: "numpy, pandas".
inline bool python_has(const std::string& modules) {
  return std::system(("python3 -c 'import " + modules + "' >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace orrery::test
