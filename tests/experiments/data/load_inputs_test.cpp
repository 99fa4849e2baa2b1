#include "experiments/data/load_inputs.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "core/errors.h"
#include "experiments/data/npy.h"
#include "experiments/files/file.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

ParamSet example() {
  return ParamSet({
      {.key = "source",
       .kind = ParamKind::choice,
       .default_value = std::string("both"),
       .choices = {{"both", ""}, {"none", ""}}},
      {.key = "q",
       .kind = ParamKind::file,
       .default_value = std::string(),
       .file_types = {"npy"},
       .used_when = Condition{"source", {"both"}}},
      {.key = "text",
       .kind = ParamKind::file,
       .default_value = std::string(),
       .file_types = {"txt", "md"},
       .used_when = Condition{"source", {"both"}}},
  });
}

std::string array_file(double value) {
  return npy_bytes(Array{.shape = {1}, .values = std::vector<double>{value}});
}

void set_back(const std::filesystem::path& path) {
  const auto time = std::filesystem::last_write_time(path);
  std::filesystem::last_write_time(path, time - std::chrono::hours(1));
}

}  // namespace

TEST_CASE("Files are read as what their parameters take, and accounted for") {
  const TempFolder folder;
  ParamSet params = example();
  params.set("q", folder.file("Q.NPY", array_file(2.5)).string());
  params.set("text", folder.file("poem.rst", "abc").string());
  const LoadedInputs loaded = load_inputs(params);
  CHECK(std::get<Tensor>(loaded.inputs.at("q")).values == std::vector<double>{2.5});
  CHECK(std::get<Tensor>(loaded.inputs.at("q")).name == "Q.NPY");
  CHECK(std::get<Text>(loaded.inputs.at("text")).utf8 == "abc");
  REQUIRE(loaded.files.size() == 2);
  CHECK(loaded.files[1].key == "text");
  CHECK(loaded.files[1].path == params.text("text"));
  CHECK(loaded.files[1].bytes == 3);
  CHECK(loaded.files[1].sha256 == sha256_hex("abc"));
}

TEST_CASE("Empty and unused file parameters are not read") {
  ParamSet params = example();
  CHECK(load_inputs(params).inputs.empty());
  params.set("text", "/nowhere");
  params.set("source", "none");
  CHECK(load_inputs(params).files.empty());
}

TEST_CASE("Bundled texts are read by name") {
  ParamSet params = example();
  params.set("text", "bundled:the_orrery.txt");
  const LoadedInputs loaded = load_inputs(params);
  CHECK_THAT(std::get<Text>(loaded.inputs.at("text")).utf8, Contains("Saturn"));
  CHECK(std::get<Text>(loaded.inputs.at("text")).name == "the_orrery.txt");
  CHECK(loaded.files.at(0).path == "bundled:the_orrery.txt");
}

TEST_CASE("Messages begin with the parameter and its value") {
  const TempFolder folder;
  const auto refusal = [&](const std::string& key, const std::string& value,
                           const std::string& message) {
    ParamSet params = example();
    params.set(key, value);
    CHECK_THROWS_WITH(load_inputs(params),
                      Catch::Matchers::StartsWith(key + "=" + value + ": ") && Contains(message));
  };
  refusal("text", "/nowhere",
          "cannot be read (No such file or directory); give the path of a text, or words with "
          "spaces between them");
  refusal("text", folder.path().string(), "is a folder");
  refusal("text", folder.file("bad.txt", "\xFF").string(), "is not valid UTF-8");
  refusal("q", folder.file("bad.npy", "x").string(), "is not a .npy file");
  refusal("q", folder.file("q.csv", "1,2").string(),
          "must be a .npy, .npz or .safetensors file; save the array with "
          "numpy.save(\"array.npy\", array)");
  refusal("q", "bundled:the_orrery.txt", "must be a .npy, .npz or .safetensors file");
  refusal("text", "bundled:none.txt", "is not a bundled text");
  refusal("text", "bundled:../secret", "must name a bundled text without a folder");
}

TEST_CASE("Words with spaces are a text, unless a file has that name") {
  const TempFolder folder;
  ParamSet params = example();
  const std::string words = (folder.path() / "the cat sat").string();
  params.set("text", words);
  InputCache cache;
  const auto given = cache.load(params);
  CHECK(std::get<Text>(given->inputs.at("text")).utf8 == words);
  CHECK(given->files.at(0).path == words);
  CHECK(given->files.at(0).sha256 == sha256_hex(words));
  CHECK_THAT(given->notes.at(0), Contains("no such file"));
  CHECK(cache.load(params) == given);
  folder.file("the cat sat", "abc");
  const auto read = cache.load(params);
  CHECK(std::get<Text>(read->inputs.at("text")).utf8 == "abc");
  CHECK_THAT(read->notes.at(0), Contains("the file of that name is read"));
  params.set("text", std::string(5000, 'a') + " b");  // longer than any name of a file
  CHECK(load_inputs(params).files.at(0).bytes == 5002);
  params.set("text", "two words\xFF");
  CHECK_THROWS_WITH(load_inputs(params), Contains("is not valid UTF-8"));
}

