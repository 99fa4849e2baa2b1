#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/heads/passport.h"

namespace orrery {
namespace {

using nlohmann::ordered_json;

/// The number; null for a NaN or an infinity, which JSON does not have.
ordered_json number_json(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

/// 1 had verdicts by other rules, and numbers without a spread.
constexpr int passport_version = 2;
/// Of more heads than these, rows of 60 bytes would not fit.
constexpr std::size_t most_head_rows = 480;
constexpr double digits_kept = 1e4;

/// Four decimals: what is judged has no more.
ordered_json four_decimals(double value) {
  return number_json(std::round(value * digits_kept) / digits_kept);
}

ordered_json two_decimals(const std::vector<double>& values) {
  ordered_json json = ordered_json::array();
  for (const double value : values) json.push_back(number_json(std::round(value * 100) / 100));
  return json;
}

/// A probability: one that is small keeps its size.
ordered_json p_json(double p) {
  return std::isnan(p) ? ordered_json() : ordered_json(std::stod(fmt::format("{:.2g}", p)));
}

ordered_json difference_json(const Welch& difference) {
  return {{"difference", four_decimals(difference.difference)},
          {"low", four_decimals(difference.low)},
          {"high", four_decimals(difference.high)}};
}

ordered_json encodings_json(const Passport& passport) {
  ordered_json all = ordered_json::array();
  for (const Passport::Layers& layers : passport.encodings) {
    ordered_json facts = ordered_json::array();
    for (const PositionFact& fact : layers.facts)
      facts.push_back({{"field", fact.label}, {"value", fact.value}, {"reason", fact.reason}});
    all.push_back({{"layers", layers.layers}, {"facts", std::move(facts)}});
  }
  return all;
}

/// The question's answer in a line: what stands, and the rival that comes nearest to it.
ordered_json question_json(const OpenQuestion& question) {
  const auto& all = question.hypotheses;
  const auto stands =
      std::find_if(all.begin(), all.end(), [](const Hypothesis& h) { return h.stands; });
  const Hypothesis* rival = nullptr;
  for (const Hypothesis& h : all)
    if (!h.stands && (!rival || h.loss < rival->loss)) rival = &h;
  ordered_json json{{"question", question.name},
                    {"verdict", verdict_name(question.verdict)},
                    {"stands", stands->label},
                    {"loss", four_decimals(stands->loss)}};
  if (!rival) return json;
  json["rival"] = rival->label;
  json["rival_loss"] = four_decimals(rival->loss);
  const Hypothesis& tested = stands == all.begin() ? *rival : *stands;
  json["p_holm"] = p_json(tested.p);
  return json;
}

ordered_json verified_json(const Passport& passport) {
  if (!passport.settlement) return {};
  ordered_json questions = ordered_json::array();
  for (const OpenQuestion& question : passport.settlement->questions)
    questions.push_back(question_json(question));
  const std::size_t texts = passport.settlement->texts.size();
  return {{"texts_that_prefer", (texts + 1) / 2},
          {"texts_that_test", texts / 2},
          {"questions", std::move(questions)}};
}

std::vector<double> layer_means(const HeadTable& table, std::size_t score) {
  std::vector<double> means;
  for (int layer = 0; layer < table.layers; ++layer) {
    std::vector<double> own;
    for (const HeadRow& row : table.rows)
      if (row.layer == layer && !std::isnan(row.scores[score])) own.push_back(row.scores[score]);
    means.push_back(sample_mean(own));
  }
  return means;
}

std::size_t strongest_band(const HeadRow& row) {
  const std::vector<double> bands = band_shares(row);
  std::size_t strongest = 0;
  for (std::size_t band = 1; band < bands.size(); ++band)
    if (bands[band] > bands[strongest]) strongest = band;
  return strongest;
}

/// [layer, head, sink, place without the first token, strongest band].
ordered_json head_row_json(const HeadRow& row) {
  return ordered_json::array(
      {row.layer, row.head, row.sink_dominates ? 1 : 0,
       number_json(std::round(row.without_first[score_number("place")] * 100) / 100),
       row.pair_shares.empty() || std::isnan(row.pair_shares.front())
           ? ordered_json()
           : ordered_json(strongest_band(row))});
}

ordered_json chosen_json(const HeadTable& table) {
  ordered_json all = ordered_json::object();
  for (const ScoreChoice& choice : table.choices) {
    if (choice.score == "next" && table.rows.front().scores[score_number("next")] == 0) continue;
    if (choice.heads.empty() || choice.score == "entropy" || choice.score == "mean_distance")
      continue;
    ordered_json heads = ordered_json::array();
    for (const ChosenHead& head : choice.heads) {
      const std::size_t before =
          static_cast<std::size_t>(head.layer) * static_cast<std::size_t>(table.heads);
      const HeadRow& row = table.rows[before + static_cast<std::size_t>(head.head)];
      heads.push_back({{"head", fmt::format("{}.{}", head.layer, head.head)},
                       {"tested", four_decimals(head.tested)},
                       {"chosen_by", four_decimals(head.chosen_by)},
                       {"sink", row.sink_dominates},
                       {"bands", two_decimals(band_shares(row))}});
    }
    all[choice.score] = std::move(heads);
  }
  return all;
}

ordered_json heads_of_passport(const Passport& passport) {
  const HeadTable& table = passport.table;
  // Of those that have a place; by neither for sure where halves of the texts differ too much.
  std::int64_t sinks = 0, by_place = 0, by_content = 0, undecided = 0;
  for (const HeadRow& row : table.rows) {
    const double place = row.without_first[score_number("place")];
    sinks += row.sink_dominates ? 1 : 0;
    if (std::isnan(place)) continue;
    if (place - row.place_spread > 0.5)
      ++by_place;
    else if (place + row.place_spread < 0.5)
      ++by_content;
    else
      ++undecided;
  }
  const bool has_places = by_place + by_content + undecided > 0;
  ordered_json layers = ordered_json::object();
  for (const char* score : {"first", "place", "distance_r2", "mean_distance"})
    layers[score] = two_decimals(layer_means(table, score_number(score)));
  ordered_json json{{"sinks", sinks},
                    {"by_place", has_places ? ordered_json(by_place) : ordered_json()},
                    {"by_content", has_places ? ordered_json(by_content) : ordered_json()},
                    {"by_neither_for_sure", has_places ? ordered_json(undecided) : ordered_json()},
                    {"queries", table.queries},
                    {"induction_queries", table.induction_queries},
                    {"mean_by_layer", std::move(layers)},
                    {"chosen_by_even_texts_tested_on_odd", chosen_json(table)}};
  json["row"] = {"layer", "head", "sink", "place_without_first", "strongest_band"};
  json["rows"] = ordered_json::array();
  if (table.rows.size() > most_head_rows) return json;
  for (const HeadRow& row : table.rows) json["rows"].push_back(head_row_json(row));
  return json;
}

ordered_json losses_json(const Passport& passport) {
  ordered_json places = ordered_json::array();
  for (const PlaceLoss& place : passport.by_place)
    places.push_back({{"from", place.from},
                      {"to", place.to},
                      {"loss", four_decimals(place.loss)},
                      {"error", four_decimals(place.error)}});
  return places;
}

ordered_json reach_json(const ContextReach& reach) {
  ordered_json contexts = ordered_json::array();
  for (const ContextLoss& one : reach.contexts) {
    ordered_json json{{"context", one.context}, {"loss", four_decimals(one.loss)}};
    if (&one != &reach.contexts.front()) {
      json["gain"] = four_decimals(one.gain.difference);
      json["p_holm"] = p_json(one.p);
      json["helps"] = one.helps;
    }
    contexts.push_back(std::move(json));
  }
  return {{"tokens", reach.reach},
          {"is_limit_of_the_texts", reach.is_limit},
          {"targets", reach.targets},
          {"contexts", std::move(contexts)}};
}

ordered_json copying_json(const Repeat& repeat) {
  const MeanInterval second = mean_interval(sample_moments(repeat.second_half));
  ordered_json json{
      {"repeated", repeat.request.tokens},
      {"repeats", repeat.request.sequences},
      {"seed", repeat.request.seed},
      {"loss_of_chance", four_decimals(std::log(static_cast<double>(repeat.vocabulary)))},
      {"first_half", four_decimals(sample_mean(repeat.first_half))},
      {"second_half", four_decimals(sample_mean(repeat.second_half))},
      {"second_half_low", four_decimals(second.low)},
      {"second_half_high", four_decimals(second.high)},
      {"gain", difference_json(repeat.gain)}};
  json["loss_by_position"] = two_decimals(repeat.by_position);
  return json;
}

ordered_json breaks_json(const Passport& passport) {
  ordered_json all = ordered_json::array();
  for (const Break& one : passport.breaks) {
    ordered_json json{{"name", one.name}, {"edits", one.edits}, {"loss", four_decimals(one.loss)}};
    json.update(difference_json(one.difference));
    json["p_holm"] = p_json(one.p);
    json["copying_difference"] = four_decimals(one.copying);
    all.push_back(std::move(json));
  }
  return all;
}

/// A statement that people may rely on needs these.
ordered_json how_json(const Passport& passport) {
  const PassportRequest& request = passport.request;
  std::size_t tokens = 0, longest = 0;
  for (const ModelText& text : request.texts) {
    tokens += text.tokens.size();
    longest = std::max<std::size_t>(longest, text.tokens.size());
  }
  return {{"first_text", request.texts.front().name},
          {"texts", request.texts.size()},
          {"tokens", tokens},
          {"longest_text", longest},
          {"seed", request.seed},
          {"precision", passport.single ? "fp32" : "fp64"}};
}

}  // namespace

ordered_json passport_document(const Passport& passport) {
  ordered_json json{
      {"passport", passport_version},        {"model", passport.model},
      {"family", passport.family},           {"format", passport.format},
      {"layers", passport.layers},           {"heads", passport.heads},
      {"kv_heads", passport.kv_heads},       {"vocabulary", passport.vocabulary},
      {"how", how_json(passport)},           {"encoding", encodings_json(passport)},
      {"assumed", passport.assumed},         {"predicts_next", passport.settlement.has_value()},
      {"verified", verified_json(passport)}, {"heads_by_score", heads_of_passport(passport)}};
  if (!passport.settlement) return json;
  const MeanInterval loss = mean_interval(sample_moments(passport.losses));
  json["loss"] = four_decimals(sample_mean(passport.losses));
  json["loss_low"] = four_decimals(loss.low);
  json["loss_high"] = four_decimals(loss.high);
  json["loss_by_place"] = losses_json(passport);
  json["reach"] = reach_json(*passport.reach);
  json["copying"] = copying_json(*passport.repeat);
  json["breaks"] = breaks_json(passport);
  return json;
}

std::string passport_json(const ordered_json& document) { return document.dump() + "\n"; }

ordered_json read_passport(const std::string& text, const std::string& name) {
  ordered_json json = ordered_json::parse(text, nullptr, false);
  const auto version = json.is_object() ? json.find("passport") : json.end();
  const bool has_version = json.is_object() && version != json.end();
  if (has_version && *version == passport_version) {
    require_passport(json, name);
    return json;
  }
  if (has_version && *version == 1)
    throw DataError(name, "is a passport of version 1, whose verdicts stood on other rules",
                    "make it again from the model");
  throw DataError(name, fmt::format("is no passport of version {}", passport_version),
                  "give a model, or what orrery passport --json has written");
}

namespace {

/// What two passports are compared by, where both have it.
struct Compared {
  const char* name;
  const char* pointer;
  // What it may as well be; with neither no spread of it is known.
  const char *low{}, *high{};  ///< ends of its interval
  const char* more{};          ///< a count that may belong to it
};
constexpr Compared compared_numbers[] = {
    {.name = "layers", .pointer = "/layers"},
    {.name = "heads of a layer", .pointer = "/heads"},
    {.name = "heads that sinks dominate", .pointer = "/heads_by_score/sinks"},
    {.name = "heads by place",
     .pointer = "/heads_by_score/by_place",
     .more = "/heads_by_score/by_neither_for_sure"},
    {.name = "heads by content",
     .pointer = "/heads_by_score/by_content",
     .more = "/heads_by_score/by_neither_for_sure"},
    {.name = "loss, nats", .pointer = "/loss", .low = "/loss_low", .high = "/loss_high"},
    {.name = "reach, tokens", .pointer = "/reach/tokens"},
    {.name = "loss of copied tokens, nats",
     .pointer = "/copying/second_half",
     .low = "/copying/second_half_low",
     .high = "/copying/second_half_high"},
};

/// NaN where there is none.
double number_at(const ordered_json& document, const char* pointer) {
  if (!pointer) return std::nan("");
  const ordered_json::json_pointer at(pointer);
  const bool is_there = document.contains(at) && document.at(at).is_number();
  return is_there ? document.at(at).get<double>() : std::nan("");
}

/// From where to where the number of a document may be.
std::pair<double, double> ends_of(const Compared& number, const ordered_json& document) {
  if (!number.more) return {number_at(document, number.low), number_at(document, number.high)};
  const double least = number_at(document, number.pointer);
  return {least, least + number_at(document, number.more)};
}

/// Whether two numbers differ by more than their spreads: yes, no, or null where one is unknown.
ordered_json beyond_spread(const Compared& number, const ordered_json& a, const ordered_json& b) {
  const auto [low_a, high_a] = ends_of(number, a);
  const auto [low_b, high_b] = ends_of(number, b);
  if (std::isnan(low_a + high_a + low_b + high_b)) return {};
  return low_a > high_b || low_b > high_a;
}

/// The facts of a passport's layers, "layers 0 to 3: base" by value.
std::vector<std::pair<std::string, std::string>> facts_of_document(const ordered_json& document) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const ordered_json& layers : document.at("encoding"))
    for (const ordered_json& fact : layers.at("facts"))
      facts.emplace_back(fact.at("field").get<std::string>(), fact.at("value").get<std::string>());
  return facts;
}

std::string values_of(const std::vector<std::pair<std::string, std::string>>& facts,
                      const std::string& field) {
  std::vector<std::string> values;
  for (const auto& [name, value] : facts)
    if (name == field && std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  return fmt::format("{}", fmt::join(values, " / "));
}

}  // namespace

ordered_json passports_compared(const ordered_json& one, const ordered_json& other) {
  ordered_json differences = ordered_json::array();
  const auto add = [&](const std::string& name, ordered_json a, ordered_json b,
                       ordered_json beyond = {}) {
    if (a != b)
      differences.push_back({{"what", name},
                             {"a", std::move(a)},
                             {"b", std::move(b)},
                             {"beyond_spread", std::move(beyond)}});
  };
  const auto of_one = facts_of_document(one), of_other = facts_of_document(other);
  std::vector<std::string> fields;
  for (const auto& facts : {of_one, of_other})
    for (const auto& [field, value] : facts)
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
  for (const std::string& field : fields)
    add(field, values_of(of_one, field), values_of(of_other, field));
  for (const Compared& number : compared_numbers) {
    const ordered_json::json_pointer at(number.pointer);
    add(number.name, one.contains(at) ? one.at(at) : ordered_json(),
        other.contains(at) ? other.at(at) : ordered_json(), beyond_spread(number, one, other));
  }
  return {{"a", one}, {"b", other}, {"differences", std::move(differences)}};
}

}  // namespace orrery
