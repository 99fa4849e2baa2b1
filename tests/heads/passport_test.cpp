#include "experiments/heads/passport.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "core/errors.h"
#include "core/random.h"
#include "experiments/heads/repeat.h"
#include "tests/heads/hand_built.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

std::filesystem::path passport_model(const char* name) {
  return tests_folder() + "/golden/transformer/" + name;
}

ordered_json document_of(const std::filesystem::path& path, const PassportRequest& request,
                         int threads = 1) {
  LiveModel model(path, {.single = false, .threads = threads, .length = 40});
  SilentProgress progress;
  return passport_document(passport_of(model, request, progress));
}

/// Texts of 0 and distinct tokens that come twice.
std::vector<ModelText> copied_texts() {
  std::vector<ModelText> texts;
  for (int t = 0; t < 6; ++t) texts.push_back({"copied", repeated_tokens(8, 12, 9, t, 0)});
  return texts;
}

PassportRequest small_request() {
  Random random(2, "texts of passports");
  PassportRequest request{
      .questions = {"pairing", "base"}, .targets = 2, .repeated = 4, .repeats = 2, .chosen = 2};
  for (int t = 0; t < 4; ++t) request.texts.push_back({"random", random_tokens(random, 10, 40)});
  return request;
}

const ordered_json& break_of(const ordered_json& document, const char* edit) {
  for (const ordered_json& one : document.at("breaks"))
    if (one.at("edits").front() == edit) return one;
  throw UsageError(edit, "is not among the changes", "look at them");
}

}  // namespace

TEST_CASE("The passport of a model made by hand names its heads, and what breaks it") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const ordered_json document = document_of(built.path(), {.texts = copied_texts(),
                                                           .questions = {"direction"},
                                                           .targets = 2,
                                                           .repeated = 8,
                                                           .repeats = 3,
                                                           .chosen = 1,
                                                           .first = 0});
  const ordered_json& heads = document.at("heads_by_score");
  CHECK(heads.at("rows").size() == 4);
  const ordered_json& chosen = heads.at("chosen_by_even_texts_tested_on_odd");
  CHECK(chosen.at("previous").at(0).at("head") == "0.0");
  CHECK(chosen.at("previous").at(0).at("tested") == 1);
  CHECK(chosen.at("previous").at(0).at("bands").at(0) == 1);
  CHECK(chosen.at("induction").at(0).at("head") == "1.0");
  CHECK(heads.at("by_place") == 1);
  CHECK(document.at("copying").at("second_half") == 0);
  // It is sure of what it cannot know, and loses more than the frequencies of tokens.
  CHECK(document.at("verified").at("questions").at(0).at("verdict") == "undecided");
  CHECK(break_of(document, "zero:1.0").at("copying_difference").get<double>() > 2);
  CHECK(break_of(document, "positions:shift=1000").at("difference").get<double>() ==
        Approx(0).margin(1e-3));
  CHECK(break_of(document, "still:0..15").at("copying_difference").get<double>() > 1);
  CHECK(break_of(document, "still:32..63").at("copying_difference").get<double>() ==
        Approx(0).margin(1e-3));
  CHECK(document.at("model") == "hand_built");
}

TEST_CASE("A passport is the same with any number of threads, and reads back") {
  const ordered_json one = document_of(passport_model("llama-on"), small_request(), 1);
  CHECK(passport_json(one) ==
        passport_json(document_of(passport_model("llama-on"), small_request(), 3)));
  CHECK(read_passport(passport_json(one), "a.json") == one);
  CHECK_THROWS_WITH(read_passport("{}", "a.json"), Contains("a.json: is no passport"));
  CHECK_THROWS_WITH(read_passport("no json", "a.json"), Contains("is no passport"));
}

