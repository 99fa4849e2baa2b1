#pragma once

#include <filesystem>
#include <vector>

#include "tests/bench/table.h"

namespace orrery::bench {

/// Writes what was measured, with the program and the machine it was measured on, as JSON. Throws
/// IoError.
void write_record(const std::filesystem::path& path, const std::vector<Measured>& rows);

/// A record that was written before. Throws IoError; DataError: it is none.
class Record {
 public:
  explicit Record(const std::filesystem::path& path);

  /// Prints a line per operation that both have: its cost before over that of now, more than 1 for
  /// what has become faster. It has changed where the middle halves of the rounds are at least 5 %
  /// apart. Returns whether nothing has become slower.
  bool compare(const std::vector<Measured>& rows) const;

 private:
  std::vector<Measured> rows_{};
  std::string commit_{}, cpu_{}, level_{};
};

}  // namespace orrery::bench
