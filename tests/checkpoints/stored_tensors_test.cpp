#include "experiments/checkpoints/stored_tensors.h"

#include <catch2/catch.hpp>
#include <string>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "tests/checkpoints/weight_files.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;
using Sizes = std::vector<std::uint64_t>;

namespace {

std::string golden_bytes(const std::string& name) {
  return read_file(tests_folder() + "/golden/" + name, 1 << 20);
}

void check_weights_refused(const std::string& bytes, const std::string& message) {
  CHECK_THROWS_AS(stored_tensors(bytes, "w.file"), DataError);
  CHECK_THROWS_WITH(stored_tensors(bytes, "w.file"), Contains("w.file") && Contains(message));
}

/// The tensors of two files under an index.
StoredTensors two_shards(const WeightIndex& index, const std::string& a, const std::string& b) {
  return sharded_tensors(index, "m/index.json", [&](const std::string& shard) {
    return std::string_view(shard == "a.safetensors" ? a : b);
  });
}

}  // namespace

TEST_CASE("tensors of every type and rank are found with the shape that PyTorch says") {
  const std::string bytes = golden_bytes("checkpoints/types.safetensors");
  const StoredTensors tensors = stored_tensors(bytes, "types.safetensors");
  CHECK(tensors.at("f64").type == StoredType::f64);
  CHECK(tensors.at("f32").type == StoredType::f32);
  CHECK(tensors.at("f16").type == StoredType::f16);
  CHECK(tensors.at("bf16").type == StoredType::bf16);
  CHECK(tensors.at("f16").shape == Sizes{2, 4});
  CHECK(tensors.at("f16").data.size() == 16);
  CHECK(tensors.at("scalar").shape.empty());
  CHECK(tensors.at("rank5").shape == Sizes{1, 2, 3, 2, 2});
  CHECK(tensors.at("no_rows").shape == Sizes{0, 4});
  CHECK(tensors.at("no_columns").data.empty());
  CHECK(!tensors.at("position_ids").type);
  CHECK(tensors.at("position_ids").type_name == "I64");
  CHECK(tensors.at("mask").type_name == "BOOL");
}

TEST_CASE("the shape of a GGUF's tensor is turned round, and its data end where it ends") {
  const std::string bytes =
      gguf_file({gguf_entry("w", {64, 3}, 2, 0), gguf_entry("v", {8}, 0, 128)}, 128 + 32);
  const StoredTensors tensors = stored_tensors(bytes, "w.gguf");
  CHECK(tensors.at("w").shape == Sizes{3, 64});
  CHECK(tensors.at("w").type == StoredType::q4_0);
  CHECK(tensors.at("w").type_name == "Q4_0");
  CHECK(tensors.at("w").data.size() == 3 * 2 * 18);
  CHECK(tensors.at("v").data.size() == 32);
  CHECK(bytes_of(tensors) == 3 * 2 * 18 + 32);
}

TEST_CASE("a weight may have more numbers than an array of a user, and none") {
  constexpr std::uint64_t vast = std::uint64_t{1} << 40;
  CHECK(stored_tensors(safetensors_file({{"w", "F32", {vast, 0}, 0}}), "w").size() == 1);
  check_weights_refused(safetensors_file({{"w", "F32", {vast, vast, 0}, 0}}), "tensor 'w'");
  check_weights_refused(safetensors_file({{"w", "F32", {vast, vast, 0}, 0}}), "2^60 numbers");
  check_weights_refused(safetensors_file({{"w", "F32", {vast, vast}, 0}}), "more than 2^64 bytes");
}

TEST_CASE("rows of a GGUF that are no whole number of blocks are refused by the tensor's name") {
  check_weights_refused(gguf_file({gguf_entry("odd", {16, 2}, 2, 0)}, 64),
                        "tensor 'odd' with rows of 16 numbers, and Q4_0 has blocks of 32");
  check_weights_refused(gguf_file({gguf_entry("odd", {16, 3}, 2, 0)}, 64), "'odd' has a shape");
  check_weights_refused(gguf_file({gguf_entry("new", {32}, 99, 0)}, 64), "tensor 'new' of type 99");
}

TEST_CASE("tensors of a GGUF that overlap are refused") {
  const std::string bytes =
      gguf_file({gguf_entry("a", {16}, 0, 0), gguf_entry("b", {16}, 0, 32)}, 96);
  check_weights_refused(bytes, "tensor 'b' begins at byte 32 of the data");
}

TEST_CASE("one part of a GGUF of several is refused with the way to join them") {
  const std::string key = gguf_name("split.count") + gguf_word(4, 4) + gguf_word(3, 4);
  check_weights_refused(gguf_file({gguf_entry("a", {16}, 0, 0)}, 64, {key}),
                        "one of 3 parts of a model");
}

TEST_CASE("pickles and pointers of Git LFS are refused with what to do") {
  check_weights_refused("PK\x03\x04 and more", "save_pretrained");
  check_weights_refused("\x80\x02}q\x01(X\x05", "save_pretrained");
  check_weights_refused("version https://git-lfs.github.com/spec/v1\noid sha256:1", "git lfs pull");
  check_weights_refused("", "is not a safetensors file");
}

TEST_CASE("a file of weights that is cut off anywhere is refused") {
  const std::string whole = golden_bytes("checkpoints/types.safetensors");
  for (std::size_t length = 0; length < whole.size(); length += 5)
    CHECK_THROWS_AS(stored_tensors(whole.substr(0, length), "w"), DataError);
  const std::string blocks = golden_bytes("gguf/blocks.gguf");
  for (std::size_t length = 0; length + 32 < blocks.size(); length += 97)
    CHECK_THROWS_AS(stored_tensors(blocks.substr(0, length), "w"), DataError);
}

TEST_CASE("a tensor lies in the shard that the index says, and in no other") {
  const std::string a = safetensors_file({{"w", "F32", {2}, 8}, {"extra", "F32", {1}, 4}});
  const std::string b = safetensors_file({{"v", "F16", {3}, 6}});
  const WeightIndex index{{"w", "a.safetensors"}, {"v", "b.safetensors"}};
  const StoredTensors tensors = two_shards(index, a, b);
  CHECK(tensors.size() == 3);
  CHECK(tensors.at("v").shape == Sizes{3});
  CHECK(tensors.contains("extra"));

  const auto refused = [&](const WeightIndex& wrong, const std::string& second,
                           const char* message) {
    CHECK_THROWS_AS(two_shards(wrong, a, second), DataError);
    CHECK_THROWS_WITH(two_shards(wrong, a, second), Contains(message));
  };
  refused({{"w", "b.safetensors"}, {"extra", "a.safetensors"}}, b,
          "lists tensor 'w' in 'b.safetensors', which does not hold it");
  refused({{"lost", "a.safetensors"}}, b, "lists tensor 'lost' in 'a.safetensors'");
  refused(index, a, "has tensor 'extra' in two shards, 'a.safetensors' and 'b.safetensors'");
  refused(index, b.substr(0, b.size() - 1), "m/b.safetensors: is cut off");
}
