#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/errors.h"
#include "experiments/heads/passport.h"

namespace orrery {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t longest_text = 2000;
constexpr std::size_t longest_list = 4096;

// What every passport has. A text names a type, with ? also null; a list has items like its only one, and * stands for
// any key.
constexpr std::string_view of_all = R"({
  "model": "text", "family": "text", "format": "text", "layers": "count", "heads": "count",
  "kv_heads": "count", "vocabulary": "count", "predicts_next": "flag", "assumed": ["text"],
  "how": {"first_text": "text", "texts": "count", "tokens": "count", "longest_text": "count",
          "seed": "count", "precision": "text"},
  "encoding": [{"layers": "text",
                "facts": [{"field": "text", "value": "text", "reason": "text"}]}],
  "heads_by_score": {
    "sinks": "count", "by_place": "count?", "by_content": "count?",
    "by_neither_for_sure": "count?",
    "chosen_by_even_texts_tested_on_odd":
      {"*": [{"head": "text", "tested": "number?", "sink": "flag"}]},
    "rows": ["row"]}})";

// And of a model that predicts the next token.
constexpr std::string_view of_losses = R"({
  "verified": {"texts_that_prefer": "count", "texts_that_test": "count",
               "questions": [{"question": "text", "verdict": "text", "stands": "text",
                              "loss": "number?"}]},
  "loss": "number", "loss_low": "number?", "loss_high": "number?",
  "loss_by_place": [{"from": "count", "to": "count", "loss": "number?"}],
  "reach": {"tokens": "count", "is_limit_of_the_texts": "flag", "targets": "count",
            "contexts": [{"context": "count", "loss": "number?"}]},
  "copying": {"repeated": "count", "repeats": "count", "seed": "count", "first_half": "number?",
              "second_half": "number?", "second_half_low": "number?", "second_half_high": "number?",
              "loss_of_chance": "number?",
              "loss_by_position": ["number?"]},
  "breaks": [{"name": "text", "edits": ["text"], "difference": "number", "low": "number?",
              "high": "number?", "p_holm": "number?", "copying_difference": "number"}]})";

class PassportCheck {
 public:
  PassportCheck(const ordered_json& document, std::string_view name)
      : document_(document), name_(name) {}

  void run() const {
    check(document_, json::parse(of_all), "");
    if (!document_.at("predicts_next").get<bool>()) return;
    check(document_, json::parse(of_losses), "");
    for (const ordered_json& question : document_.at("verified").at("questions"))
      if (question.contains("rival"))
        check(question, {{"rival", "text"}, {"rival_loss", "number?"}, {"p_holm", "number?"}},
              "/verified/questions");
    for (const ordered_json& one : document_.at("breaks"))
      if (one.at("edits").empty()) refuse("/breaks/edits", "a list of at least one");
  }

 private:
  [[noreturn]] void refuse(const std::string& place, std::string_view wanted) const {
    throw DataError(fmt::format("{}: {}", name_, place.empty() ? "/" : place),
                    fmt::format("is not {}", wanted),
                    "give a model, or what orrery passport --json has written");
  }

  void check(const ordered_json& value, const json& schema, const std::string& place) const {
    if (schema.is_string()) return check_type(value, schema.get<std::string>(), place);
    if (schema.is_array()) {
      if (!value.is_array() || value.size() > longest_list)
        refuse(place, fmt::format("a list of at most {}", longest_list));
      for (std::size_t i = 0; i < value.size(); ++i)
        check(value[i], schema[0], fmt::format("{}/{}", place, i));
      return;
    }
    if (!value.is_object() || value.size() > longest_list) refuse(place, "an object");
    for (const auto& [key, inner] : schema.items()) {
      if (key == "*")
        for (const auto& [own, item] : value.items()) check(item, inner, place + "/" + own);
      else if (!value.contains(key))
        refuse(place + "/" + key, "there");
      else
        check(value.at(key), inner, place + "/" + key);
    }
  }

