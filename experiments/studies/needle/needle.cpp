#include "experiments/heads/needle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/errors.h"
#include "experiments/setup/asked_model.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {
namespace in_needle {

ParamSpec lengths_param() {
  return {.key = "lengths",
          .unit = "tokens",
          .description = "Lengths of what the model reads: text, fact and question.",
          .kind = ParamKind::number_list,
          .default_value = std::vector<double>{16, 32, 48},
          .min = 2,
          .max = 1 << 20};
}

ParamSpec words_param(const char* key, const char* description) {
  return {.key = key,
          .description = description,
          .kind = ParamKind::text,
          .default_value = std::string(),
          .stated_if_set = true};
}

ExperimentInfo make_info() {
  std::vector<ParamSpec> specs = joined(
      {asked_text_params(),
       {lengths_param(),
        count_param("depths", "Places of the fact, from first to last.", 5, 1, 1000),
        count_param("draws", "Facts, in as many parts of the text.", 4, 1, 4096),
        count_param("question_length", "Random tokens that the question repeats.", 2, 1, 1024),
        count_param("answer_length", "Random tokens that answer it.", 1, 1, 1024),
        words_param("fact", "A fact in words, in place of random tokens."),
        words_param("ask", "What asks for the fact in words, behind the text."),
        words_param("answer", "What should come next, with its space."), seed_param(),
        first_token_param()},
       edit_params(EditedHead::declared),
       {asked_precision_param()}});
  return {.name = "needle",
          .title = "Needle in a text",
          .question = "From which places and lengths does a model find a fact?",
          .formulas = {{R"(\mathrm{loss}_i = -\ln p(t_{i+1} | t_1, \ldots, t_i))", ""}},
          .symbols = {{"t_i", "a token of the text"}},
          .params = std::move(specs),
          .view = {.controls = {"draws", "depths", "edits"},
                   .tabs = {{"found", "Found"}, {"gain", "Gain"}}}};
}

/// The needle in words; none where there are no words.
std::vector<Needle> needle_of(const AskedModel& model, const ParamSet& params) {
  const std::string &fact = params.text("fact"), &ask = params.text("ask"),
                    &answer = params.text("answer");
  if (fact.empty() && ask.empty() && answer.empty()) return {};
  if (fact.empty() || ask.empty() || answer.empty())
    throw UsageError("fact, ask and answer", "a needle has all three",
                     "give those that are missing, or none for random tokens");
  return {{.fact = ids_of_words(model.path(), fact),
           .question = ids_of_words(model.path(), ask),
           .answer = ids_of_words(model.path(), answer)}};
}

/// Adds a figure with a number of each cell of the table.
/// @param form  what the number is
template <class Number>
void add_map_of_needles(const NeedleTable& needle, const char* description, const Number& number,
                        Heatmap form, Figure figure, Result& result) {
  const std::size_t lengths = needle.request.lengths.size(), depths = needle.depths.size();
  std::vector<double> values;
  for (const NeedleCell& cell : needle.cells) values.push_back(number(cell));
  form.values =
      array_of(figure.id, description, {lengths, depths}, {"length", "depth"}, std::move(values));
  form.x = {.label = "text in front of the fact"};
  form.y = {.label = "length", .unit = "tokens"};
  for (const double depth : needle.depths)
    form.column_labels.push_back(fmt::format("{:.0f} %", 100 * depth));
  for (const std::int64_t length : needle.request.lengths)
    form.row_labels.push_back(fmt::format("{}", length));
  figure.title += under(needle.edits);
  figure.content = std::move(form);
  add_map_figure(std::move(figure), result);
}

double share_found(const NeedleTable& needle) {
  double sum = 0;
  for (const NeedleCell& cell : needle.cells) sum += cell.retrieved;
  return sum / static_cast<double>(needle.cells.size());
}

std::string title_of(const Welch& gain) {
  if (std::isnan(gain.low))
    return fmt::format(
        "The fact saves {:.2f} nats of an answer's token in one draw, or in all alike",
        gain.difference);
  return fmt::format("The fact {} {:.2f} ± {:.2f} nats of an answer's token",
                     gain.low > 0 ? "saves" : "is not shown to save:", gain.difference,
                     (gain.high - gain.low) / 2);
}

Result result_of(const ParamSet& params, const NeedleTable& needle) {
  Result result;
  const auto found_of = [](const NeedleCell& cell) { return cell.retrieved; };
  const auto gain_of = [](const NeedleCell& cell) { return cell.gain.difference; };
  const double share = share_found(needle);
  const std::string about = caption_of_model(
      params, needle.family,
      fmt::format("{} draws of each cell, in parts of {}; ± is the 95 % interval "
                  "over draws",
                  needle.request.draws, as_marked(needle.request.texts.front().name)));
  add_map_of_needles(
      needle, "share of draws whose answer is the most probable", found_of,
      {.quantity = "share found", .range = Range{0, 1}},
      {"found", fmt::format("The fact is found in {:.0f} % of the draws", 100 * share), about},
      result);
  add_map_of_needles(needle, "loss of the answer without the fact less with it", gain_of,
                     {.quantity = "gain, nats", .meaning = Meaning::diverging},
                     {"gain", title_of(needle.gain), about}, result);
  result.scalars = {{"found", "", "", share, "share of draws whose answer is the most probable"},
                    {"gain", "", "nats", needle.gain.difference,
                     "loss of the answer without the fact, less that with it"}};
  add_spread("gain", needle.gain, "p of no gain, paired by draws", result);
  TableBuilder table("needle", "how well facts are found",
                     {"length [tokens]", "depth", "found", "loss [nats]", "gain [nats]",
                      "low [nats]", "high [nats]"});
  for (const NeedleCell& cell : needle.cells)
    table.row({cell.length, cell.depth, cell.retrieved, cell.loss, cell.gain.difference,
               cell.gain.low, cell.gain.high});
  result.tables.push_back(std::move(table).finish_printed());
  return result;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::vector<std::int64_t> lengths = whole_numbers(params, "lengths");
  std::int64_t longest = 0;
  for (const std::int64_t length : lengths) longest = std::max<std::int64_t>(longest, length);
  const std::shared_ptr<AskedModel> model =
      AskedModel::take(params, inputs, longest + params.integer("answer_length"));
  const NeedleRequest request{.texts = model->texts(),
                              .lengths = lengths,
                              .depths = static_cast<std::size_t>(params.integer("depths")),
                              .draws = params.integer("draws"),
                              .key = params.integer("question_length"),
                              .value = params.integer("answer_length"),
                              .seed = params.integer("seed"),
                              .needle = needle_of(*model, params),
                              .first = first_token(params, *model),
                              .edits = edits_in(params, model->plan())};
  checkpoint(progress, 0.0, "needle");
  const NeedleTable needle = find_needles(model->live(), request, progress);
  Result result = result_of(params, needle);
  std::vector<double> losses;
  for (const NeedleCell& cell : needle.cells) losses.push_back(cell.loss);
  result.checks = {check_of_losses(losses)};
  result.in_use = edit_limits(model->live().layers(), model->live().heads(), model->plan());
  model->tell_length(params, result);
  return result;
}

}  // namespace in_needle
}  // namespace

Experiment needle_experiment() {
  using namespace in_needle;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
