#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/model/experiment.h"

namespace orrery {

/// A table, a figure or a section of the RoFormer paper: what it says, how it was made, and what it
/// does not show.
struct PaperCard {
  std::string name{};  ///< "table-2"
  std::string title{};
  std::string says{};
  std::vector<std::string> header{};
  std::vector<std::vector<std::string>> rows{};
  std::vector<std::string> settings{};
  std::vector<std::string> caveats{};
  const Experiment* experiment{};    ///< that shows it; null where none can
  std::vector<std::string> words{};  ///< "dim=128": its settings
};

/// "orrery run long_term_decay dim=128 base=10000"; empty without an experiment.
std::string command_of(const PaperCard& card);

/// Reads cards in TOML. Throws UsageError for a key, an experiment or a setting that does not
/// exist, a row of another length than the header, DataError for text that is not TOML.
std::vector<PaperCard> parse_cards(std::string_view toml);

/// The cards that come with Orrery, in the order of the paper.
const std::vector<PaperCard>& paper_cards();
/// Throws UsageError with the nearest name.
const PaperCard& card_named(const std::string& name);

}  // namespace orrery
