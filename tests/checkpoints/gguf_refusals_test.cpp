#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/errors.h"
#include "experiments/checkpoints/checkpoint.h"
#include "experiments/files/file.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

using Catch::Matchers::Contains;

constexpr std::uint64_t most_gguf_bytes = 1 << 20;

std::string gguf_bytes(const std::string& name) {
  return read_file(test::tests_folder() + "/golden/transformer_gguf/" + name + ".gguf",
                   most_gguf_bytes);
}

/// The same file with other words of the same length.
std::string with_words(std::string bytes, const std::string& from, const std::string& to) {
  REQUIRE(from.size() == to.size());
  const std::size_t at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  return bytes.replace(at, from.size(), to);
}

/// The same file with another value of a key that is a UINT32, which follows its type.
std::string with_count(std::string bytes, const std::string& key, std::uint32_t value) {
  const std::size_t at = bytes.find(key);
  REQUIRE(at != std::string::npos);
  std::memcpy(bytes.data() + at + key.size() + sizeof(std::uint32_t), &value, sizeof value);
  return bytes;
}

void check_refusal(const std::string& bytes, const std::string& named) {
  const TempFolder folder;
  const auto path = folder.file("model.gguf", bytes);
  CHECK_THROWS_WITH(Checkpoint::open(path), Contains(named));
}

}  // namespace

TEST_CASE("A GGUF whose activation is not known is refused by its name") {
  check_refusal(with_words(gguf_bytes("modernbert-off"), "gelu", "gulp"), "hidden_activation");
}

TEST_CASE("A GGUF of T5 whose layers have tables of their own is refused by a table's name") {
  check_refusal(with_words(gguf_bytes("t5-off"), "dec.blk.0.cross_attn_rel_b.weight",
                           "dec.blk.1.other_attn_rel_b.weight"),
                "rel_b");
}

TEST_CASE(
    "A GGUF of T5 that counts more decoder layers than it has is refused by a tensor's name") {
  check_refusal(with_count(gguf_bytes("t5-off"), "t5.decoder_block_count", 3), "dec.blk.2.");
  check_refusal(with_count(gguf_bytes("t5-off"), "t5.decoder_block_count", 0xffffffff),
                "t5.decoder_block_count");
}

TEST_CASE("A GGUF without heads of queries is refused by the key") {
  check_refusal(with_count(gguf_bytes("t5-off"), "t5.attention.head_count", 0),
                "attention.head_count");
}

}  // namespace orrery
