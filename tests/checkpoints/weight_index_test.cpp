#include "experiments/checkpoints/stored_tensors.h"

#include <catch2/catch.hpp>
#include <string>

#include "core/errors.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

WeightIndex parsed_index(const std::string& text) { return parse_weight_index(text, "index.json"); }

std::string with_shard(const std::string& shard) {
  return R"({"weight_map": {"w": ")" + shard + R"("}})";
}

void check_index_refused(const std::string& text, const char* message) {
  INFO(text);
  CHECK_THROWS_AS(parsed_index(text), DataError);
  CHECK_THROWS_WITH(parsed_index(text), Contains(message));
}

}  // namespace

TEST_CASE("an index says which shard holds a tensor, whatever its metadata are") {
  const WeightIndex index =
      parsed_index(R"({"metadata": {"total_size": 24, "more": [1, {"weight_map": null}]},
                       "weight_map": {"a": "x.safetensors", "b": "part/y.safetensors"}, "z": true})");
  CHECK(index == WeightIndex{{"a", "x.safetensors"}, {"b", "part/y.safetensors"}});
  CHECK(parsed_index(R"({"weight_map": {}})").empty());
}

TEST_CASE("a shard outside of the folder of the index is refused with the tensor's name") {
  for (const char* shard :
       {"../x.safetensors", "/x.safetensors", "a/../../x.safetensors", "a/..", ".."})
    check_index_refused(with_shard(shard), "outside of the folder");
  check_index_refused(with_shard("../x.safetensors"), "tensor 'w'");
  CHECK(parsed_index(with_shard("a..b.safetensors")).at("w") == "a..b.safetensors");
}

TEST_CASE("a shard that is no .safetensors file is refused, a pickle with the way to convert it") {
  check_index_refused(with_shard("pytorch_model-00001-of-00002.bin"), "save_pretrained");
  check_index_refused(with_shard("model.safetensors.index.json"), "no .safetensors file");
  check_index_refused(with_shard(""), "no name of a file");
  check_index_refused(with_shard("a\\u0000.safetensors"), "no name of a file");
  check_index_refused(with_shard(std::string(300, 'a') + ".safetensors"), "no name of a file");
}

TEST_CASE("what is no index is refused") {
  check_index_refused("", "not JSON at byte");
  check_index_refused("[]", "no JSON object");
  check_index_refused("3", "no JSON object");
  check_index_refused("{}", "'weight_map' is missing");
  check_index_refused(R"({"weight_map": 3})", "'weight_map' is no object");
  check_index_refused(R"({"weight_map": []})", "'weight_map' is no object");
  check_index_refused(R"({"weight_map": {"a": 3}})", "the shard of tensor 'a' is no text");
  check_index_refused(R"({"weight_map": {"a": {}}})", "the shard of tensor 'a' is no text");
  check_index_refused(R"({"weight_map": {"a": ["x.safetensors"]}})", "is no text");
  check_index_refused(R"({"weight_map": {}, "weight_map": {}})", "'weight_map' occurs twice");
  check_index_refused(R"({"weight_map": {"a": "x.safetensors", "a": "x.safetensors"}})",
                      "tensor 'a' occurs twice");
  check_index_refused(R"({"weight_map": {"a": "x.safetensors"})", "not JSON at byte");
  check_index_refused(with_shard("x.safetensors") + std::string("\0{", 2), "not JSON at byte 39");
  check_index_refused(R"({"metadata": )" + std::string(100'000, '['), "nested deeper");
}

TEST_CASE("an index of more shards than any model has is refused") {
  std::string text = R"({"weight_map": {)";
  for (int i = 0; i <= 4096; ++i)
    text += "\"t" + std::to_string(i) + "\": \"" + std::to_string(i) + ".safetensors\",";
  text.back() = '}';
  check_index_refused(text + "}", "more than 4096 shards");
}
