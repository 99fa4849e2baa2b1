#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/heads/head_json.h"
#include "experiments/heads/what_if.h"

namespace orrery::heads {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t heads_listed = 12;

ordered_json difference_json(const WhatIf& result) {
  const statistics::Welch& d = result.difference;
  return {{"before", number_json(result.before)},
          {"after", number_json(result.after)},
          {"difference", number_json(d.difference)},
          {"low", number_json(d.low)},
          {"high", number_json(d.high)},
          {"p", number_json(d.p)}};
}

std::string spread_text(const WhatIf& result) {
  const statistics::Welch& d = result.difference;
  if (std::isnan(d.low)) return "one text, so no spread";
  return fmt::format("95 % of {} texts: {:+.4f} to {:+.4f}", result.texts.size(), d.low, d.high);
}

std::string changes_text(const WhatIf& result) {
  std::vector<HeadChange> changes = result.changes;
  std::stable_sort(changes.begin(), changes.end(),
                   [](const HeadChange& a, const HeadChange& b) { return a.change > b.change; });
  if (changes.size() > heads_listed) changes.resize(heads_listed);
  std::vector<std::string> parts;
  for (const HeadChange& head : changes)
    parts.push_back(fmt::format("{}.{} {:.3f}", head.layer, head.head, head.change));
  return fmt::format("heads whose weights move most, of 1: {}\n", fmt::join(parts, ", "));
}

Array losses_array(const WhatIf& result, bool after) {
  Array array{.name = after ? "loss_after" : "loss_before",
              .description = "−ln p of each next token, nats, text after text",
              .axes = {"token"}};
  std::vector<double> values;
  for (const TextEffect& text : result.texts) {
    const std::vector<double>& of = after ? text.after : text.before;
    values.insert(values.end(), of.begin(), of.end());
  }
  array.shape = {values.size()};
  array.values = std::move(values);
  return array;
}

}  // namespace

std::vector<std::int32_t> next_ids(const WhatIf& result) {
  std::vector<std::int32_t> ids;
  for (const TextEffect& text : result.texts)
    for (const NextToken& next : text.next) ids.push_back(next.id);
  return ids;
}

std::string what_if_json(const WhatIf& result, const std::vector<std::string>& labels) {
  ordered_json texts = ordered_json::array();
  std::size_t label = 0;
  for (const TextEffect& text : result.texts) {
    ordered_json next = ordered_json::array();
    for (const NextToken& one : text.next)
      next.push_back({{"id", one.id},
                      {"piece", labels[label++]},
                      {"before", number_json(one.before)},
                      {"after", number_json(one.after)}});
    texts.push_back({{"name", text.name},
                     {"tokens", text.tokens},
                     {"loss_before", numbers_json(text.before)},
                     {"loss_after", numbers_json(text.after)},
                     {"next", std::move(next)}});
  }
  ordered_json changes = ordered_json::array();
  for (const HeadChange& head : result.changes)
    changes.push_back(
        {{"layer", head.layer}, {"head", head.head}, {"change", number_json(head.change)}});
  const ordered_json json{{"model", result.model},
                          {"family", result.family},
                          {"edits", result.edits},
                          {"first_layer", result.first_layer},
                          {"loss", difference_json(result)},
                          {"texts", std::move(texts)},
                          {"head_changes", std::move(changes)}};
  return json.dump(1) + "\n";
}

std::string what_if_text(const WhatIf& result, const std::vector<std::string>& labels) {
  std::string text = fmt::format("{}, {} layers of {} heads; computed twice from layer {} on\n",
                                 result.family, result.layers, result.heads, result.first_layer);
  text += fmt::format("edits: {}\n", fmt::join(result.edits, " "));
  if (std::isnan(result.before))
    text += "no loss: the model does not predict the next token\n";
  else
    text += fmt::format("mean loss {:.4f} -> {:.4f} nats ({:+.4f}; {})\n", result.before,
                        result.after, result.difference.difference, spread_text(result));
  if (!result.changes.empty()) text += changes_text(result);
  std::size_t label = 0;
  for (const TextEffect& one : result.texts) {
    if (one.next.empty()) continue;
    std::vector<std::string> parts;
    for (const NextToken& next : one.next)
      parts.push_back(fmt::format("{} {:.3f} -> {:.3f}", labels[label++], next.before, next.after));
    text += fmt::format("next of {}: {}\n", one.name, fmt::join(parts, ", "));
  }
  return text;
}

std::vector<Array> what_if_arrays(const WhatIf& result) {
  std::vector<Array> arrays;
  if (!std::isnan(result.before))
    for (const bool after : {false, true}) arrays.push_back(losses_array(result, after));
  if (!result.changes.empty()) {
    std::vector<double> values(static_cast<std::size_t>(result.layers * result.heads), 0.0);
    for (const HeadChange& head : result.changes)
      values[static_cast<std::size_t>(head.layer * result.heads + head.head)] = head.change;
    arrays.push_back(
        {.name = "head_change",
         .description = "mean half difference of the weights of a head",
         .shape = {static_cast<std::size_t>(result.layers), static_cast<std::size_t>(result.heads)},
         .axes = {"layer", "head"},
         .values = std::move(values)});
  }
  arrays.insert(arrays.end(), result.maps.begin(), result.maps.end());
  return arrays;
}

}  // namespace orrery::heads
