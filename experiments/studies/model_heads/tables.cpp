#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "experiments/setup/table_builder.h"
#include "experiments/studies/model_heads/figures.h"

namespace orrery {
namespace {
namespace in_model_heads_tables {

/// A column with a number of every head.
template <class Value>
void add_column(Table& table, std::string name, const HeadsFound& found, const Value& value,
                const char* unit = "") {
  std::vector<double> values;
  for (const HeadRow& row : found.table->rows) values.push_back(value(row));
  table.columns.push_back({std::move(name), unit, std::move(values)});
}

/// A row for every head, with all scores.
/// @param score  of a row and a kind
template <class Score>
Table table_of_heads(const HeadsFound& found, const char* name, const char* caption,
                     const Score& score) {
  Table table{.name = name, .caption = caption};
  add_column(table, "layer", found, [](const HeadRow& row) { return row.layer; });
  add_column(table, "head", found, [](const HeadRow& row) { return row.head; });
  for (const ScoreKind& kind : score_kinds())
    add_column(
        table, std::string(kind.key), found, [&](const HeadRow& row) { return score(row, kind); },
        kind.is_share ? "" : "tokens");
  return table;
}

/// The heads with the largest scores on even texts, and what they have on odd ones.
Table chosen_table(const HeadTable& heads) {
  TableBuilder table("chosen", "heads that even texts have chosen, and their score on odd ones",
                     {{"score"}, {"layer"}, {"head"}, {"chosen_by"}, {"tested"}});
  for (const ScoreChoice& choice : heads.choices)
    for (const ChosenHead& head : choice.heads)
      table.row({choice.score, head.layer, head.head, head.chosen_by, head.tested});
  return std::move(table).finish_printed();
}

/// [layers, heads, …] of something that each row has as often.
template <class Of>
Array array_of_heads(const HeadTable& table, const char* name, const char* description,
                     const char* axis, const Of& of) {
  std::vector<double> values;
  for (const HeadRow& row : table.rows) {
    const std::vector<double> own = of(row);
    values.insert(values.end(), own.begin(), own.end());
  }
  const auto layers = static_cast<std::size_t>(table.layers);
  const auto heads = static_cast<std::size_t>(table.heads);
  const std::size_t each = values.size() / (layers * heads);
  return {.name = name,
          .description = description,
          .shape = {layers, heads, each},
          .axes = {"layer", "head", axis},
          .values = std::move(values)};
}

}  // namespace in_model_heads_tables
}  // namespace

std::vector<Table> heads_tables(const HeadsFound& found) {
  using namespace in_model_heads_tables;
  Table heads =
      table_of_heads(found, "heads",
                     !found.effect.edits.empty()
                         ? "one row per head, before the edits; NaN where it has no such score"
                         : "one row per head; NaN where it has no such score",
                     [&](const HeadRow& row, const ScoreKind& kind) {
                       return score_of(found.params, row, std::string(kind.key));
                     });
  add_column(heads, "sink", found,
             [](const HeadRow& row) { return row.sink_dominates ? 1.0 : 0.0; });
  add_column(heads, "marked", found,
             [&](const HeadRow& row) { return is_marked(found.params, row) ? 1.0 : 0.0; });
  if (!found.effect.edits.empty())
    add_column(heads, "change", found,
               [&](const HeadRow& row) { return change_of(found.effect, row.layer, row.head); });
  heads.printed = found.table->choices.empty();
  std::vector<Table> tables{std::move(heads)};
  if (found.table->repeats > 0)
    tables.push_back(table_of_heads(found, "heads_on_repeated",
                                    "the same on random tokens that come twice",
                                    [](const HeadRow& row, const ScoreKind& kind) {
                                      return row.repeated[score_number(kind.key)];
                                    }));
  if (!found.table->choices.empty()) tables.push_back(chosen_table(*found.table));
  const TextEffect& text = found.effect.texts.front();
  if (text.before.empty()) return tables;
  TableBuilder losses(
      "loss", "loss of each token that follows another, in nats",
      {{"position", "tokens"}, {"token"}, {"loss", "nats"}, {"edited_loss", "nats"}});
  for (std::size_t i = 0; i < text.before.size(); ++i)
    losses.row({i + 1, found.labels[i + 1], text.before[i], text.after[i]});
  tables.push_back(std::move(losses).finish());
  return tables;
}

std::vector<Array> heads_arrays(const HeadTable& table) {
  using namespace in_model_heads_tables;
  std::vector<Array> arrays{
      array_of_heads(table, "by_distance", "weight at r = i − j", "distance",
                     [](const HeadRow& row) { return row.by_distance; }),
      array_of_heads(table, "by_distance_without_first", "the same without the first token",
                     "distance", [](const HeadRow& row) { return row.by_distance_without_first; })};
  std::size_t pairs = 0;
  for (const HeadRow& row : table.rows)
    pairs = std::max<std::size_t>(pairs, row.pair_shares.size());
  if (pairs > 0)
    arrays.push_back(array_of_heads(table, "pair_shares", "share of a pair in the logits' variance",
                                    "pair", [&](const HeadRow& row) {
                                      std::vector<double> shares = row.pair_shares;
                                      shares.resize(pairs, 0.0);  // layers without RoPE
                                      return shares;
                                    }));
  return arrays;
}

}  // namespace orrery