TEST_CASE("A tensor is read from an archive by its name") {
  const std::string golden = test::tests_folder() + "/golden/";
  ParamSet params = example();
  const auto load = [&](const std::string& value) {
    params.set("q", value);
    return load_inputs(params);
  };
  for (const std::string file : {"npz/saved.npz#layer0/θ", "safetensors/written.safetensors#θ"}) {
    const LoadedInputs loaded = load(golden + file);
    CHECK(std::get<Tensor>(loaded.inputs.at("q")).values == std::vector<double>{0, 1, 2});
    CHECK(std::get<Tensor>(loaded.inputs.at("q")).name == file.substr(file.find('/') + 1));
    CHECK(loaded.files.at(0).path == golden + file);
    CHECK(loaded.files.at(0).tensor == file.substr(file.find('#') + 1));
    const std::string bytes = read_file(golden + file.substr(0, file.find('#')), 1 << 20);
    CHECK(loaded.files.at(0).sha256 == sha256_hex(bytes));
    CHECK(content_id(loaded.files.at(0)) ==
          sha256_hex(sha256_hex(bytes) + file.substr(file.find('#'))));
  }
}

TEST_CASE("The only tensor of an archive is the same with its name and without") {
  const std::string path = test::tests_folder() + "/golden/npz/one.npz";
  ParamSet params = example();
  params.set("q", path);
  const LoadedInputs unnamed = load_inputs(params);
  params.set("q", path + "#arr_0");
  const LoadedInputs named = load_inputs(params);
  CHECK(std::get<Tensor>(unnamed.inputs.at("q")).name == "one.npz");
  CHECK(std::get<Tensor>(named.inputs.at("q")).name == "one.npz");
  CHECK(content_id(unnamed.files.at(0)) == unnamed.files.at(0).sha256);
  CHECK(content_id(named.files.at(0)) == content_id(unnamed.files.at(0)));
}

TEST_CASE("A name that an archive does not hold is refused with those it does") {
  const std::string path = test::tests_folder() + "/golden/npz/saved.npz";
  const auto refusal = [](const std::string& value, const std::string& message) {
    ParamSet params = example();
    params.set("q", value);
    CHECK_THROWS_WITH(load_inputs(params), Catch::Matchers::Equals("q=" + message));
  };
  refusal(path, path +
                    ": has 3 tensors, of which one is read; add #NAME to the path; it holds a, b, "
                    "layer0/θ");
  refusal(path + "#layer1/θ", path +
                                  "#layer1/θ: is not a tensor of the file; did you mean "
                                  "#layer0/θ?");
  refusal(path + "#", path + "#: names no tensor after '#'; write it like q=weights.npz#NAME");
}

TEST_CASE("A cache reads again only what changed") {
  const TempFolder folder;
  const auto q = folder.file("q.npy", array_file(1));
  const auto text = folder.file("a.txt", "one");
  ParamSet params = example();
  params.set("q", q.string());
  params.set("text", text.string());
  InputCache cache;
  const auto first = cache.load(params);
  CHECK(cache.load(params) == first);

  SECTION("a new size") {
    folder.file("a.txt", "three");
    CHECK(std::get<Text>(cache.load(params)->inputs.at("text")).utf8 == "three");
  }
  SECTION("a new time") {
    folder.file("a.txt", "two");
    set_back(text);
    const auto second = cache.load(params);
    CHECK(std::get<Text>(second->inputs.at("text")).utf8 == "two");
    CHECK(second->files[1].sha256 == sha256_hex("two"));
    CHECK(std::get<Text>(first->inputs.at("text")).utf8 == "one");
  }
  SECTION("another tensor of the same file") {
    const std::string path = test::tests_folder() + "/golden/safetensors/written.safetensors";
    params.set("q", path + "#b");
    CHECK(std::get<Tensor>(cache.load(params)->inputs.at("q")).values.size() == 6);
    params.set("q", path + "#θ");
    CHECK(std::get<Tensor>(cache.load(params)->inputs.at("q")).values.size() == 3);
  }
  SECTION("another path, while the other file is not read") {
    // Same size and time, other bytes: only a second reading would notice.
    const auto time = std::filesystem::last_write_time(q);
    folder.file("q.npy", array_file(7));
    std::filesystem::last_write_time(q, time);
    params.set("text", folder.file("b.txt", "four").string());
    const auto second = cache.load(params);
    CHECK(std::get<Text>(second->inputs.at("text")).utf8 == "four");
    CHECK(std::get<Tensor>(second->inputs.at("q")).values == std::vector<double>{1});
    CHECK(second->files.size() == 2);
  }
  SECTION("a file that went, which leaves the cache as it was") {
    std::filesystem::rename(text, folder.path() / "away.txt");
    CHECK_THROWS_WITH(cache.load(params), Contains("cannot be read"));
    std::filesystem::rename(folder.path() / "away.txt", text);
    CHECK(cache.load(params) == first);
  }
}
