#include "experiments/studies/model_heads/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/setup/common_axes.h"
#include "experiments/setup/provenance.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

constexpr std::size_t heads_named = 6;  // in a title

const ScoreKind& kind_of_score(const std::string& score) {
  return score_kinds()[score_number(score)];
}

/// Of a head among those of all layers.
std::size_t number_of(const WhatIf& effect, int layer, int head) {
  return static_cast<std::size_t>(layer) * static_cast<std::size_t>(effect.heads) +
         static_cast<std::size_t>(head);
}

std::string text_of_head(int layer, int head) { return fmt::format("{}.{}", layer, head); }

bool is_edited(const HeadsFound& found) { return !found.effect.edits.empty(); }

/// An edit of many heads names the first of them.
std::string shortened(const std::string& text) {
  Edit edit = parse_edits({text}).front();
  const std::size_t all = edit.heads.size();
  if (all <= heads_named) return text;
  edit.heads.resize(heads_named);
  return fmt::format("{} and {} more heads", edit_text(edit), all - heads_named);
}

/// @param what  "64 tokens of the_orrery.txt"
std::string caption_about(const HeadsFound& found, const std::string& what) {
  return fmt::format("{}, {} · {}", as_marked(found.effect.family), what, caption_of(found.params));
}

/// Of a figure of all texts.
std::string caption_of_all(const HeadsFound& found) {
  const std::vector<TextEffect>& texts = found.effect.texts;
  if (texts.size() == 1) return caption_of_text(found);
  std::size_t tokens = 0;
  for (const TextEffect& text : texts) tokens += text.tokens.size();
  return caption_about(found, fmt::format("{} tokens of {} texts", tokens, texts.size()));
}

/// Scores are those of the model as it is.
std::string caption_of_scores(const HeadsFound& found) {
  return (is_edited(found) ? "before the edits · " : "") + caption_of_all(found);
}

ColorScaling colors_of(const HeadsFound& found) {
  return found.params.text("colors") == "log" ? ColorScaling::log : ColorScaling::linear;
}

/// A number of every head, the chosen one as lines that can be dragged.
/// @param value  of a layer and a head
template <class Value>
Heatmap map_of_heads(const HeadsFound& found, const char* name, const std::string& description,
                     const Value& value) {
  const WhatIf& effect = found.effect;
  std::vector<double> values;
  for (int layer = 0; layer < effect.layers; ++layer)
    for (int head = 0; head < effect.heads; ++head) values.push_back(value(layer, head));
  return {.values = array_of(
              name, description,
              {static_cast<std::size_t>(effect.layers), static_cast<std::size_t>(effect.heads)},
              {"layer", "head"}, std::move(values)),
          .x = head_axis(),
          .y = layer_axis(),
          .rules = {vertical(static_cast<double>(found.chosen.head), "", "head"),
                    horizontal(static_cast<double>(found.chosen.layer), "", "layer")}};
}

Figure scores_figure(const HeadsFound& found) {
  const std::string& score = found.params.text("score");
  const ScoreKind& kind = kind_of_score(score);
  const HeadRow* most = highest_row(found.params, *found.table, {-1, -1});
  Heatmap map =
      map_of_heads(found, "scores", std::string(kind.description), [&](int layer, int head) {
        return score_of(found.params, found.table->rows[number_of(found.effect, layer, head)],
                        score);
      });
  map.quantity = words_of(score);
  if (kind.is_share) map.range = Range{0, 1};
  std::string sinks;
  if (const std::optional<std::size_t> count = sink_heads(*found.table))
    sinks = fmt::format("{} of {} heads have more than half of their weight on the first token · ",
                        *count, found.table->rows.size());
  return {"scores",
          most ? fmt::format("{}{}: head {} has the most, {:.2f}", words_of(score),
                             is_edited(found) ? " before the edits" : "",
                             text_of_head(most->layer, most->head),
                             score_of(found.params, *most, score))
               : fmt::format("{}: this model's heads have none", words_of(score)),
          fmt::format("{} · {}{}{}", kind.description,
                      found.params.boolean("without_first") ? "without the first token · " : "",
                      sinks, caption_of_scores(found)),
          std::move(map)};
}

