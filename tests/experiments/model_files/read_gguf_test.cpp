#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/model_files/read_config.h"
#include "experiments/model_files/read_positions.h"
#include "tests/support/paths.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

std::string bytes_of(const std::string& name) {
  return read_file(test::tests_folder() + "/golden/gguf/" + name + ".gguf", 1 << 20);
}

PositionPlan gguf(const std::string& name, const ReadOptions& options = {}) {
  return read_gguf(bytes_of(name), name + ".gguf", options);
}

void check_same(const PositionPlan& a, const PositionPlan& b) {
  const PositionComparison comparison = compare_positions(a, b);
  CHECK(comparison.differences == std::vector<PositionComparison::Difference>{});
}

/// The file with some bytes replaced.
std::string patched(std::string bytes, std::size_t at, const std::string& by) {
  return bytes.replace(at, by.size(), by);
}

std::string word(std::uint64_t value, int bytes = 8) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xFF);
  return text;
}

std::string name(const std::string& text) { return word(text.size()) + text; }
std::string header(std::uint64_t tensors, std::uint64_t values) {
  return "GGUF" + word(3, 4) + word(tensors) + word(values);
}

/// Of a number that a float holds, so that −0 is not 0.
std::uint32_t float_bits(double value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

constexpr const char* llama31 = R"({"model_type": "llama", "hidden_size": 256,
  "num_attention_heads": 2, "num_hidden_layers": 2, "rope_theta": 500000.0, "rope_scaling":
  {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
   "original_max_position_embeddings": 8192, "rope_type": "llama3"}})";

}  // namespace

TEST_CASE("blocks of every type are decoded to the bits of gguf's reference decoder") {
  const std::string bytes = bytes_of("blocks");
  const GgufFile file = parse_gguf(bytes, "blocks.gguf");
  const std::string suffix = ".values";
  int types = 0;
  for (const auto& [name, expected] : file.tensors) {
    if (!name.ends_with(suffix)) continue;
    const std::string type = name.substr(0, name.size() - suffix.size());
    INFO(type);
    const std::vector<double> numbers = gguf_numbers(file.tensors.at(type), "blocks.gguf");
    const std::vector<double> values = gguf_numbers(expected, "blocks.gguf");
    REQUIRE(numbers.size() == values.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      different += float_bits(numbers[i]) != float_bits(values[i]);
    CHECK(different == 0);
    ++types;
  }
  CHECK(types == 17);
}

TEST_CASE("a tensor with a dimension of 0 is refused") {
  for (const std::uint64_t type : {0u, 2u, 28u}) {
    const std::string bytes =
        header(1, 0) + name("t") + word(1, 4) + word(0) + word(type, 4) + word(0) + word(0);
    CHECK_THROWS_WITH(parse_gguf(bytes, "a.gguf"), Contains("tensor 't' has a dimension of 0"));
  }
}

TEST_CASE("tensors that leave bytes between them, or overlap, are refused") {
  const auto two = [](std::uint64_t type, std::uint64_t second) {
    std::string bytes = header(2, 0);
    for (const auto& [tensor, offset] : {std::pair("a", std::uint64_t{0}), std::pair("b", second)})
      bytes += name(tensor) + word(1, 4) + word(32) + word(type, 4) + word(offset);
    bytes.resize((bytes.size() + 31) / 32 * 32);
    return bytes + std::string(512, '\0');
  };
  CHECK(parse_gguf(two(0, 128), "a.gguf").tensors.size() == 2);
  const char* message =
      "tensor 'b' begins at byte 128 of the data, where the tensors before it end at 64";
  CHECK_THROWS_WITH(parse_gguf(two(1, 128), "a.gguf"), Contains(message));  // F16 for F32
  CHECK_THROWS_WITH(parse_gguf(two(0, 96), "a.gguf"), Contains("'b' begins at byte 96"));
}

TEST_CASE("types that no weights have are refused by name") {
  const auto refused = [&](std::uint64_t type, const char* message) {
    std::string bytes = header(1, 0) + name("t") + word(1, 4) + word(256) + word(type, 4) + word(0);
    bytes.resize((bytes.size() + 31) / 32 * 32 + 4096);
    const GgufFile file = parse_gguf(bytes, "a.gguf");
    CHECK_THROWS_WITH(gguf_numbers(file.tensors.at("t"), "a.gguf"), Contains(message));
  };
  refused(9, "Q8_1");
  refused(26, "I32");
  refused(16, "IQ2_XXS");
  refused(99, "type 99");
}

TEST_CASE("a GGUF and the configuration that it was converted from compute the same") {
  const PositionPlan llama = gguf("llama31");
  CHECK(llama.format == "GGUF v3");
  check_same(read_config(llama31, "config.json"), llama);
  CHECK(llama.layers[0].reasons.at("rope.scaling") == "tensor rope_freqs.weight");
  check_same(read_config(R"({"model_type": "gemma3_text", "hidden_size": 2560,
      "num_attention_heads": 8, "num_hidden_layers": 6, "head_dim": 256, "sliding_window": 1024,
      "rope_scaling": {"factor": 8.0, "rope_type": "linear"}})",
                         "config.json"),
             gguf("gemma3"));
  check_same(read_config(R"({"model_type": "deepseek_v3", "num_hidden_layers": 1, "rope_scaling":
      {"type": "yarn", "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0, "beta_fast": 32,
       "beta_slow": 1, "original_max_position_embeddings": 4096}})",
                         "config.json"),
             gguf("deepseek2"));
}

