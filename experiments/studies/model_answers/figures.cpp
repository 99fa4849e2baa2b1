#include "experiments/studies/model_answers/figures.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "experiments/setup/provenance.h"
#include "experiments/setup/table_builder.h"
#include "experiments/statistics/welch.h"
#include "experiments/text/marked_text.h"

namespace orrery::studies {
namespace {
namespace in_model_answers_figures {

constexpr std::size_t tokens_of_a_state = 3;  // that the table has room for

std::string caption(const ParamSet& params, const std::string& family, const std::string& what) {
  return fmt::format("{} · {} · {}", as_marked(family), what, caption_of(params));
}

/// ", base:500, sign" behind a title; empty without edits.
std::string under(const std::vector<std::string>& edits) {
  std::string all;
  for (const std::string& edit : edits) all += ", " + edit;
  return as_marked(all);
}

Axis layer_axis() { return {.label = "layer", .symbol = "$l$"}; }
Axis token_axis() { return {.label = "token", .role = AxisRole::position}; }

std::shared_ptr<Array> map_array(std::string name, std::string description,
                                 std::vector<std::size_t> shape, std::vector<std::string> axes,
                                 std::vector<double> values) {
  return std::make_shared<Array>(Array{.name = std::move(name),
                                       .description = std::move(description),
                                       .shape = std::move(shape),
                                       .axes = std::move(axes),
                                       .values = std::move(values)});
}

void add_map(Figure figure, Result& result) {
  result.arrays.push_back(std::get<Heatmap>(figure.content).values);
  result.figures.push_back(std::move(figure));
}

// ---- Lens --------------------------------------------------------------------------------------

Figure lens_figure(const std::string& about, const Lens& lens,
                   const std::vector<std::string>& labels, std::size_t token) {
  const std::size_t n = lens.text.tokens.size() - 1;  // nothing comes behind the last one
  std::vector<double> values;
  for (std::size_t s = 0; s < lens.states; ++s)
    for (std::size_t i = 0; i < n; ++i) values.push_back(lens.at(s, i).loss);
  const std::vector<double> means = losses_by_state(lens);
  Heatmap map{.values = map_array("lens", "loss of the next token after so many layers, nats",
                                  {lens.states, n}, {"layer", "token"}, std::move(values)),
              .x = token_axis(),
              .y = {.label = "layers applied"},
              .quantity = "loss, nats",
              .range = Range{0, lens.loss_of_chance},
              .column_labels = {labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(n)},
              .rules = {{Rule::Direction::vertical, static_cast<double>(token), "", "token"}}};
  return {"lens",
          fmt::format(
              "Loss of the next token: {:.2f} nats before the first layer, {:.2f} after the last",
              means.front(), means.back()) +
              under(lens.edits),
          about, std::move(map)};
}

Figure by_layer_figure(const std::string& about, const Lens& lens) {
  Series loss{.name = "loss", .x = {}, .y = losses_by_state(lens), .marked = true};
  Series entropy{.name = "entropy", .x = {}, .y = {}, .color = 1, .marked = true};
  const std::size_t n = lens.text.tokens.size() - 1;  // as the loss has
  std::size_t best = 0;
  for (std::size_t s = 0; s < lens.states; ++s) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += lens.at(s, i).entropy;
    loss.x.push_back(static_cast<double>(s));
    entropy.x.push_back(static_cast<double>(s));
    entropy.y.push_back(sum / static_cast<double>(n));
    if (!std::isnan(loss.y[best]) && !(loss.y[s] >= loss.y[best])) best = s;
  }
  return {"by_layer",
          fmt::format("The loss is lowest after {} of {} layers", best, lens.states - 1) +
              under(lens.edits),
          about,
          LinePlot{.x = {.label = "layers applied"},
                   .y = {.label = "mean over tokens",
                         .unit = "nats",
                         .scale = AxisScale::symlog,
                         .symlog_threshold = lens.loss_of_chance},
                   .series = {std::move(loss), std::move(entropy)},
                   .rules = {{Rule::Direction::horizontal, lens.loss_of_chance, "chance"}}}};
}

/// Tokens that each state of one token makes the most probable.
Figure becomes_figure(const std::string& about, const Lens& lens,
                      const std::vector<std::string>& labels, const std::vector<std::string>& next,
                      std::size_t token) {
  TableFigure table{.header = {"layers"}};
  const std::size_t kept = lens.cells.front().ids.size();
  const std::size_t listed = kept < tokens_of_a_state ? kept : tokens_of_a_state;
  for (std::size_t k = 0; k < listed; ++k) {
    table.header.push_back(k == 0 ? "most probable" : "then");
    table.header.emplace_back("p");
  }
  for (std::size_t s = 0; s < lens.states; ++s) {
    std::vector<std::string> row{fmt::format("{}", s)};
    const std::size_t first = s * kept;
    for (std::size_t k = 0; k < listed; ++k) {
      row.push_back(next[first + k]);
      row.push_back(fmt::format("{:.3f}", lens.at(s, token).probabilities[k]));
    }
    table.rows.push_back(std::move(row));
  }
  return {
      "becomes",
      fmt::format("What token {}, {}, becomes layer by layer", token, as_marked(labels[token])) +
          under(lens.edits),
      about, std::move(table)};
}

// ---- Patch -------------------------------------------------------------------------------------

struct PatchWords {
  const char* quantity;
  const char* figure;
  const char* of;
};
constexpr PatchWords patch_words[] = {
    {"hidden", "stream", "the residual stream"},
    {"attention", "attention_part", "attention's output"},
    {"feed_forward", "feed_forward_part", "the feed-forward part"},
    {"head_output", "head_part", "a head's output"}};

Figure patch_figure(const std::string& about, const PatchMap& map, const PatchWords& words,
                    const std::vector<std::string>& labels, std::size_t changed) {
  const bool by_head = map.quantity == "head_output";
  std::size_t most = 0;
  for (std::size_t i = 0; i < map.effect.size(); ++i)
    if (!std::isnan(map.effect[most]) && !(std::abs(map.effect[i]) <= std::abs(map.effect[most])))
      most = i;  // a NaN stays
  const std::size_t layer = most / map.columns, column = most % map.columns;
  Heatmap drawn{.values = map_array(
                    words.figure, fmt::format("effect of {} of the corrupted run", words.of),
                    {map.rows, map.columns}, {"layer", by_head ? "head" : "token"}, map.effect),
                .x = by_head ? Axis{.label = "head", .symbol = "$h$"} : token_axis(),
                .y = layer_axis(),
                .quantity = "effect",
                .meaning = Meaning::diverging};
  std::string place = fmt::format("head {}.{}", layer, column);
  if (!by_head) {
    drawn.column_labels = {labels.begin(),
                           labels.begin() + static_cast<std::ptrdiff_t>(map.columns)};
    drawn.rules = {{Rule::Direction::vertical, static_cast<double>(changed), "", "token"}};
    place = fmt::format("layer {} at token {}", layer, column);
  }
  return {words.figure,
          fmt::format("Of {}, {} carries most: {:.2f}", words.of, place, map.effect[most]), about,
          std::move(drawn)};
}

// ---- Repeat and needle -------------------------------------------------------------------------

/// "2.10 ± 0.05": the half width of the 95 % interval, where there is one.
std::string gain_text(const statistics::Welch& gain) {
  const double half = (gain.high - gain.low) / 2;
  return std::isnan(half) ? fmt::format("{:.2f}", gain.difference)
                          : fmt::format("{:.2f} ± {:.2f}", gain.difference, half);
}

Figure repeat_figure(const std::string& about, const Repeat& repeat) {
  const auto n = static_cast<std::size_t>(repeat.request.tokens);
  Series first{.name = "first time", .x = {}, .y = {}, .color = 0, .marked = true};
  Series second{.name = "second time", .x = {}, .y = {}, .color = 1, .marked = true};
  for (std::size_t i = 0; i < 2 * n; ++i) {
    Series& half = i < n ? first : second;
    half.x.push_back(static_cast<double>(i % n));
    half.y.push_back(repeat.by_position[i]);
  }
  return {"repeated",
          fmt::format("Random tokens cost {:.2f} nats, and {:.2f} when they come again",
                      statistics::sample_mean(repeat.first_half),
                      statistics::sample_mean(repeat.second_half)) +
              under(repeat.edits),
          about,
          LinePlot{.x = {.label = "position within a half"},
                   .y = {.label = "loss", .unit = "nats"},
                   .series = {std::move(first), std::move(second)},
                   .rules = {{Rule::Direction::horizontal,
                              std::log(static_cast<double>(repeat.vocabulary)), "chance"}}}};
}

/// A number of each cell of the table.
template <class Number>
Heatmap map_of_needles(const NeedleTable& needle, const char* name, const char* description,
                       const Number& number) {
  const std::size_t lengths = needle.request.lengths.size(), depths = needle.depths.size();
  std::vector<double> values;
  for (const NeedleCell& cell : needle.cells) values.push_back(number(cell));
  Heatmap map{.values = map_array(name, description, {lengths, depths}, {"length", "depth"},
                                  std::move(values)),
              .x = {.label = "text in front of the fact"},
              .y = {.label = "length", .unit = "tokens"}};
  for (const double depth : needle.depths)
    map.column_labels.push_back(fmt::format("{:.0f} %", 100 * depth));
  for (const std::int64_t length : needle.request.lengths)
    map.row_labels.push_back(fmt::format("{}", length));
  return map;
}

/// The mean of a number over all cells.
template <class Number>
double mean_of_cells(const NeedleTable& needle, const Number& number) {
  double sum = 0;
  for (const NeedleCell& cell : needle.cells) sum += number(cell);
  return sum / static_cast<double>(needle.cells.size());
}

}  // namespace in_model_answers_figures
}  // namespace

