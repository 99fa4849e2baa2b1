#include "experiments/checkpoints/tensor_store.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "tests/checkpoints/weight_files.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace fs = std::filesystem;

namespace {

fs::path golden_checkpoint(const std::string& name) {
  return fs::path(tests_folder()) / "golden/checkpoints" / name;
}

constexpr const char* index_name = "model.safetensors.index.json";

std::string index_of(const std::string& tensor, const std::string& shard) {
  return fmt::format(R"({{"weight_map": {{"{}": "{}"}}}})", tensor, shard);
}

std::string one_weight() { return safetensors_file({{"w", "F32", {2}, 8}}); }

/// Bytes of memory that lie in this process at the moment.
std::uint64_t resident_bytes() {
  std::ifstream status("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  status >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// A file whose data are a hole of so many bytes.
fs::path sparse_file(const TempFolder& folder, const std::string& name, const std::string& head,
                     std::uint64_t data) {
  const fs::path path = folder.file(name, head);
  fs::resize_file(path, head.size() + data);
  return path;
}

void check_store_refused(const fs::path& path, const std::string& message) {
  CHECK_THROWS_AS(TensorStore::open(path), DataError);
  CHECK_THROWS_WITH(TensorStore::open(path), Contains(message));
}

}  // namespace

TEST_CASE("a checkpoint in shards holds what the same checkpoint in one file holds") {
  const TensorStore whole = TensorStore::open(golden_checkpoint("whole"));
  const TensorStore sharded = TensorStore::open(golden_checkpoint("sharded"));
  CHECK(whole.format() == "safetensors");
  CHECK(sharded.format() == "safetensors in 3 shards");
  CHECK(whole.tensors().size() == 21);
  CHECK(whole.bytes() == 10400);
  CHECK(sharded.bytes() == whole.bytes());
  REQUIRE(sharded.tensors().size() == whole.tensors().size());
  for (const auto& [name, tensor] : whole.tensors()) {
    INFO(name);
    const StoredTensor* const other = sharded.find(name);
    REQUIRE(other);
    CHECK(other->shape == tensor.shape);
    CHECK(other->type == StoredType::bf16);
    CHECK(other->data == tensor.data);
  }
  CHECK(whole.find("model.layers.7.mlp.up_proj.weight") == nullptr);
  CHECK_THAT(whole.label("lm_head.weight"), Contains("model.safetensors#lm_head.weight"));
}

TEST_CASE("a file may be given in the place of its folder, and links lead to files elsewhere") {
  CHECK(TensorStore::open(golden_checkpoint("whole/model.safetensors")).tensors().size() == 21);
  CHECK(TensorStore::open(golden_checkpoint("sharded") / index_name).tensors().size() == 21);
  const TempFolder folder;
  folder.file("blobs/0123", one_weight());
  fs::create_directories(folder.path() / "snapshots/main");
  fs::create_symlink("../../blobs/0123", folder.path() / "snapshots/main/model.safetensors");
  CHECK(TensorStore::open(folder.path() / "snapshots/main").find("w"));
  CHECK(TensorStore::open(folder.path() / "blobs/0123").find("w"));
}

TEST_CASE("a folder with one GGUF is its checkpoint") {
  const TempFolder folder;
  folder.file("README.md", "");
  folder.file("tiny.gguf", gguf_file({gguf_entry("w", {32}, 2, 0)}, 32));
  const TensorStore store = TensorStore::open(folder.path());
  CHECK(store.format() == "GGUF");
  CHECK(store.bytes() == 18);
  folder.file("other.gguf", gguf_file({}, 0));
  check_store_refused(folder.path(), "holds 2 .gguf files; give one of them");
}

TEST_CASE("a store stays whole when it is moved") {
  TensorStore store = TensorStore::open(golden_checkpoint("sharded"));
  const std::string_view before = store.find("lm_head.weight")->data;
  const TensorStore moved = std::move(store);
  CHECK(moved.find("lm_head.weight")->data.data() == before.data());
  CHECK(moved.find("lm_head.weight")->data == before);
}

TEST_CASE("opening 8 GB of weights reads their headers alone") {
  const TempFolder folder;
  std::uint64_t data = 0;
  const std::uint64_t rows = std::uint64_t{1} << 20;
  const std::string head = safetensors_head(
      {{"a", "F32", {rows, 1024}, rows * 4096}, {"b", "F32", {rows, 1024}, rows * 4096}}, data);
  sparse_file(folder, "st/model.safetensors", head, data);
  const std::string gguf = gguf_file({gguf_entry("a", {rows, 1024}, 0, 0)}, 0);
  sparse_file(folder, "g/model.gguf", gguf, rows * 4096);
  constexpr std::uint64_t most = std::uint64_t{4} << 20;
  for (const char* name : {"st", "g"}) {
    INFO(name);
    const std::uint64_t before = resident_bytes();
    const TensorStore store = TensorStore::open(folder.path() / name);
    CHECK(store.bytes() >= rows * 4096);
    CHECK(store.find("a")->shape.size() == 2);
    CHECK(resident_bytes() < before + most);
  }
}

TEST_CASE("a shard that is missing is refused by its name") {
  const TempFolder folder;
  folder.file(index_name, index_of("w", "model-1.safetensors"));
  check_store_refused(folder.path(), "shard 'model-1.safetensors', and there is no such file");
  fs::create_symlink("gone", folder.path() / "model-1.safetensors");
  check_store_refused(folder.path(), "shard 'model-1.safetensors', and there is no such file");
}

TEST_CASE("a shard that leads back to the index, to itself or to another shard is refused") {
  const TempFolder folder;
  folder.file(index_name, index_of("w", "loop.safetensors"));
  fs::create_symlink(index_name, folder.path() / "loop.safetensors");
  check_store_refused(folder.path(), "shard 'loop.safetensors', a link to itself");
  fs::remove(folder.path() / "loop.safetensors");
  fs::create_symlink("loop.safetensors", folder.path() / "loop.safetensors");
  CHECK_THROWS_AS(TensorStore::open(folder.path()), IoError);
  fs::remove(folder.path() / "loop.safetensors");
  folder.file("loop.safetensors", index_of("w", "loop.safetensors"));
  check_store_refused(folder.path(), "loop.safetensors: is not a safetensors file");

  folder.file("a.safetensors", one_weight());
  fs::create_symlink("a.safetensors", folder.path() / "b.safetensors");
  folder.file(index_name, R"({"weight_map": {"w": "a.safetensors", "v": "b.safetensors"}})");
  check_store_refused(folder.path(), "in two shards, 'a.safetensors' and 'b.safetensors'");
}

TEST_CASE("pickles are refused by name, with the way to convert them") {
  const TempFolder folder;
  folder.file("p/pytorch_model.bin", "PK\x03\x04");
  check_store_refused(folder.path() / "p", "'pytorch_model.bin', which holds a pickle");
  check_store_refused(folder.path() / "p", "save_pretrained");
  check_store_refused(folder.path() / "p/pytorch_model.bin", "which holds a pickle");
  check_store_refused(folder.file("x.pth", "anything"), "which holds a pickle");
  CHECK(TensorStore::open(folder.file("old.bin", gguf_file({}, 0))).format() == "GGUF");
}

TEST_CASE("a place without weights is refused with what to give instead") {
  const TempFolder folder;
  check_store_refused(folder.path(), "give the folder of a model with its weights");
  folder.file("adapter_model.safetensors", one_weight());
  check_store_refused(folder.path(), "adapter_model.safetensors");
  CHECK_THROWS_AS(TensorStore::open(folder.path() / "nothing"), IoError);
  CHECK_THROWS_AS(TensorStore::open("/dev/null"), IoError);
}
