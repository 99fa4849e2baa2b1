#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/lessons/parse_lesson.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// The files of lessons: those that come with Orrery, in the order of their numbers.
std::vector<std::filesystem::path> bundled_lessons();
/// The .md files of a folder by name, without README.md. Throws IoError.
std::vector<std::filesystem::path> lessons_in(const std::filesystem::path& folder);

/// The files that a word means: a folder, a file, or a lesson that comes with Orrery by its name
/// ("07-decay"), its number ("7") or its name without the number ("decay"). Throws UsageError with
/// the nearest name, IoError.
std::vector<std::filesystem::path> lessons_named(const std::string& word);

/// Whether a lesson that comes with Orrery is called so, by its name or its number.
bool is_lesson(const std::string& word);

/// The lessons that come with Orrery and their files; a file that cannot be read is left out.
std::vector<std::pair<std::filesystem::path, Lesson>> readable_lessons();

/// Reads and parses a file. Throws IoError, and DataError for one of more than 1 MiB.
ParsedLesson read_lesson(const std::filesystem::path& file);

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