std::vector<double> losses_by_state(const Lens& lens) {
  std::vector<double> means;
  const std::size_t n = lens.text.tokens.size() - 1;
  for (std::size_t s = 0; s < lens.states; ++s) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += lens.at(s, i).loss;
    means.push_back(sum / static_cast<double>(n));
  }
  return means;
}

void add_lens(const ParamSet& params, const Lens& lens, const std::vector<std::string>& labels,
              const std::vector<std::string>& next, std::size_t token, Result& result) {
  using namespace in_model_answers_figures;
  const std::string about =
      caption(params, lens.family,
              fmt::format("the last norm and the vocabulary read the residual stream after each "
                          "layer; chance is {:.1f} nats, where colours end; {} tokens of {}",
                          lens.loss_of_chance, lens.text.tokens.size(), as_marked(lens.text.name)));
  const std::vector<double> means = losses_by_state(lens);
  add_map(lens_figure(about, lens, labels, token), result);
  result.figures.push_back(by_layer_figure(about, lens));
  result.figures.push_back(becomes_figure(about, lens, labels, next, token));
  result.scalars = {{"first_loss", "", "nats", means.front(), "mean loss before the first layer"},
                    {"loss", "", "nats", means.back(), "mean loss after the last"}};
  TableBuilder table("lens", "mean loss of the next token after so many layers",
                     {{"layers"}, {"loss", "nats"}});
  for (std::size_t s = 0; s < means.size(); ++s) table.row({s, means[s]});
  result.tables.push_back(std::move(table).finish());
}

