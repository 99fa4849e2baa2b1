#include <fmt/format.h>

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
    "chosen_by_even_texts_tested_on_odd":
      {"*": [{"head": "text", "tested": "number?", "sink": "flag"}]},
    "rows": ["row"]}})";

// And of a model that predicts the next token.
constexpr std::string_view of_losses = R"({
  "verified": {"texts_that_prefer": "count", "texts_that_test": "count",
               "questions": [{"question": "text", "verdict": "text", "stands": "text",
                              "loss": "number?"}]},
  "loss": "number", "loss_by_place": [{"from": "count", "to": "count", "loss": "number?"}],
  "reach": {"tokens": "count", "is_limit_of_the_texts": "flag", "targets": "count",
            "contexts": [{"context": "count", "loss": "number?"}]},
  "copying": {"repeated": "count", "repeats": "count", "seed": "count", "first_half": "number?",
              "second_half": "number?", "loss_of_chance": "number?",
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

}  // namespace

void require_passport(const ordered_json& document, std::string_view name) {
  PassportCheck(document, name).run();
}

}  // namespace orrery
