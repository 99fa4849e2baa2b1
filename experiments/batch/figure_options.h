#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/batch/result_folder.h"

namespace orrery {

/// How figures are written; part of a plan since it decides bytes.
struct FigureOptions {
  std::vector<std::string> formats{};
  std::string theme{"light"};
  bool formulas{false};  ///< the experiment's, beneath the title
};

/// To write a result that comes `from` there, as formulas depend on that, with such figures. Throws
/// UsageError when there is no such theme; rendering throws it for a format.
WriteOptions write_options(const std::filesystem::path& folder, const FigureOptions& figures,
                           const Provenance& from = {});

}  // namespace orrery
