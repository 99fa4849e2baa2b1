#include "experiments/data/inputs.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "core/errors.h"
#include "experiments/data/file.h"
#include "experiments/data/npy.h"
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
  refusal("text", "/nowhere", "cannot be read (No such file or directory); check the path");
  refusal("text", folder.path().string(), "is a folder");
  refusal("text", folder.file("bad.txt", "\xFF").string(), "is not valid UTF-8");
  refusal("q", folder.file("bad.npy", "x").string(), "is not a .npy file");
  refusal("q", folder.file("q.csv", "1,2").string(),
          "must be a .npy file; save the array with numpy.save(\"array.npy\", array)");
  refusal("text", "bundled:none.txt", "is not a bundled text");
  refusal("text", "bundled:../secret", "must name a bundled text without a folder");
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
