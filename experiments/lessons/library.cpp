#include "experiments/lessons/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <system_error>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/files/assets.h"
#include "experiments/files/file.h"
#include "experiments/lessons/step_state.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/shell_quote.h"
#include "experiments/text/toml_fields.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_file_bytes = std::uintmax_t{1} << 20;

/// "07-decay" answers to itself, "decay", "7" and "07".
bool answers_to(const std::string& name, const std::string& word) {
  const std::size_t dash = name.find('-');
  if (name == word || dash == std::string::npos) return name == word;
  std::string number = name.substr(0, dash);
  if (name.substr(dash + 1) == word || number == word) return true;
  number.erase(0, number.find_first_not_of('0'));
  return number == word;
}

}  // namespace

std::vector<fs::path> bundled_lessons() { return lessons_in(asset_path("lessons")); }

std::vector<fs::path> lessons_in(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    if (entry->path().extension() == ".md" && entry->path().filename() != "README.md")
      files.push_back(entry->path());
  if (failure)
    throw IoError(folder.string(), fmt::format("cannot be read ({})", failure.message()),
                  "name a folder with lessons");
  std::ranges::sort(files);
  return files;
}

bool is_lesson(const std::string& word) {
  const std::vector<fs::path> lessons = bundled_lessons();
  return std::ranges::any_of(
      lessons, [&](const fs::path& file) { return answers_to(file.stem().string(), word); });
}

std::vector<fs::path> lessons_named(const std::string& word) {
  std::error_code failure;
  std::vector<std::string> names;
  for (const fs::path& file : bundled_lessons()) {
    names.push_back(file.stem().string());
    if (answers_to(names.back(), word)) return {file};
  }
  if (fs::is_directory(word, failure)) return lessons_in(word);
  if (word.ends_with(".md") || fs::exists(word, failure)) return {word};
  // Names without their numbers are what one types.
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back(name.substr(name.find('-') + 1));
  const auto near = std::ranges::find(words, nearest_name(word, words));
  if (near != words.end())
    throw UsageError(word, "is not a lesson", fmt::format("did you mean {}?", *near));
  throw_unknown_name(word, "a lesson", names);
}

ParsedLesson read_lesson(const fs::path& file) {
  return parse_lesson(read_file(file, max_file_bytes), file.string());
}

std::vector<std::pair<fs::path, Lesson>> readable_lessons() {
  std::vector<std::pair<fs::path, Lesson>> lessons;
  for (const fs::path& file : bundled_lessons()) {
    try {
      lessons.emplace_back(file, read_lesson(file).lesson);
    } catch (const std::exception&) {
      continue;
    }
  }
  return lessons;
}

namespace {

constexpr std::uintmax_t max_card_bytes = std::uintmax_t{1} << 20;

const TomlFields<PaperCard>& card_fields() {
  static const TomlFields<PaperCard> fields{
      field("name", &PaperCard::name, toml_text()),
      field("title", &PaperCard::title, toml_text()),
      field("says", &PaperCard::says, toml_text()),
      field("header", &PaperCard::header, toml_words()),
      field("rows", &PaperCard::rows,
            toml_list<std::vector<std::vector<std::string>>>(toml_words())),
      field("settings", &PaperCard::settings, toml_words()),
      field("caveats", &PaperCard::caveats, toml_words()),
      field_read<PaperCard>("experiment", toml_text(),
                            [](PaperCard& card, const std::string& name) {
                              card.experiment = &find_experiment(name);
                            }),
      field("words", &PaperCard::words, toml_words())};
  return fields;
}

void check_card(const PaperCard& card) {
  if (card.name.empty() || card.title.empty() || card.says.empty() || card.caveats.empty())
    throw UsageError(card.name.empty() ? "a card" : card.name,
                     "lacks its name, title, statement or caveats", "write all of them");
  for (const auto& row : card.rows)
    if (row.size() != card.header.size())
      throw UsageError(
          card.name,
          fmt::format("has a row of {} cells under a header of {}", row.size(), card.header.size()),
          "write a cell for each column");
  if (card.experiment)
    with_words(ParamSet(card.experiment->info.params), card.words).require_all_set_are_used();
}

}  // namespace

std::string command_of(const PaperCard& card) {
  if (!card.experiment) return "";
  std::vector<std::string> words{"orrery", "run", card.experiment->info.name};
  words.insert(words.end(), card.words.begin(), card.words.end());
  return shell_line(words);
}

std::vector<PaperCard> parse_cards(std::string_view text) {
  const toml::table table = parse_toml(text, "the cards");
  const toml::array* array = table.get("card") ? table.get("card")->as_array() : nullptr;
  if (!array) throw UsageError("the cards", "hold no [[card]]", "write one");
  std::vector<PaperCard> cards;
  for (const toml::node& node : *array) {
    read_section(cards.emplace_back(), card_fields(), node, "card", unguarded);
    check_card(cards.back());
  }
  return cards;
}

const std::vector<PaperCard>& paper_cards() {
  static const std::vector<PaperCard> cards =
      parse_cards(read_file(asset_path("paper/cards.toml"), max_card_bytes));
  return cards;
}

const PaperCard& card_named(const std::string& name) {
  std::vector<std::string> names;
  for (const PaperCard& card : paper_cards()) {
    if (card.name == name) return card;
    names.push_back(card.name);
  }
  throw_unknown_name(name, "a card of the paper", names);
}

}  // namespace orrery
