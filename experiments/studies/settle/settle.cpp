#include "experiments/heads/settle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "experiments/setup/asked_model.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/statistics/welch.h"

namespace orrery {
namespace {
namespace in_settle {

ExperimentInfo make_info() {
  return {
      .name = "settle",
      .title = "Settled by the loss",
      .question =
          "Which pairing, base, scaling, norm and window does a model's loss say that it has?",
      .formulas = {{R"(\mathrm{loss}_i = -\ln p(t_{i+1} | t_1, \ldots, t_i))", ""}},
      .symbols = {{"t_i", "a token of the text"}},
      .params = joined(
          {asked_model_params(64, 8),
           {questions_param("What is asked.", question_names()),
            count_param("rounds", "Settings that are corrected, one after another.", 4, 0, 64)},
           edit_params(EditedHead::declared),
           {asked_precision_param()}}),
      .view = {.controls = {"questions", "edits", "length"}, .tabs = {{"verdicts", "Verdicts"}}},
      .ignored = {{.figures = {"verdicts"}, .keys = {"rounds"}}}};
}

/// What the model has, and which answers the loss does not reject: of the corrected model where there
/// is one, for what is wrong elsewhere hides what is right.
std::vector<std::string> verdict_cells(const OpenQuestion& question,
                                       const std::vector<OpenQuestion>& corrected) {
  std::string stands = "none of them";
  for (const Hypothesis& h : question.hypotheses)
    if (h.stands) stands = h.label;
  const auto same = std::ranges::find_if(
      corrected, [&](const OpenQuestion& one) { return one.name == question.name; });
  std::vector<std::string> left;
  for (const Hypothesis& h : (same == corrected.end() ? question : *same).hypotheses)
    if (!h.rejected) left.push_back(h.label);
  return {question.name, verdict_name(question.verdict), stands,
          fmt::format("{}", fmt::join(left, ", "))};
}

Figure verdicts_figure(const std::string& about, const Settlement& settlement) {
  const std::vector<OpenQuestion>& questions = settlement.questions;
  TableFigure table{.header = {"question", "verdict", "the model has", "not rejected"}};
  std::size_t confirmed = 0;
  for (const OpenQuestion& question : questions) {
    table.rows.push_back(verdict_cells(question, settlement.corrected));
    confirmed += question.verdict == LossVerdict::confirmed;
  }
  return {"verdicts",
          fmt::format("The loss confirms {} of {} answers", confirmed, questions.size()) +
              under(settlement.start),
          about, std::move(table)};
}

Table verdicts_table(const char* name, const std::string& caption,
                     const std::vector<OpenQuestion>& questions,
                     const std::vector<OpenQuestion>& corrected) {
  TableBuilder table(name, caption, {"question", "verdict", "stands", "not_rejected"});
  for (const OpenQuestion& question : questions) {
    const std::vector<std::string> cells = verdict_cells(question, corrected);
    table.row({cells.begin(), cells.end()});
  }
  return std::move(table).finish_printed();
}

Table hypotheses_table(const Settlement& settlement) {
  TableBuilder table(
      "hypotheses",
      "each way to run the weights: loss of the odd texts, less that of the "
      "preferred one (first) with its 95 % interval and its standard deviation over "
      "texts, p by Holm",
      {"model", "question", "hypothesis", "edits", "stands", "loss [nats]", "difference [nats]",
       "low [nats]", "high [nats]", "spread [nats]", "p", "rejected"});
  const auto add = [&](const char* of, const std::vector<OpenQuestion>& questions) {
    for (const OpenQuestion& question : questions)
      for (const Hypothesis& h : question.hypotheses)
        table.row({of, question.name, h.label, fmt::format("{}", fmt::join(h.edits, " ")),
                   h.stands ? 1.0 : 0.0, h.loss, h.difference, h.low, h.high, h.spread, h.p,
                   h.rejected ? 1.0 : 0.0});
  };
  add("asked", settlement.questions);
  add("corrected", settlement.corrected);
  return std::move(table).finish();
}

Result result_of(const ParamSet& params, const Settlement& settlement) {
  const std::string about = caption_of_model(
      params, settlement.family,
      fmt::format("{} texts of up to {} tokens: even ones prefer, odd ones test; a lower loss is "
                  "no proof",
                  settlement.texts.size(), settlement.texts.front().tokens.size()));
  Result result;
  result.figures = {verdicts_figure(about, settlement)};
  const double by_frequencies = sample_mean(settlement.frequencies.of_same);
  const std::string asked = fmt::format(
      "what the loss says of the model as it is asked about{}; no question is about {}",
      settlement.is_known
          ? settlement.is_at_its_best ? "" : ": nothing, since something else has raised it"
          : ": nothing, since it predicts no better than token frequencies",
      outside_questions());
  result.tables = {verdicts_table("verdicts", asked, settlement.questions, settlement.corrected),
                   hypotheses_table(settlement)};
  if (!settlement.corrections.empty()) {
    const std::string by =
        fmt::format("the same, corrected by {}", fmt::join(settlement.corrections, " "));
    result.tables.push_back(
        verdicts_table("corrected", by, settlement.corrected, settlement.corrected));
  }
  const auto contradicted =
      static_cast<double>(std::ranges::count_if(settlement.questions, [](const OpenQuestion& q) {
        return q.verdict == LossVerdict::contradicted;
      }));
  result.scalars = {
      {"contradicted", "", "questions", contradicted, "answers of the model that are contradicted"},
      {"corrections", "", "settings", static_cast<double>(settlement.corrections.size()),
       "settings that were corrected"},
      {"loss", "", "nats", settlement.loss,
       settlement.corrections.empty() ? "mean loss of the texts"
                                      : "mean loss of the texts, of the corrected model"},
      {"loss_by_frequencies", "", "nats", by_frequencies,
       "the same by the frequencies of these tokens: nothing is confirmed above it"},
      {"passes", "", "", static_cast<double>(settlement.passes), "passes over a text"}};
  result.checks = {
      {.name = "not_contradicted",
       .statement = "the loss prefers no other model (1 where it does)",
       .equation = "paired t, Holm",
       .measured = is_contradicted(settlement) ? 1.0 : 0.0,
       .bound = 0},
      {.name = "nothing_else_is_wrong",
       .statement =
           std::string("the answers explain the loss (1 where it is above that of token "
                       "frequencies of the other texts, or lowered most by what no file "
                       "says): else something is wrong that no question is about, such as ") +
           outside_questions(),
       .equation = "mean loss",
       .measured = is_wrong_elsewhere(settlement) ? 1.0 : 0.0,
       .bound = 0}};
  return result;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::shared_ptr<AskedModel> model = AskedModel::take(params, inputs);
  checkpoint(progress, 0.0, "settle");
  const Settlement settlement = settle(model->live(),
                                       {.texts = model->texts(),
                                        .edits = edits_in(params, model->plan()),
                                        .questions = params.list("questions"),
                                        .rounds = params.integer("rounds")},
                                       progress);
  Result result = result_of(params, settlement);
  result.in_use = edit_limits(model->live().layers(), model->live().heads(), model->plan());
  model->tell_length(params, result);
  return result;
}

}  // namespace in_settle
}  // namespace

Experiment settle_experiment() {
  using namespace in_settle;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
