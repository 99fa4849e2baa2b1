#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/shell.h"

// Arrays as NumPy writes them, for programs that are run from the outside.

namespace orrery::test {

/// A version 1.0 .npy of doubles with the given shape text, "(5, 4)".
inline std::string npy(const std::string& shape, const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return bytes;
}

inline std::vector<double> doubles_in(const std::filesystem::path& path) {
  const std::string bytes = content(path);
  REQUIRE(bytes.size() > 128);
  std::vector<double> values((bytes.size() - 128) / sizeof(double));
  std::memcpy(values.data(), bytes.data() + 128, values.size() * sizeof(double));
  return values;
}

inline bool close(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) < 1e-13)) return false;
  return true;
}

}  // namespace orrery::test
