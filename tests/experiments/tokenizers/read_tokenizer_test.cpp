#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/tokenizers/read_tokenizer.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tokenizer_golden.h"

using namespace orrery;
using namespace std::string_literals;

namespace {

using Json = nlohmann::json;

std::string bytes_of_golden(const std::string& file) {
  std::ifstream in(test::tokenizer_path(file), std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// The vocabulary of a golden tokenizer, added tokens included.
Json vocabulary_of(const std::string& name) {
  const Json file = Json::parse(test::tokenizer_text(name));
  Json vocabulary = file["model"]["vocab"];
  for (const Json& token : file["added_tokens"])
    vocabulary[token["content"].get<std::string>()] = token["id"];
  return vocabulary;
}

std::string lines_by_id(const Json& vocabulary) {
  std::vector<std::string> lines(vocabulary.size());
  for (const auto& [piece, id] : vocabulary.items()) lines[id.get<std::size_t>()] = piece;
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string merges_of_golden(const std::string& name) {
  const Json file = Json::parse(test::tokenizer_text(name));
  std::string lines = "#version: 0.2\n";
  for (const Json& merge : file["model"]["merges"])
    lines += merge[0].get<std::string>() + " " + merge[1].get<std::string>() + "\n";
  return lines;
}

void require_ids(const Tokenizer& tokenizer, const std::string& kind) {
  test::each_known_text(test::ids_file().at("ids").at(kind),
                        [&](const std::string& text, const std::string& ids) {
                          CHECK(fmt::format("{}", fmt::join(tokenizer.encode(text), " ")) == ids);
                        });
}

std::string refusal_of_model(std::string_view bytes) {
  try {
    parse_sentencepiece(bytes, "t.model", {});
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A folder of vocab.txt has BERT's tokenizer") {
  const TempFolder folder;
  folder.file("vocab.txt", lines_by_id(vocabulary_of("bert_uncased")));
  require_ids(*read_tokenizer(folder.path()), "bert_uncased json");
}

TEST_CASE(
    "A folder of vocab.json and merges.txt has RoBERTa's tokenizer when it is of that class") {
  const TempFolder folder;
  folder.file("vocab.json", vocabulary_of("roberta").dump());
  folder.file("merges.txt", merges_of_golden("roberta"));
  folder.file("tokenizer_config.json",
              R"({"tokenizer_class": "RobertaTokenizer", "add_prefix_space": true})");
  require_ids(*read_tokenizer(folder.path()), "roberta json");
  folder.file("tokenizer_config.json", R"({"tokenizer_class": "CTRLTokenizer"})");
  CHECK_THROWS_WITH(
      read_tokenizer(folder.path()),
      Catch::Contains("belongs to a 'CTRLTokenizer', whose rules are not in its files"));
}

TEST_CASE("A tokenizer.json goes before the other files of its folder") {
  const TempFolder folder;
  folder.file("vocab.txt", lines_by_id(vocabulary_of("bert_uncased")));
  folder.file("tokenizer.json", test::tokenizer_text("gpt2"));
  require_ids(*read_tokenizer(folder.path()), "gpt2 json");
}

TEST_CASE("A tokenizer.model adds the tokens that the class beside it names") {
  const TempFolder folder;
  folder.file("tokenizer.model", bytes_of_golden("bpe_bytes.model"));
  const auto plain = read_tokenizer(folder.path())->encode("the");
  folder.file("tokenizer_config.json",
              R"({"tokenizer_class": "LlamaTokenizer", "add_eos_token": true})");
  auto around = read_tokenizer(folder.path())->encode("the");
  CHECK(around.front() == 1);
  CHECK(around.back() == 2);
  CHECK(std::vector<std::int32_t>(around.begin() + 1, around.end() - 1) == plain);
  folder.file("tokenizer_config.json", R"({"tokenizer_class": "NewTokenizer"})");
  CHECK_THROWS_AS(read_tokenizer(folder.path()), DataError);
}

TEST_CASE("Tokens that files add beside a vocabulary are found as AutoTokenizer finds them") {
  const Json golden = test::golden("added_tokens.json");
  for (const auto& [name, one] : golden.at("cases").items()) {
    INFO(name);
    const TempFolder folder;
    const std::string kind = one.at("kind"), base = one.at("base");
    if (kind == "vocab.json") {
      folder.file("vocab.json", vocabulary_of(base).dump());
      folder.file("merges.txt", merges_of_golden(base));
    } else if (kind == "vocab.txt") {
      folder.file("vocab.txt", lines_by_id(vocabulary_of(base)));
    } else {
      folder.file(kind,
                  kind == "tokenizer.json" ? test::tokenizer_text(base) : bytes_of_golden(base));
    }
    for (const auto& [file, values] : one.at("files").items()) folder.file(file, values.dump());
    const auto tokenizer = read_tokenizer(folder.path());
    for (std::size_t i = 0; i < golden.at("texts").size(); ++i) {
      const std::string text = golden.at("texts")[i];
      INFO(text);
      CHECK(tokenizer->encode(text) == one.at("ids")[i].get<std::vector<std::int32_t>>());
    }
  }
}

TEST_CASE("A token that files add with an id that is not its place is refused") {
  const TempFolder folder;
  folder.file("vocab.json", vocabulary_of("gpt2").dump());
  folder.file("merges.txt", merges_of_golden("gpt2"));
  folder.file("added_tokens.json", R"({"<|far|>": 99999})");
  CHECK_THROWS_WITH(read_tokenizer(folder.path()), Catch::Contains("99999, and its place is"));
  folder.file("added_tokens.json", R"({"<|far|>": "x"})");
  CHECK_THROWS_AS(read_tokenizer(folder.path()), DataError);
  for (const char* entry : {R"("x": {"content": "a"})", R"("9": {"content": 5})", R"("9": [])"}) {
    folder.file("tokenizer_config.json",
                std::string(R"({"added_tokens_decoder": {)") + entry + "}}");
    CHECK_THROWS_AS(read_tokenizer(folder.path()), DataError);
  }
}

TEST_CASE("What is no tokenizer is refused with what would be one") {
  const TempFolder folder;
  CHECK_THROWS_AS(read_tokenizer(folder.path()), IoError);
  CHECK_THROWS_WITH(read_tokenizer(folder.file("notes.md", "a")),
                    Catch::Contains("is no tokenizer by its name"));
  CHECK_THROWS_AS(read_tokenizer(folder.path() / "absent.json"), IoError);
}

TEST_CASE("A tokenizer.model is checked before the library sees it") {
  const std::string good = bytes_of_golden("unigram.model");
  CHECK(refusal_of_model("").find("no pieces") != std::string::npos);
  CHECK(refusal_of_model(good.substr(0, 100)).find("cut off") != std::string::npos);
  CHECK(refusal_of_model(good + good).find("'<pad>' twice") != std::string::npos);
  CHECK(refusal_of_model("\x0A\x02\x0A\x00"s).find("piece 0 is empty") != std::string::npos);
  CHECK(refusal_of_model("\x0A\x03\x0A\x01\x00"s).find("piece 0 holds a NUL") != std::string::npos);
  CHECK(refusal_of_model("\x0B").find("a field of no known kind") != std::string::npos);
  std::string out_of_array = good;
  // The first node of the map of characters, behind its name, length and the array's length.
  const std::size_t at = out_of_array.find("nmt_nfkc") + 8 + 1 + 3 + 4;
  out_of_array.replace(at, 4, "\xFF\xFF\xFF\x7F");
  CHECK(refusal_of_model(out_of_array).find("points beyond the end") != std::string::npos);
}

TEST_CASE("Long runs of unknown characters, on which libsentencepiece is slow, are bounded") {
  const auto tokenizer = read_tokenizer(test::tokenizer_path("unigram.model"));
  CHECK_THROWS_WITH(tokenizer->encode(std::string(max_sentencepiece_bytes + 1, 'a')),
                    Catch::Contains("at most 1048576 are tokenized at once"));
}