/// "3 of 270 heads have previous ≥ 0.5 and first ≥ 0: 16.0, 11.1, 7.2".
std::string marked_text(const HeadsFound& found) {
  const std::string& other = found.params.text("against");
  std::size_t marked = 0, without = 0;
  std::string named;
  for (const HeadRow& row : found.table->rows) {
    if (!is_marked(found.params, row)) continue;
    without += std::isnan(score_of(found.params, row, other));
    if (marked++ < heads_named)
      named += (named.empty() ? ": " : ", ") + text_of_head(row.layer, row.head);
  }
  if (marked > heads_named) named += ", …";
  std::string also;
  if (without < marked || marked == 0)
    also = fmt::format(" and {} ≥ {:.3g}", words_of(other), found.params.real("against_from"));
  if (without > 0) also += fmt::format(" ({} have no score {})", without, words_of(other));
  return fmt::format("{} of {} heads have {} ≥ {:.3g}{}{}", marked, found.table->rows.size(),
                     words_of(found.params.text("score")), found.params.real("score_from"), also,
                     named);
}

Figure scatter_figure(const HeadsFound& found) {
  const std::string &x = found.params.text("against"), &y = found.params.text("score");
  Series others{.name = "heads", .x = {}, .y = {}, .style = LineStyle::points};
  Series marked{.name = "marked", .x = {}, .y = {}, .style = LineStyle::points, .color = 2};
  for (const HeadRow& row : found.table->rows) {
    Series& heads = is_marked(found.params, row) ? marked : others;
    heads.x.push_back(score_of(found.params, row, x));
    heads.y.push_back(score_of(found.params, row, y));
  }
  const HeadRow& own = chosen_row(found);
  Series chosen{.name = "head " + text_of_head(own.layer, own.head),
                .x = {score_of(found.params, own, x)},
                .y = {score_of(found.params, own, y)},
                .style = LineStyle::points,
                .color = 1,
                .marked = true};
  return {"two_scores", marked_text(found),
          fmt::format("{}: {} {}: {} · {}", words_of(y), kind_of_score(y).description, words_of(x),
                      kind_of_score(x).description, caption_of_scores(found)),
          LinePlot{.x = {.label = words_of(x)},
                   .y = {.label = words_of(y)},
                   .series = {std::move(others), std::move(marked), std::move(chosen)},
                   .rules = {horizontal(found.params.real("score_from"), "", "score_from"),
                             vertical(found.params.real("against_from"), "", "against_from")}}};
}

/// The map of the chosen head before or after the edits.
const Array& map_of_chosen(const WhatIf& effect, const std::string& when) {
  for (const Array& map : effect.maps)
    if (map.name.starts_with("map_" + when)) return map;
  return effect.maps.front();
}

/// What the edits do to the loss, where the model has one: ": loss 1.52 → 3.20 nats".
std::string loss_words(const WhatIf& effect) {
  if (effect.texts.front().before.empty()) return "";
  return fmt::format(": loss {:.2f} → {:.2f} nats", effect.before, effect.after);
}

/// The head as it is now, or as it was before the edits.
Figure weights_figure(const HeadsFound& found, bool before) {
  auto values = std::make_shared<Array>(map_of_chosen(found.effect, before ? "before" : "after"));
  values->name = before ? "weights_before" : "weights";
  values->description = "attention weights of the chosen head, rows sum to 1";
  const std::string place = text_of_head(found.chosen.layer, found.chosen.head);
  return {values->name,
          fmt::format("Where head {} looks{}", place,
                      !is_edited(found) ? ""
                      : before          ? " before the edits"
                               : ", " + edits_text(found.effect) + loss_words(found.effect)),
          caption_of_text(found),
          Heatmap{.values = values,
                  .masked = before ? found.masked_before : found.masked,
                  .x = key_axis(),
                  .y = query_axis(),
                  .quantity = "weight",
                  .symbol = "$a_{mn}$",
                  .colors = colors_of(found),
                  .column_labels = found.labels,
                  .row_labels = found.labels},
          {.kind = "head_weights"}};
}

