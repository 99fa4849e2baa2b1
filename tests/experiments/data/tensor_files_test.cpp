#include "experiments/data/tensor_files.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

std::string golden_path(const std::string& name) {
  return test::tests_folder() + "/golden/" + name;
}

std::vector<std::string> names_of(const TensorMap& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("All tensors of a file are read by its extension") {
  CHECK(names_of(read_tensors(golden_path("npy/f8_le.npy"))) == std::vector<std::string>{"f8_le"});
  CHECK(read_tensors(golden_path("npy/f8_le.npy")).at("f8_le").name == "f8_le");
  CHECK(names_of(read_tensors(golden_path("npz/saved.npz"))) ==
        std::vector<std::string>{"a", "b", "layer0/θ"});
  CHECK(names_of(read_tensors(golden_path("safetensors/halves.safetensors"))) ==
        std::vector<std::string>{"bf16", "f16"});
}

TEST_CASE("Another extension is refused with the remedy, before the file is read") {
  CHECK_THROWS_WITH(read_tensors("/nowhere/w.pt"),
                    Equals("/nowhere/w.pt: must be a .npy, .npz or .safetensors file; save the "
                           "array with numpy.save(\"array.npy\", array)"));
  CHECK_THROWS_AS(read_tensors("/nowhere/npz"), UsageError);
  CHECK_THROWS_WITH(open_tensors("", "w.bin", "q=w.bin"), Contains("q=w.bin: must be a .npy"));
}

TEST_CASE("A file that is not what its extension says is refused by its path") {
  const TempFolder folder;
  for (const char* name : {"a.npy", "a.npz", "a.safetensors"}) {
    const std::string path = folder.file(name, "neither").string();
    CHECK_THROWS_WITH(read_tensors(path), Contains(path + ": is not a "));
  }
  CHECK_THROWS_AS(read_tensors(folder.path() / "missing.npz"), IoError);
}

TEST_CASE("A tensor's path is parted at the '#' behind the extension") {
  const auto parted = [](const std::string& text, const std::string& file,
                         const std::string& tensor, bool is_named) {
    const TensorPath path = tensor_path(text);
    CHECK(path.file == file);
    CHECK(path.tensor == tensor);
    CHECK(path.is_named == is_named);
  };
  parted("w.npz#layer0.q", "w.npz", "layer0.q", true);
  parted("w.SafeTensors#θ#1", "w.SafeTensors", "θ#1", true);
  parted("run#1/w.npz#q", "run#1/w.npz", "q", true);
  parted("run#1/w.npz", "run#1/w.npz", "", false);
  parted("w.npy#", "w.npy", "", true);
  parted("w.txt#q", "w.txt#q", "", false);
  parted("", "", "", false);
}
