#include "experiments/lessons/paper_card.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/files/assets.h"
#include "experiments/files/file.h"
#include "experiments/lessons/step_state.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/parse_toml.h"
#include "experiments/text/shell_quote.h"

namespace orrery::lessons {
namespace {

constexpr std::uintmax_t max_file_bytes = std::uintmax_t{1} << 20;

std::string text_in(const toml::node& node, std::string_view key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  throw UsageError(key, "must be a text in quotes", fmt::format("write {} = \"…\"", key));
}

std::vector<std::string> texts_in(const toml::node& node, std::string_view key) {
  const toml::array* array = node.as_array();
  if (!array) throw UsageError(key, "must be a list", fmt::format("write {} = [\"…\"]", key));
  std::vector<std::string> texts;
  for (const toml::node& item : *array) texts.push_back(text_in(item, key));
  return texts;
}

std::vector<std::vector<std::string>> rows_in(const toml::node& node, std::string_view key) {
  const toml::array* array = node.as_array();
  if (!array) throw UsageError(key, "must be a list of rows", "write rows = [[\"…\"]]");
  std::vector<std::vector<std::string>> rows;
  for (const toml::node& row : *array) rows.push_back(texts_in(row, key));
  return rows;
}

void read_entry(PaperCard& card, const std::string& key, const toml::node& node) {
  if (key == "name")
    card.name = text_in(node, key);
  else if (key == "title")
    card.title = text_in(node, key);
  else if (key == "says")
    card.says = text_in(node, key);
  else if (key == "header")
    card.header = texts_in(node, key);
  else if (key == "rows")
    card.rows = rows_in(node, key);
  else if (key == "settings")
    card.settings = texts_in(node, key);
  else if (key == "caveats")
    card.caveats = texts_in(node, key);
  else if (key == "experiment")
    card.experiment = &find_experiment(text_in(node, key));
  else if (key == "words")
    card.words = texts_in(node, key);
  else
    throw_unknown_name(key, "a key of a card",
                       std::vector<std::string>{"name", "title", "says", "header", "rows",
                                                "settings", "caveats", "experiment", "words"});
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
  toml::table table;
  try {
    table = parse_toml(text);
  } catch (const TomlFault& fault) {
    throw DataError(fmt::format("line {} of the cards", fault.place().line), fault.what(),
                    fault.remedy());
  }
  const toml::array* array = table.get("card") ? table.get("card")->as_array() : nullptr;
  if (!array) throw UsageError("the cards", "hold no [[card]]", "write one");
  std::vector<PaperCard> cards;
  for (const toml::node& node : *array) {
    if (!node.is_table()) throw UsageError("card", "is no section", "write [[card]]");
    cards.emplace_back();
    for (const auto& [key, entry] : *node.as_table())
      read_entry(cards.back(), std::string(key.str()), entry);
    check_card(cards.back());
  }
  return cards;
}

const std::vector<PaperCard>& paper_cards() {
  static const std::vector<PaperCard> cards =
      parse_cards(read_file(asset_path("paper/cards.toml"), max_file_bytes));
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

}  // namespace orrery::lessons
