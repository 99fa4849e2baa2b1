#pragma once

#include <span>
#include <string_view>

namespace orrery {

/// A file of docs/ as it was when the program was built.
struct PageSource {
  const char* name;
  std::string_view markdown;
};

/// All of them, by name. The build writes this function: cmake/manual.cmake.
std::span<const PageSource> page_sources();

}  // namespace orrery