  void check_type(const ordered_json& value, std::string type, const std::string& place) const {
    if (type.back() == '?') {
      if (value.is_null()) return;
      type.pop_back();
    }
    if (type == "row") return check_row(value, place);
    if (type == "flag" && !value.is_boolean()) refuse(place, "true or false");
    if (type == "number" && !value.is_number()) refuse(place, "a number");
    if (type == "count" && !is_count(value)) refuse(place, "a whole number from 0 to 2^53");
    if (type == "text" &&
        (!value.is_string() || value.get_ref<const std::string&>().size() > longest_text))
      refuse(place, fmt::format("a text of at most {} bytes", longest_text));
  }

  static bool is_count(const ordered_json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{1} << 53;
  }

  /// [layer, head, sink, share of places, strongest band].
  void check_row(const ordered_json& row, const std::string& place) const {
    const auto is_below = [&](std::size_t i, const char* key) {
      const auto limit = document_.find(key);
      return limit != document_.end() && is_count(*limit) && is_count(row[i]) && row[i] < *limit;
    };
    if (!row.is_array() || row.size() != 5 || !is_below(0, "layers") || !is_below(1, "heads") ||
        !is_count(row[2]) || !(row[4].is_null() || is_count(row[4])) ||
        !(row[3].is_null() || (row[3].is_number() && row[3] >= 0 && row[3] <= 1)))
      refuse(place, "[layer, head, 0 or 1, a share or null, a band or null]");
  }

  const ordered_json& document_;
  std::string_view name_;
};