/// Small maps side by side; what lies between them and keys that no query sees count as masked.
Figure all_heads_figure(const HeadsFound& found) {
  const Array& small = found.effect.small_maps;
  const std::size_t layers = small.shape[0], heads = small.shape[1], side = small.shape[2];
  const std::size_t rows = layers * (side + 1) - 1, columns = heads * (side + 1) - 1;
  Array values{.name = "all_heads",
               .description = "the largest weight of each cell of every head's map",
               .shape = {rows, columns},
               .axes = {"layer", "head"},
               .values = std::vector<float>(rows * columns, 0.0F)};
  Array masked = values;
  masked.name = "all_heads_masked";
  masked.description = "1 between maps, and where no query of a cell sees a key of it";
  masked.values = std::vector<float>(rows * columns, 1.0F);
  auto& cells = std::get<std::vector<float>>(values.values);
  auto& hidden = std::get<std::vector<float>>(masked.values);
  for (std::size_t l = 0; l < layers; ++l)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j) {
          const std::size_t at = (l * (side + 1) + i) * columns + h * (side + 1) + j;
          cells[at] = static_cast<float>(small[((l * heads + h) * side + i) * side + j]);
          hidden[at] = static_cast<float>(found.effect.unseen_cells[(l * side + i) * side + j]);
        }
  const auto axis = [&](Axis of, std::size_t count) {
    const double cell = 1.0 / static_cast<double>(side + 1);
    of = spanning(std::move(of), -0.5 + cell, static_cast<double>(count) - 0.5 - cell);
    of.unit.clear();
    return of;
  };
  return {"all_heads",
          is_edited(found) ? fmt::format("All heads, {}", edits_text(found.effect))
                           : fmt::format("All {} heads of {} layers", layers * heads, layers),
          fmt::format("each square is a head's map, queries down and keys across · {}",
                      caption_of_text(found)),
          Heatmap{.values = std::make_shared<Array>(std::move(values)),
                  .masked = std::make_shared<Array>(std::move(masked)),
                  .x = axis(head_axis(), heads),
                  .y = axis(layer_axis(), layers),
                  .quantity = "largest weight of a cell",
                  .colors = colors_of(found)}};
}

/// Of the largest number, or of a NaN.
std::ptrdiff_t largest_place(const std::vector<double>& values) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!(values[i] <= values[at])) at = i;
  return static_cast<std::ptrdiff_t>(at);
}

Figure by_distance_figure(const HeadsFound& found) {
  const HeadRow& row = chosen_row(found);
  LinePlot plot{.x = distance_axis(), .y = {.label = "mean weight"}};
  const auto add = [&](const char* name, const std::vector<double>& values, LineStyle style) {
    plot.series.push_back({.name = name,
                           .x = count_from_0(values.size()),
                           .y = values,
                           .style = style,
                           .marked = true});
  };
  add("all keys", row.by_distance, LineStyle::solid);
  add("without the first token", row.by_distance_without_first, LineStyle::dotted);
  const auto most = largest_place(row.by_distance);
  return {
      "by_distance",
      fmt::format("Head {}: of the last {} tokens, most weight lies {} back",
                  text_of_head(row.layer, row.head), row.by_distance.size(), most),
      fmt::format("mean over queries; 0 back is the token itself · {}", caption_of_scores(found)),
      std::move(plot)};
}

Figure pairs_figure(const HeadsFound& found) {
  const HeadRow& row = chosen_row(found);
  const std::vector<double>& shares = row.pair_shares;
  return {"pairs",
          fmt::format("Head {} goes most by pair {}", text_of_head(row.layer, row.head),
                      largest_place(shares)),
          fmt::format("of RoPE's pairs from the fastest on; channels that do not turn have the "
                      "rest · {}",
                      caption_of_scores(found)),
          LinePlot{.x = {.label = "pair", .symbol = "$t$", .role = AxisRole::pair},
                   .y = {.label = "share of the logits' variance"},
                   .series = {{.name = "share of the variance",
                               .x = count_from_0(shares.size()),
                               .y = shares,
                               .marked = true}}}};
}

/// Of what the edits add; empty for one text, which has none.
std::string spread_of_loss(const WhatIf& effect) {
  const Welch& added = effect.difference;
  if (std::isnan(added.low)) return "";
  return fmt::format(" ({:+.2f} ± {:.2f})", added.difference, (added.high - added.low) / 2);
}

Figure loss_figure(const HeadsFound& found) {
  const TextEffect& text = found.effect.texts.front();
  LinePlot plot{.x = {.label = "token", .role = AxisRole::position},
                .y = {.label = "loss", .unit = "nats"}};
  std::vector<double> tokens = count_from_0(text.before.size());
  for (double& token : tokens) ++token;
  const auto add = [&](const char* name, const std::vector<double>& losses, int color) {
    plot.series.push_back({.name = name, .x = tokens, .y = losses, .color = color, .marked = true});
  };
  add("the model", text.before, 0);
  if (is_edited(found)) add("edited", text.after, 1);
  const WhatIf& effect = found.effect;
  return {"loss",
          is_edited(found)
              ? fmt::format("Mean loss {:.2f} → {:.2f} nats{}, {}", effect.before, effect.after,
                            spread_of_loss(effect), edits_text(effect))
              : fmt::format("Loss of each token, {:.2f} nats in the mean", effect.before),
          (effect.texts.size() > 1 ? "the mean is that of all texts, ± its 95 % interval · "
                                   : "one text has no spread; parts=4 gives one · ") +
              caption_of_text(found),
          std::move(plot)};
}