TEST_CASE("LongRoPE's factors are chosen by the length") {
  const double shortest = gguf("phi3").layers[0].inv_freq.back();
  const double longest = gguf("phi3", {.length = 8192}).layers[0].inv_freq.back();
  CHECK(shortest / longest == Approx(32));
  CHECK(gguf("phi3").layers[0].attention_factor ==
        Approx(std::sqrt(1 + std::log(32) / std::log(4096))).epsilon(1e-6));
}

TEST_CASE("a GGUF without rope_freqs differs from a configuration with llama3 scaling") {
  std::string bytes = bytes_of("llama31");
  const std::size_t at = bytes.find("rope_freqs");
  REQUIRE(at != std::string::npos);
  const PositionPlan lost = read_gguf(patched(bytes, at, "rope_freqz"), "a.gguf");
  const PositionComparison comparison =
      compare_positions(read_config(llama31, "config.json"), lost);
  REQUIRE(comparison.differences.size() == 1);
  CHECK_THAT(comparison.differences[0].field, Contains("from pair 29 on"));
  CHECK(comparison.differences[0].layers == std::vector<int>{0, 1});
  CHECK(comparison.notes.size() == 1);
}

TEST_CASE("version 2 is read, and files of the other byte order are refused by name") {
  const std::string bytes = bytes_of("llama31");
  CHECK(read_gguf(patched(bytes, 4, word(2, 4)), "a.gguf").format == "GGUF v2");
  const auto refused = [&](const std::string& version) { return patched(bytes, 4, version); };
  CHECK_THROWS_WITH(read_gguf(refused(std::string("\0\0\0\3", 4)), "a.gguf"),
                    Contains("byte order"));
  CHECK_THROWS_WITH(read_gguf(refused(word(1, 4)), "a.gguf"), Contains("version 1"));
}

TEST_CASE("a file that is cut off anywhere is refused") {
  const std::string bytes = bytes_of("llama31");
  for (std::size_t length = 0; length < bytes.size() - 32; length += 3)
    CHECK_THROWS_AS(read_gguf(bytes.substr(0, length), "a.gguf"), DataError);
}

TEST_CASE("hostile numbers in a GGUF are refused at once") {
  const auto refused = [](const std::string& bytes, const char* message) {
    CHECK_THROWS_WITH(parse_gguf(bytes, "a.gguf"), Contains(message));
  };
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  refused(header(huge, 0), "tensors");
  refused(header(0, huge), "keys");
  refused(header(0, 1) + word(huge), "name of a key");
  refused(header(0, 1) + name("k") + word(13, 4), "type 13");
  refused(header(0, 1) + name("k") + word(8, 4) + word(huge), "cut off");
  refused(header(0, 1) + name("k") + word(9, 4) + word(4, 4) + word(huge), "list of");
  refused(header(0, 1) + name("k") + word(9, 4) + word(8, 4) + word(huge), "texts in a list");
  refused(header(0, 1) + name("k") + word(9, 4) + word(9, 4) + word(1), "list of lists");
  refused(header(0, 2) + name("k") + word(4, 4) + word(1, 4) + name("k") + word(4, 4) + word(1, 4),
          "occurs twice");
  const std::string vast = name("t") + word(2, 4) + word(huge) + word(huge) + word(0, 4) + word(0);
  refused(header(1, 0) + vast, "shape");
  const std::string far = name("t") + word(1, 4) + word(32) + word(0, 4) + word(1 << 20);
  refused(header(1, 0) + far, "beyond the end");
  const std::string odd = name("general.alignment") + word(4, 4) + word(24, 4);
  refused(header(1, 1) + odd + far, "power of two");
}
