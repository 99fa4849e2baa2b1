#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/heads/head_json.h"
#include "experiments/heads/model_heads.h"

namespace orrery::heads {
namespace {

using nlohmann::ordered_json;

ordered_json scores_json(const std::vector<double>& scores) {
  ordered_json json = ordered_json::object();
  for (std::size_t k = 0; k < scores.size(); ++k)
    json[std::string(score_kinds()[k].key)] = number_json(scores[k]);
  return json;
}

ordered_json row_json(const HeadRow& row) {
  ordered_json json{{"layer", row.layer}, {"head", row.head}, {"scores", scores_json(row.scores)}};
  ordered_json without = scores_json(row.without_first);
  for (const ScoreKind& kind : score_kinds())
    if (!kind.has_without_first) without.erase(std::string(kind.key));
  json["without_first"] = std::move(without);
  if (!row.repeated.empty()) json["repeated"] = scores_json(row.repeated);
  json["sink_dominates"] = row.sink_dominates;
  json["strongest_distance"] = row.strongest_distance;
  json["band_shares"] = numbers_json(band_shares(row));
  json["pair_shares"] = numbers_json(row.pair_shares);
  json["by_distance"] = numbers_json(row.by_distance);
  json["by_distance_without_first"] = numbers_json(row.by_distance_without_first);
  return json;
}

ordered_json choices_json(const HeadTable& table) {
  ordered_json json = ordered_json::object();
  for (const ScoreChoice& choice : table.choices) {
    ordered_json heads = ordered_json::array();
    for (const ChosenHead& head : choice.heads)
      heads.push_back({{"layer", head.layer},
                       {"head", head.head},
                       {"chosen_by", number_json(head.chosen_by)},
                       {"tested", number_json(head.tested)}});
    json[choice.score] = std::move(heads);
  }
  return json;
}

/// An array [layers, heads, …] of something that each row has as often.
template <class Of>
Array array_of(const HeadTable& table, const char* name, const char* description, const char* axis,
               const Of& of) {
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

std::string line_of(const HeadRow& row) {
  std::string text = fmt::format("{:>3}.{:<3}", row.layer, row.head);
  for (const double score : row.scores) text += fmt::format(" {:>9}", score_text(score));
  if (!row.repeated.empty())
    text += fmt::format(" {:>9}", score_text(row.repeated[score_number("induction")]));
  return text + (row.sink_dominates ? "  sink" : "") + "\n";
}

std::string header_of(const HeadTable& table) {
  std::string text = "   head";
  for (const ScoreKind& kind : score_kinds()) text += fmt::format(" {:>9}", kind.key.substr(0, 9));
  if (table.repeats > 0) text += "  repeated";
  return text + "\n";
}

std::string choice_text(const ScoreChoice& choice) {
  std::vector<std::string> heads;
  for (const ChosenHead& head : choice.heads)
    heads.push_back(fmt::format("{}.{} {} ({})", head.layer, head.head, score_text(head.tested),
                                score_text(head.chosen_by)));
  return fmt::format("{:<14} {}\n", choice.score, fmt::join(heads, ", "));
}

}  // namespace

std::string heads_json(const HeadTable& table) {
  ordered_json kinds = ordered_json::array();
  for (const ScoreKind& kind : score_kinds())
    kinds.push_back({{"key", kind.key}, {"formula", kind.formula}, {"about", kind.description}});
  ordered_json rows = ordered_json::array();
  for (const HeadRow& row : table.rows) rows.push_back(row_json(row));
  ordered_json json{
      {"model", table.model},
      {"family", table.family},
      {"layers", table.layers},
      {"heads", table.heads},
      {"texts", texts_json(table.texts)},
      {"queries", table.queries},
      {"induction_queries", table.induction_queries},
      {"repeated",
       {{"tokens", table.repeated}, {"sequences", table.repeats}, {"seed", table.seed}}},
      {"kinds", std::move(kinds)},
      {"chosen_by_even_texts_tested_on_odd", choices_json(table)},
      {"rows", std::move(rows)}};
  return json.dump(1) + "\n";
}

std::string heads_text(const HeadTable& table) {
  std::string text =
      fmt::format("{}, {} layers of {} heads; {} queries in {} texts\n", table.family, table.layers,
                  table.heads, table.queries, table.texts.size());
  text += header_of(table);
  for (const HeadRow& row : table.rows) text += line_of(row);
  for (const ScoreKind& kind : score_kinds())
    text += fmt::format("{:<14} {:<32} {}\n", kind.key, kind.formula, kind.description);
  if (table.repeats > 0)
    text += fmt::format("{:<14} induction on {} random tokens and the same again, {} times\n",
                        "repeated", table.repeated, table.repeats);
  text += "sink: the first token has most of the weight; --json has each score without it\n";
  if (table.choices.empty())
    return text + "no heads are named: that takes two texts, to choose by and to test on\n";
  text +=
      "Heads with the largest scores on odd texts (in parentheses on even ones, which chose):\n";
  for (const ScoreChoice& choice : table.choices) text += choice_text(choice);
  return text;
}

std::vector<Array> heads_arrays(const HeadTable& table) {
  std::vector<Array> arrays;
  arrays.push_back(array_of(table, "scores", "scores in the order of `kinds`", "score",
                            [](const HeadRow& row) { return row.scores; }));
  arrays.push_back(array_of(table, "scores_without_first", "the same without the first token",
                            "score", [](const HeadRow& row) { return row.without_first; }));
  if (table.repeats > 0)
    arrays.push_back(array_of(table, "scores_repeated", "the same on repeated random tokens",
                              "score", [](const HeadRow& row) { return row.repeated; }));
  arrays.push_back(array_of(table, "by_distance", "weight at r = i − j", "distance",
                            [](const HeadRow& row) { return row.by_distance; }));
  arrays.push_back(array_of(table, "by_distance_without_first", "the same without the first token",
                            "distance",
                            [](const HeadRow& row) { return row.by_distance_without_first; }));
  std::size_t pairs = 0;
  for (const HeadRow& row : table.rows)
    pairs = std::max<std::size_t>(pairs, row.pair_shares.size());
  if (pairs > 0)
    arrays.push_back(array_of(table, "pair_shares", "share of a pair in the logits' variance",
                              "pair", [&](const HeadRow& row) {
                                std::vector<double> shares = row.pair_shares;
                                shares.resize(pairs, 0.0);  // layers without RoPE
                                return shares;
                              }));
  return arrays;
}

}  // namespace orrery::heads
