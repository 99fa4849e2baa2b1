#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/results/result_folder.h"

namespace orrery::results {

/// How figures are written. Part of a plan, as it determines bytes.
struct FigureOptions {
  std::vector<std::string> formats{};
  std::string theme{"light"};
  bool formulas{false};  ///< whether the experiment's formulas are drawn beneath the title
};

/// Options for write_result with figures of this kind.
/// @param from  the result's provenance, on which the formulas depend
/// Throws UsageError for an unknown theme; rendering throws it for an unknown format.
WriteOptions write_options(const std::filesystem::path& folder, const FigureOptions& figures,
                           const Provenance& from = {});

}  // namespace orrery::results
