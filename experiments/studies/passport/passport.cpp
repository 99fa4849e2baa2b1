#include "experiments/heads/passport.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/setup/asked_model.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"

namespace orrery {
namespace {
namespace in_passport {

constexpr std::int64_t usual = 128;  // tokens of a part

ExperimentInfo make_info() {
  std::vector<ParamSpec> texts = asked_model_params(usual, 12);
  for (ParamSpec& spec : texts)
    if (spec.key == "text") spec.default_value = std::string("bundled:where_tokens_are.txt");
  return {
      .name = "passport",
      .title = "Passport of a model",
      .question = "What does a model do with positions, what proves it, and what changes cost?",
      .formulas = {{R"(\mathrm{loss}_i = -\ln p(t_{i+1} | t_1, \ldots, t_i))", ""}},
      .symbols = {{"t_i", "a token of the text"}},
      .params = joined(
          {std::move(texts),
           {questions_param("What its loss is asked.", {"pairing", "base", "scaling", "direction",
                                                        "norm_plus_one", "scale", "window"}),
            log_count_param({"targets", "", "tokens"}, "Last tokens of each text, for the reach.",
                            32, 1, 65536),
            log_count_param({"repeated", "$n$", "tokens"}, "Random tokens that come twice.", 32, 2,
                            65536),
            count_param("repeats", "Sequences of other random tokens.", 8, 1, 4096),
            count_param("chosen", "Heads that each score chooses.", 4, 1, 64), seed_param(),
            first_token_param(), asked_precision_param()}}),
      .view = {.controls = {"length", "repeated"},
               .tabs = {{"breaks", "What changes cost"}, {"by_place", "Loss by place"}}}};
}

/// The change that costs most of those that cost something beyond the spread over texts.
std::string title_of(const Passport& passport, const Break* worst) {
  if (passport.breaks.empty())
    return "Nothing was tried: the model does not predict the next token";
  const double own = sample_mean(passport.losses);
  if (!worst) return fmt::format("Loss {:.2f} nats; no change adds more than texts differ by", own);
  return fmt::format("Loss {:.2f} nats; {:+.2f}, 95 % {:.2f} to {:.2f}, where {}", own,
                     worst->difference.difference, worst->difference.low, worst->difference.high,
                     worst->name);
}

/// What was tried: drawn in short, and with intervals in a table, which is there where the model
/// predicts the next token.
void add_breaks(const std::string& about, const Passport& passport, Result& result) {
  constexpr double level = 0.05;
  TableFigure drawn{.header = {"change", "loss", "difference", "95 %", "copying"}};
  TableBuilder table("breaks",
                     "changes of the model: loss of the odd texts, less its own with the 95 % "
                     "interval, p by Holm; loss of repeated tokens, less its own",
                     {"change", "edits", "loss [nats]", "difference [nats]", "low [nats]",
                      "high [nats]", "p", "copying [nats]"});
  const Break* worst = nullptr;
  for (const Break& one : passport.breaks) {
    const Welch& less = one.difference;
    drawn.rows.push_back({one.name, fmt::format("{:.3f}", one.loss),
                          fmt::format("{:+.3f}", less.difference),
                          fmt::format("{:.3f} to {:.3f}", less.low, less.high),
                          fmt::format("{:+.3f}", one.copying)});
    table.row({one.name, fmt::format("{}", fmt::join(one.edits, " ")), one.loss, less.difference,
               less.low, less.high, one.p, one.copying});
    const bool costs = one.p < level && less.difference > 0;
    if (costs && (!worst || one.loss > worst->loss)) worst = &one;
  }
  result.figures.push_back({"breaks", title_of(passport, worst), about, std::move(drawn)});
  if (!passport.by_place.empty()) result.tables.push_back(std::move(table).finish_printed());
}

Figure place_figure(const std::string& about, const Passport& passport) {
  Series loss{.name = "loss", .x = {}, .y = {}, .marked = true};
  for (const PlaceLoss& bin : passport.by_place) {
    loss.x.push_back(static_cast<double>(bin.from));
    loss.y.push_back(bin.loss);
    loss.band_low.push_back(bin.loss - bin.error);
    loss.band_high.push_back(bin.loss + bin.error);
  }
  return {"by_place", "Loss by the place of the predicted token", about,
          LinePlot{.x = {.label = "place, from", .unit = "tokens", .scale = AxisScale::log2},
                   .y = {.label = "loss", .unit = "nats"},
                   .series = {std::move(loss)}}};
}

Result result_of(const ParamSet& params, const Passport& passport) {
  Result result;
  const nlohmann::ordered_json document = passport_document(passport);
  result.files = {{"passport.json", passport_json(document)}};
  const std::string about = caption_of_model(
      params, passport.family,
      fmt::format("{} texts, even ones choose, odd ones test", passport.request.texts.size()));
  add_breaks(about, passport, result);
  result.scalars = {
      {"layers", "", "layers", static_cast<double>(passport.layers), "layers of the model"},
      {"heads", "", "heads", static_cast<double>(passport.heads), "heads of a layer"}};
  if (passport.by_place.empty()) return result;
  result.figures.push_back(place_figure(about, passport));
  result.scalars.push_back(
      {"loss", "", "nats", sample_mean(passport.losses), "mean loss of the odd texts"});
  TableBuilder verdicts("verdicts", "what the loss says of the model's settings",
                        {"question", "verdict"});
  for (const OpenQuestion& question : passport.settlement->questions)
    verdicts.row({question.name, verdict_name(question.verdict)});
  result.tables.push_back(std::move(verdicts).finish());
  std::vector<double> losses;
  for (const PlaceLoss& bin : passport.by_place) losses.push_back(bin.loss);
  result.checks = {check_of_losses(losses)};
  return result;
}

/// What a model without losses leaves without effect.
void add_unused(const Passport& passport, Result& result) {
  const auto unused = [&](const char* key) {
    result.in_use.push_back({.key = key, .why = "The model does not predict the next token."});
  };
  for (const char* key : {"questions", "targets", "repeated", "repeats", "first"}) unused(key);
  if (!has_places(passport.table)) unused("seed");
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::int64_t repeated = params.integer("repeated");
  const std::shared_ptr<AskedModel> model =
      AskedModel::take(params, inputs, 0, 2 * repeated + 1, usual);
  checkpoint(progress, 0.0, "passport");
  const Passport passport =
      passport_of(model->live(),
                  {.texts = model->texts(),
                   .questions = params.list("questions"),
                   .targets = params.integer("targets"),
                   .repeated = repeated,
                   .repeats = params.integer("repeats"),
                   .chosen = static_cast<std::size_t>(params.integer("chosen")),
                   .seed = params.integer("seed"),
                   .first = first_token(params, *model)},
                  progress);
  Result result = result_of(params, passport);
  model->tell_length(params, result);
  if (!passport.settlement) add_unused(passport, result);
  return result;
}

}  // namespace in_passport
}  // namespace

Experiment passport_experiment() {
  using namespace in_passport;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