void add_patch(const ParamSet& params, const PatchResult& patch,
               const std::vector<std::string>& labels, Result& result) {
  using namespace in_model_answers_figures;
  const std::size_t n = patch.clean.tokens.size();
  std::size_t changed = 0;
  while (patch.clean.tokens[changed] == patch.corrupted.tokens[changed]) ++changed;
  const std::string about = caption(
      params, patch.family,
      fmt::format("share of what the corrupted text does to the logit difference, {} − {}, {:.2f} "
                  "and then {:.2f}: {} becomes {} at token {}; {} tokens of {}",
                  as_marked(labels[labels.size() - 2]), as_marked(labels.back()),
                  patch.clean_difference, patch.corrupted_difference, as_marked(labels[changed]),
                  as_marked(labels[n + changed]), changed, n, as_marked(patch.clean.name)));
  for (const PatchMap& map : patch.maps)
    for (const PatchWords& words : patch_words)
      if (map.quantity == words.quantity)
        add_map(patch_figure(about, map, words, labels, changed), result);
  result.scalars = {
      {"clean_difference", "", "", patch.clean_difference, "logit difference, answer − foil"},
      {"corrupted_difference", "", "", patch.corrupted_difference,
       "the same of the corrupted text"}};
}

void add_repeat(const ParamSet& params, const Repeat& repeat, Result& result) {
  using namespace in_model_answers_figures;
  const std::string about = caption(
      params, repeat.family,
      fmt::format("mean over {} sequences; the repetition saves {} nats; means leave out the first "
                  "token of each half, which no token before tells",
                  repeat.first_half.size(), gain_text(repeat.gain)));
  result.figures.push_back(repeat_figure(about, repeat));
  result.scalars = {
      {"first_loss", "", "nats", statistics::sample_mean(repeat.first_half),
       "mean loss of random tokens that come for the first time, without the first of all"},
      {"second_loss", "", "nats", statistics::sample_mean(repeat.second_half),
       "the same of those tokens when they come again"},
      {"gain", "", "nats", repeat.gain.difference, "loss saved by the repetition"}};
  TableBuilder table("repeated", "loss of each token, the mean over sequences",
                     {{"position", "tokens"}, {"loss", "nats"}});
  for (std::size_t i = 0; i < repeat.by_position.size(); ++i) table.row({i, repeat.by_position[i]});
  result.tables.push_back(std::move(table).finish());
}

