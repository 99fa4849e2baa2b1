#include "experiments/lessons/paper_card.h"

#include <fmt/format.h>

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
