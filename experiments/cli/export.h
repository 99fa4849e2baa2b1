#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

struct ExportCommandOptions {
  std::string folder{};
  std::string form{"csv"};  ///< "csv", "jsonl" or "latex"
  std::vector<std::string> measures{};
  bool summary{false};  ///< means over repeats instead of rows; of csv alone
  std::string out{};    ///< file; standard output when empty
  bool force{false};
};
int export_command(const ExportCommandOptions& options);

}  // namespace orrery::cli
