#pragma once

#include <string>

namespace orrery {

/// The machine that the program runs on; "unknown" where the system gives no answer.
struct Machine {
  std::string cpu{};           ///< "AMD EPYC 7763 64-Core Processor"
  std::string os{};            ///< "Debian GNU/Linux 12 (bookworm)"
  std::string kernel{};        ///< "Linux 6.1.0-18-amd64"
  std::string architecture{};  ///< "x86_64"
};

Machine this_machine();

}  // namespace orrery