void add_needle(const ParamSet& params, const NeedleTable& needle, Result& result) {
  using namespace in_model_answers_figures;
  const auto found_of = [](const NeedleCell& cell) { return cell.retrieved; };
  const auto gain_of = [](const NeedleCell& cell) { return cell.gain.difference; };
  const double share = mean_of_cells(needle, found_of), gain = mean_of_cells(needle, gain_of);
  const std::string about =
      caption(params, needle.family,
              fmt::format("{} draws of each cell, in parts of {}", needle.request.draws,
                          as_marked(needle.request.texts.front().name)));
  Heatmap found =
      map_of_needles(needle, "found", "share of draws whose answer is the most probable", found_of);
  found.quantity = "share found";
  found.range = Range{0, 1};
  add_map(
      {"found",
       fmt::format("The fact is found in {:.0f} % of the draws", 100 * share) + under(needle.edits),
       about, std::move(found)},
      result);
  Heatmap gains =
      map_of_needles(needle, "gain", "loss of the answer without the fact less with it", gain_of);
  gains.quantity = "gain, nats";
  gains.meaning = Meaning::diverging;
  add_map(
      {"gain",
       fmt::format("The fact saves {:.2f} nats of an answer's token", gain) + under(needle.edits),
       about, std::move(gains)},
      result);
  result.scalars = {
      {"found", "", "", share, "share of draws whose answer is the most probable"},
      {"gain", "", "nats", gain, "loss of the answer without the fact, less that with it"}};
  TableBuilder table(
      "needle", "how well facts are found",
      {{"length", "tokens"}, {"depth"}, {"found"}, {"loss", "nats"}, {"gain", "nats"}});
  for (const NeedleCell& cell : needle.cells)
    table.row({cell.length, cell.depth, cell.retrieved, cell.loss, cell.gain.difference});
  result.tables.push_back(std::move(table).finish());
}

}  // namespace orrery::studies
