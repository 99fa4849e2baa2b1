#include <catch2/catch.hpp>

#include <functional>
#include <string>

#include "core/errors.h"
#include "experiments/tokenizers/gguf_pre_tokenizers.h"
#include "experiments/tokenizers/read_tokenizer.h"
#include "experiments/tokenizers/regex.h"
#include "tests/support/tokenizer_golden.h"

using namespace orrery;

namespace {

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

/// What a golden tokenizer is refused for when it was changed.
std::string refusal_of_json(const std::string& name,
                            const std::function<void(nlohmann::json&)>& change) {
  nlohmann::json json = nlohmann::json::parse(test::tokenizer_text(name));
  change(json);
  return refusal_of([&] { parse_tokenizer_json(json.dump(), "t.json"); });
}

std::string refusal_of_regex(const std::string& expression, const std::string& text = "") {
  return refusal_of([&] { Regex(expression, "t.json").matches(text); });
}

constexpr const char* remedy = "; give a tokenizer of a kind that is read, as it was downloaded";

}  // namespace

TEST_CASE("A component that is not known is refused by its name and its place") {
  CHECK(refusal_of_json("gpt2",
                        [](nlohmann::json& json) { json["pre_tokenizer"]["type"] = "Magic"; }) ==
        std::string("t.json: has the type 'Magic', which is not known, in its pre_tokenizer") +
            remedy);
  CHECK(refusal_of_json(
            "llama2_byte_fallback",
            [](nlohmann::json& json) { json["normalizer"]["normalizers"][1]["type"] = "Magic"; }) ==
        std::string("t.json: has the type 'Magic', which is not known, in its "
                    "normalizer.normalizers[1]") +
            remedy);
  CHECK(
      refusal_of_json("gpt2", [](nlohmann::json& json) { json["model"]["type"] = "WordLevel"; }) ==
      std::string("t.json: has the type 'WordLevel', which is not known, in its model") + remedy);
  CHECK(refusal_of_json("gpt2", [](nlohmann::json& json) {
          json["model"]["type"] = nullptr;
        }).empty());
}

TEST_CASE("A key that is not known is refused: it might change ids") {
  CHECK(refusal_of_json("bert_uncased", [](nlohmann::json& json) {
          json["normalizer"]["new"] = 1;
        }) == std::string("t.json: has the unknown key 'new' in its normalizer") + remedy);
  CHECK(refusal_of_json("gpt2", [](nlohmann::json& json) { json["model"]["dropout"] = 0.1; }) ==
        std::string("t.json: has a dropout, which draws at random, in its model") + remedy);
}

TEST_CASE("Damaged parts of a tokenizer.json are named") {
  CHECK(refusal_of_json("gpt2", [](nlohmann::json& json) {
          json["model"]["merges"][0] = "a";
        }).starts_with("t.json: has the merge 'a', which is not two pieces, in its model"));
  CHECK(refusal_of_json("gpt2", [](nlohmann::json& json) {
          json["model"]["merges"][0] = {"a", "QQ"};
        }).starts_with("t.json: has no token 'QQ', its part of a merge"));
  CHECK(refusal_of_json("gpt2", [](nlohmann::json& json) { json["added_tokens"][0]["id"] = 7; })
            .starts_with(
                "t.json: has the added token '<|endoftext|>' with id 7, and its place is 420,"));
  CHECK(refusal_of_json("gpt2", [](nlohmann::json& json) {
          json["model"]["vocab"]["!"] = 1e9;
        }).starts_with("t.json: has token '!' without an id"));
  CHECK(refusal_of_json("t5", [](nlohmann::json& json) {
          json["model"]["unk_id"] = 100000;
        }).starts_with("t.json: has the unk_id 100000, which is no token,"));
  CHECK(refusal_of_json("bert_uncased", [](nlohmann::json& json) {
          json["model"]["unk_token"] = "none";
        }).starts_with("t.json: has no token 'none'"));
  CHECK(refusal_of([] {
          parse_tokenizer_json("{\"a\": ", "t.json");
        }).starts_with("t.json: is no tokenizer (no JSON at byte"));
  CHECK(refusal_of([] {
          parse_tokenizer_json(std::string(100, '['), "t.json");
        }).starts_with("t.json: is no tokenizer (it is nested deeper than 64 levels)"));
}