TEST_CASE("A model without losses has a passport without them, and it says so") {
  const ordered_json bert = document_of(passport_model("bert-on"), small_request());
  CHECK(bert.at("predicts_next") == false);
  CHECK(bert.at("verified").is_null());
  CHECK(bert.at("heads_by_score").at("by_place").is_null());
  CHECK_THAT(passport_text(bert, {}), Contains("contents carry their places"));
  CHECK(bert.count("breaks") == 0);
  CHECK_THAT(passport_text(bert, {}), Contains("no loss verifies it"));
}

TEST_CASE("Two passports are compared fact by fact and number by number") {
  const ordered_json llama = document_of(passport_model("llama-on"), small_request());
  const ordered_json bert = document_of(passport_model("bert-on"), small_request());
  const ordered_json compared = passports_compared(llama, bert);
  bool has_encoding = false;
  for (const ordered_json& row : compared.at("differences"))
    has_encoding = has_encoding || (row.at("what") == "encoding" && row.at("a") == "rope");
  CHECK(has_encoding);
  CHECK(passports_compared(llama, llama).at("differences").empty());
  CHECK_THAT(passport_text(llama, bert), Contains("differences"));
}

TEST_CASE("Numbers of two passports differ only beyond their spreads") {
  const ordered_json llama = document_of(passport_model("llama-on"), small_request());
  ordered_json other = llama;
  const auto verdict_of = [&](const char* what) {
    const ordered_json compared = passports_compared(llama, other);
    for (const ordered_json& row : compared.at("differences"))
      if (row.at("what") == what) return row.at("beyond_spread").dump();
    return std::string("the same");
  };
  const double loss = llama.at("loss"), high = llama.at("loss_high");
  CHECK(llama.at("loss_low").get<double>() < loss);
  const auto move_by = [&](double by) {
    for (const char* key : {"loss", "loss_low", "loss_high"})
      other[key] = llama.at(key).get<double>() + by;
  };
  CHECK(verdict_of("loss, nats") == "the same");
  move_by(high - loss);
  CHECK(verdict_of("loss, nats") == "false");
  CHECK_THAT(passport_text(llama, other), Contains("within the spread"));
  move_by(2.1 * (high - loss));
  CHECK(verdict_of("loss, nats") == "true");
  other["loss_low"] = nullptr;
  CHECK(verdict_of("loss, nats") == "null");
  ordered_json& heads = other["heads_by_score"];
  const auto count = [&](const char* key) {
    return llama.at("heads_by_score").at(key).get<std::int64_t>();
  };
  const std::int64_t by_place = count("by_place"), unsure = count("by_neither_for_sure");
  CHECK(by_place + unsure + count("by_content") ==
        llama.at("layers").get<std::int64_t>() * llama.at("heads").get<std::int64_t>());
  heads["by_place"] = by_place + unsure + 1;
  CHECK(verdict_of("heads by place") == "true");
  heads["by_neither_for_sure"] = 2;
  heads["by_place"] = by_place + unsure;
  CHECK(verdict_of("heads by place") == (unsure > 0 ? "false" : "the same"));
}

TEST_CASE("A passport of very many heads keeps within its size") {
  LiveModel model(passport_model("llama-on"), {.single = false, .length = 40});
  SilentProgress progress;
  Passport passport = passport_of(model, small_request(), progress);
  const HeadRow row = passport.table.rows.front();
  for (const auto& [layers, heads] : {std::pair{40, 12}, std::pair{128, 64}}) {
    passport.layers = passport.table.layers = layers;
    passport.heads = passport.table.heads = heads;
    passport.table.rows.assign(static_cast<std::size_t>(layers * heads), row);
    for (int at = 0; at < layers * heads; ++at) {
      passport.table.rows[static_cast<std::size_t>(at)].layer = at / heads;
      passport.table.rows[static_cast<std::size_t>(at)].head = at % heads;
    }
    const ordered_json document = passport_document(passport);
    CHECK(passport_json(document).size() <= max_passport_bytes);
  }
}

TEST_CASE("Fewer than four texts have no passport") {
  PassportRequest request = small_request();
  request.texts.resize(3);
  CHECK_THROWS_WITH(document_of(passport_model("llama-on"), request), Contains("3 texts"));
}
