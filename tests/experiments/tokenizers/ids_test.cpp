#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "experiments/tokenizers/read_tokenizer.h"
#include "tests/support/tokenizer_golden.h"

using namespace orrery;

namespace {

const nlohmann::json& expected_ids(const std::string& kind) {
  return test::ids_file().at("ids").at(kind);
}

/// Requires the reference's ids of at least 300 texts.
void require_reference_ids(const std::string& kind, const Tokenizer& tokenizer,
                           Special special = Special::add) {
  std::size_t texts = 0;
  std::string differing;
  test::each_known_text(expected_ids(kind), [&](const std::string& text, const std::string& ids) {
    ++texts;
    const std::string got = fmt::format("{}", fmt::join(tokenizer.encode(text, special), " "));
    if (got != ids)
      differing += fmt::format("{}\n  is   {}\n  want {}\n", nlohmann::json(text).dump(), got, ids);
  });
  INFO(kind);
  CHECK(texts >= 300);
  CHECK(differing == "");
}

/// The kinds of ids.json that end so, without that.
std::vector<std::string> kinds_that_end(const std::string& ending) {
  std::vector<std::string> all;
  for (const auto& [name, ids] : test::ids_file().at("ids").items())
    if (name.ends_with(ending)) all.push_back(name.substr(0, name.size() - ending.size()));
  return all;
}

}  // namespace

TEST_CASE("A tokenizer.json gives the ids of Hugging Face's tokenizers, whatever its stages") {
  CHECK(kinds_that_end(" json").size() > 50);
  for (const std::string& name : kinds_that_end(" json"))
    require_reference_ids(name + " json", *parse_tokenizer_json(test::tokenizer_text(name), name));
}

TEST_CASE("Special tokens around a text are left out where they are not wanted") {
  const auto tokenizer =
      parse_tokenizer_json(test::tokenizer_text("llama3_ignore_merges"), "llama3");
  require_reference_ids("llama3_ignore_merges json without special tokens", *tokenizer,
                        Special::omit);
}

TEST_CASE("A GGUF's vocabulary gives the ids of the tokenizer that it was made from") {
  CHECK(kinds_that_end(" gguf").size() == 8);
  for (const std::string& name : kinds_that_end(" gguf"))
    require_reference_ids(name + " gguf", *read_tokenizer(test::tokenizer_path(name + ".gguf")));
}

TEST_CASE("A tokenizer.model gives the ids of sentencepiece") {
  for (const std::string& name : kinds_that_end(" model"))
    require_reference_ids(name + " model", *read_tokenizer(test::tokenizer_path(name + ".model")));
}

TEST_CASE("Characters that ICU does not know yet are tokenized as well") {
  const nlohmann::json& texts = test::ids_file().at("texts");
  const auto newer = test::ids_file().at("newer_than_unicode_15").get<std::size_t>();
  const auto tokenizer = parse_tokenizer_json(test::tokenizer_text("qwen2_nfc"), "qwen2");
  for (std::size_t i = texts.size() - newer; i < texts.size(); ++i)
    CHECK(!tokenizer->encode(texts[i].get<std::string>()).empty());
}
