#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/figure/export.h"
#include "experiments/results/result_folder.h"

namespace orrery {

/// How figures are written. Part of a plan, as it determines bytes.
struct FigureOptions {
  std::vector<std::string> formats{};
  std::string theme{auto_theme};
  bool formulas{false};  ///< whether the experiment's formulas are drawn beneath the title
  Page page{};
  std::vector<std::string> only{};  ///< figures to write without tables and arrays; empty for all
  friend bool operator==(const FigureOptions&, const FigureOptions&) = default;
};

/// Where figures were asked for, by their names or the beginnings of these up to a "_", leaves the
/// result with them, its scalars and its checks. Throws UsageError for a name that none has, unless
/// the result was stopped; then nothing is left out of it.
void keep_figures(Result& result, const FigureOptions& figures);

/// Options for write_result with figures of this kind.
/// @param from  the result's provenance, on which the formulas depend
/// Throws UsageError for an unknown theme; rendering throws it for an unknown format.
WriteOptions write_options(const std::filesystem::path& folder, const FigureOptions& figures,
                           const Provenance& from = {});

/// The same options once every figure of the result has been drawn, on `threads` of them;
/// write_result then takes the finished bytes, each once. Throws what rendering throws.
WriteOptions drawn_on(std::size_t threads, const Result& result, WriteOptions options);
/// The same on all cores.
WriteOptions drawn_on_all_cores(const Result& result, WriteOptions options);

}  // namespace orrery