/// A number or text of a document; "-" for null.
std::string cell_text(const ordered_json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string encoding_text(const ordered_json& document) {
  std::string text;
  for (const ordered_json& layers : document.at("encoding")) {
    text += layers.at("layers").get<std::string>() + "\n";
    for (const ordered_json& fact : layers.at("facts"))
      text +=
          fmt::format("  {:<15} {}{}\n", cell_text(fact.at("field")), cell_text(fact.at("value")),
                      fact.at("reason").get<std::string>().empty()
                          ? ""
                          : fmt::format("   [{}]", cell_text(fact.at("reason"))));
  }
  for (const ordered_json& sentence : document.at("assumed"))
    text += "assumed: " + cell_text(sentence) + "\n";
  return text;
}

std::string verified_text(const ordered_json& verified) {
  std::string text =
      fmt::format("verified by its loss, preferred by {} texts and tested on {}:\n",
                  verified.at("texts_that_prefer").dump(), verified.at("texts_that_test").dump());
  for (const ordered_json& question : verified.at("questions")) {
    text += fmt::format("  {:<13} {:<12} {} ({})", cell_text(question.at("question")),
                        cell_text(question.at("verdict")), cell_text(question.at("stands")),
                        cell_text(question.at("loss")));
    if (question.contains("rival"))
      text += fmt::format("; next {} ({}), p {}", cell_text(question.at("rival")),
                          cell_text(question.at("rival_loss")), cell_text(question.at("p_holm")));
    text += "\n";
  }
  return text;
}

std::string heads_of_text(const ordered_json& heads) {
  std::string text = "heads: ";
  if (heads.at("by_place").is_null())
    text += "contents carry their places, so that none is told to go by either";
  else
    text += fmt::format("{} go by place, {} by content, {} by neither in both halves of the texts",
                        heads.at("by_place").dump(), heads.at("by_content").dump(),
                        heads.at("by_neither_for_sure").dump());
  text += fmt::format("; in {} the first token has most weight\n", heads.at("sinks").dump());
  for (const auto& [score, chosen] : heads.at("chosen_by_even_texts_tested_on_odd").items()) {
    std::vector<std::string> parts;
    for (const ordered_json& head : chosen)
      parts.push_back(fmt::format("{} {}{}", cell_text(head.at("head")),
                                  cell_text(head.at("tested")),
                                  head.at("sink").get<bool>() ? " sink" : ""));
    text += fmt::format("  {:<13} {}\n", score, fmt::join(parts, ", "));
  }
  return text;
}

std::string losses_text(const ordered_json& document) {
  std::string text =
      fmt::format("loss {} nats, 95 % {} to {}; by place in the text:", document.at("loss").dump(),
                  cell_text(document.at("loss_low")), cell_text(document.at("loss_high")));
  for (const ordered_json& place : document.at("loss_by_place"))
    text += fmt::format(" {}..{} {}", place.at("from").dump(), place.at("to").dump(),
                        cell_text(place.at("loss")));
  const ordered_json& reach = document.at("reach");
  text += fmt::format("\na longer context is shown to help up to {}{} tokens: loss behind",
                      reach.at("is_limit_of_the_texts").get<bool>() ? "at least " : "",
                      reach.at("tokens").dump());
  for (const ordered_json& one : reach.at("contexts"))
    text += fmt::format(" {}: {}", one.at("context").dump(), cell_text(one.at("loss")));
  const ordered_json& copying = document.at("copying");
  return text + fmt::format("\ncopies {} random tokens: {} nats, then {} (chance {})\n",
                            copying.at("repeated").dump(), cell_text(copying.at("first_half")),
                            cell_text(copying.at("second_half")),
                            cell_text(copying.at("loss_of_chance")));
}

std::string breaks_text(const ordered_json& breaks) {
  std::string text =
      fmt::format("what changes cost{:>41} {:>19} {:>8} {:>9}\n", "loss", "95 %", "p", "copying");
  for (const ordered_json& one : breaks)
    text += fmt::format("  {:<48} {:>+7.3f} {:>+9.3f} {:>+9.3f} {:>8} {:>+9.3f}\n",
                        cell_text(one.at("name")), one.at("difference").get<double>(),
                        one.at("low").is_null() ? 0 : one.at("low").get<double>(),
                        one.at("high").is_null() ? 0 : one.at("high").get<double>(),
                        cell_text(one.at("p_holm")), one.at("copying_difference").get<double>());
  return text;
}

std::string one_text(const ordered_json& document) {
  const ordered_json& how = document.at("how");
  std::string text = fmt::format(
      "{}: {}, {}, {} layers of {} heads\n"
      "{} texts of up to {} tokens, {} in all, the first {}; seed {}, {}\n",
      cell_text(document.at("model")), cell_text(document.at("family")),
      cell_text(document.at("format")), document.at("layers").dump(), document.at("heads").dump(),
      how.at("texts").dump(), how.at("longest_text").dump(), how.at("tokens").dump(),
      cell_text(how.at("first_text")), how.at("seed").dump(), cell_text(how.at("precision")));
  text += encoding_text(document);
  const bool has_losses = document.at("predicts_next").get<bool>();
  if (has_losses)
    text += verified_text(document.at("verified"));
  else
    text += "no loss verifies it: the model does not predict the next token\n";
  text += heads_of_text(document.at("heads_by_score"));
  return has_losses ? text + losses_text(document) + breaks_text(document.at("breaks")) : text;
}

/// Behind a number that may not differ for all that is known.
const char* spread_words(const ordered_json& difference) {
  const ordered_json& beyond = difference.at("beyond_spread");
  return beyond.is_boolean() && !beyond.get<bool>() ? "   (within the spread)" : "";
}

}  // namespace

void require_passport(const ordered_json& document, std::string_view name) {
  PassportCheck(document, name).run();
}

std::string passport_text(const ordered_json& one, const ordered_json& other) {
  if (other.is_null()) return one_text(one);
  const ordered_json compared = passports_compared(one, other);
  std::string text = "A  " + one_text(one) + "\nB  " + one_text(other) + "\ndifferences\n";
  for (const ordered_json& row : compared.at("differences"))
    text += fmt::format("  {:<34} {:<32} {}{}\n", cell_text(row.at("what")), cell_text(row.at("a")),
                        cell_text(row.at("b")), spread_words(row));
  return text;
}

}  // namespace orrery