Figure change_figure(const HeadsFound& found) {
  const WhatIf& effect = found.effect;
  const HeadChange* most = nullptr;
  for (const HeadChange& change : effect.changes)
    if (!most || change.change > most->change) most = &change;
  Heatmap map = map_of_heads(found, "change", "how far the edits move each head's weights",
                             [&](int layer, int head) { return change_of(effect, layer, head); });
  map.quantity = "change of weights";
  map.range = Range{0, 1};
  return {"change",
          most ? fmt::format("{}: head {} changes most, by {:.2f}{}", edits_text(effect),
                             text_of_head(most->layer, most->head), most->change,
                             effect.texts.size() > 1
                                 ? fmt::format(" ({:.2f} to {:.2f} in {} texts)", most->least,
                                               most->greatest, effect.texts.size())
                                 : "")
               : edits_text(effect),
          fmt::format("½ Σ |a − a'| over keys, the mean over queries: 1 where all weight goes to "
                      "other keys · {}",
                      caption_of_all(found)),
          std::move(map)};
}

Figure next_figure(const HeadsFound& found) {
  const TextEffect& text = found.effect.texts.front();
  TableFigure table{.header = {"next token", "probability"}};
  if (is_edited(found)) table.header.emplace_back("edited");
  for (std::size_t i = 0; i < text.next.size(); ++i) {
    table.rows.push_back({found.next[i], fmt::format("{:.4f}", text.next[i].before)});
    if (is_edited(found)) table.rows.back().push_back(fmt::format("{:.4f}", text.next[i].after));
  }
  return {"next_tokens", "What comes behind the text", caption_of_text(found), std::move(table)};
}

}  // namespace

std::string words_of(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return key;
}

std::string caption_of_text(const HeadsFound& found) {
  const TextEffect& text = found.effect.texts.front();
  return caption_about(found,
                       fmt::format("{} tokens of {}", text.tokens.size(), as_marked(text.name)));
}

const HeadRow& chosen_row(const HeadsFound& found) {
  return found.table->rows[number_of(found.effect, found.chosen.layer, found.chosen.head)];
}

double score_of(const ParamSet& params, const HeadRow& row, const std::string& score) {
  const std::size_t k = score_number(score);
  if (!params.boolean("without_first")) return row.scores[k];
  return score_kinds()[k].has_without_first ? row.without_first[k]
                                            : std::numeric_limits<double>::quiet_NaN();
}

const HeadRow* highest_row(const ParamSet& params, const HeadTable& table, const HeadPlace& of) {
  const std::string& score = params.text("score");
  const HeadRow* highest = nullptr;
  for (const HeadRow& row : table.rows) {
    const bool is_asked =
        (of.layer < 0 || row.layer == of.layer) && (of.head < 0 || row.head == of.head);
    const double own = score_of(params, row, score);
    if (!is_asked || std::isnan(own)) continue;
    if (!highest || own > score_of(params, *highest, score)) highest = &row;
  }
  return highest;
}

bool is_marked(const ParamSet& params, const HeadRow& row) {
  return score_of(params, row, params.text("score")) >= params.real("score_from") &&
         !(score_of(params, row, params.text("against")) < params.real("against_from"));
}

double change_of(const WhatIf& effect, int layer, int head) {
  if (layer < effect.first_layer) return 0.0;
  return effect.changes[number_of(effect, layer - effect.first_layer, head)].change;
}

std::string edits_text(const WhatIf& effect) {
  std::string all;
  for (const std::string& edit : effect.edits)
    all += (all.empty() ? "" : ", ") + words_of_edit(shortened(edit));
  return all;
}

std::vector<Figure> heads_figures(const HeadsFound& found) {
  const bool edited = is_edited(found), losses = !found.effect.texts.front().before.empty();
  std::vector<Figure> figures;
  if (found.table) figures.push_back(scores_figure(found));
  figures.push_back(weights_figure(found, false));
  if (edited) figures.push_back(weights_figure(found, true));
  figures.push_back(all_heads_figure(found));
  if (losses) figures.push_back(loss_figure(found));
  if (edited) figures.push_back(change_figure(found));
  if (losses) figures.push_back(next_figure(found));
  if (!found.table) return figures;
  figures.push_back(by_distance_figure(found));
  if (!chosen_row(found).pair_shares.empty()) figures.push_back(pairs_figure(found));
  figures.push_back(scatter_figure(found));
  return figures;
}

}  // namespace orrery