TEST_CASE("A map of characters whose nodes lead out of it is refused before it is searched") {
  const auto with_charsmap = [](const std::string& base64) {
    return refusal_of_json("t5", [&](nlohmann::json& json) {
      json["normalizer"]["normalizers"][0]["precompiled_charsmap"] = base64;
    });
  };
  CHECK(with_charsmap("AAAA").starts_with("t.json: has a damaged map of characters (3 bytes)"));
  CHECK(
      with_charsmap("****").starts_with("t.json: has a damaged map of characters (not in base64)"));
  CHECK(with_charsmap("BAAAAAD///8A").find("an array of 1 nodes") != std::string::npos);
}

TEST_CASE("A text that stages make far longer is refused before it fills the memory") {
  nlohmann::json json = nlohmann::json::parse(test::tokenizer_text("normalizer_prepend"));
  nlohmann::json longer = {
      {"type", "Replace"}, {"pattern", {{"String", "e"}}}, {"content", std::string(100, 'e')}};
  json["normalizer"] = {
      {"type", "Sequence"},
      {"normalizers", nlohmann::json::array({longer, longer, longer, longer, longer})}};
  const auto tokenizer = parse_tokenizer_json(json.dump(), "t.json");
  CHECK(refusal_of([&] { tokenizer->encode("e"); }) ==
        "the text: becomes longer than 67108864 bytes in its tokenizer; tokenize it in parts, or "
        "give "
        "another tokenizer");
  json["normalizer"]["normalizers"] = nlohmann::json::array();
  for (int i = 0; i < 64; ++i) json["normalizer"]["normalizers"].push_back({{"type", "NFC"}});
  CHECK(refusal_of([&] {
          parse_tokenizer_json(json.dump(), "t.json");
        }).starts_with("t.json: has 65 components in its normalizer, and at most 64 are read"));
}

TEST_CASE("A regular expression that cannot be read, or takes too long, is refused with itself") {
  CHECK(refusal_of_regex("a\\K") ==
        "t.json: has the regular expression 'a\\K', which has the escape \\K; "
        "give a tokenizer of a kind that is read");
  CHECK(refusal_of_regex("(?~a)").find("has the group '(?~a'") != std::string::npos);
  CHECK(refusal_of_regex("(a").find("ICU does not read (U_REGEX_MISMATCHED_PAREN)") !=
        std::string::npos);
  CHECK(refusal_of_regex("(a|aa)+$", std::string(60, 'a') + "b")
            .find("takes too long on this text") != std::string::npos);
}

TEST_CASE(
    "Each pre-tokenizer of a GGUF has expressions that are read, and one that is not is named") {
  for (const GgufPreTokenizer& pre : gguf_pre_tokenizers())
    for (const std::string_view expression : pre.expressions)
      CHECK(refusal_of_regex(std::string(expression), "a 1 \n") == "");
  CHECK(refusal_of([] { gguf_pre_tokenizer("new", "a.gguf"); }) ==
        "a.gguf: has the pre-tokenizer 'new', which is not known; give the model's tokenizer.json "
        "instead");
}

TEST_CASE("A pattern that refers back to a group is refused, since no limit ends its search") {
  for (const char* expression : {R"((a+)\1)", R"((?<x>a+)\k<x>)", R"((.*)\s\1)"})
    CHECK_THAT(refusal_of_regex(expression, "aaaa"), Catch::Matchers::Contains("refers back"));
  CHECK(refusal_of_regex(R"(\\1|a\d)", "a1").empty());
}
