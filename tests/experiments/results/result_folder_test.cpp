#include "experiments/results/result_folder.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/data/npy.h"
#include "experiments/files/file.h"
#include "experiments/results/figure_options.h"
#include "tests/experiments/results/example_result.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

WriteOptions options_for(const fs::path& folder) {
  return {.folder = folder,
          .figure_formats = {"svg", "png"},
          .render = [](const Figure& figure, std::string_view format) {
            return figure.id + " as " + std::string(format);
          }};
}

WrittenResult write_example(const fs::path& folder) {
  return write_result(example_result(), {.argv = {"orrery"}}, options_for(folder));
}

/// Every file below, with slashes, sorted.
Names files_below(const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory())
      names.push_back(entry.path().lexically_relative(folder).generic_string());
  std::sort(names.begin(), names.end());
  return names;
}

Names entries_of(const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string content(const fs::path& path) { return read_file(path, 1 << 20); }

const Names example_files{"arrays/weights.npy", "figures/decay.csv",     "figures/decay.json",
                          "figures/decay.png",  "figures/decay.svg",     "figures/map.json",
                          "figures/map.png",    "figures/map.svg",       "manifest.json",
                          "result.json",        "tables/by_encoding.csv"};

}  // namespace

TEST_CASE("A result is written as a folder of files that its manifest lists with their hashes") {
  const TempFolder temp;
  const fs::path folder = temp.path() / "deep" / "down" / "out";
  const WrittenResult written = write_example(folder);
  CHECK(written.folder == folder);
  CHECK(files_below(folder) == example_files);
  CHECK(entries_of(folder.parent_path()) == Names{"out"});
  CHECK(written.files.size() == example_files.size() - 1);
  for (const WrittenFile& file : written.files) {
    CHECK(file.sha256 == sha256_hex(content(folder / file.path)));
    CHECK(file.bytes == fs::file_size(folder / file.path));
  }
  const auto manifest = nlohmann::json::parse(content(folder / "manifest.json"));
  CHECK(manifest["files"].size() == written.files.size());
  CHECK(content(folder / "figures/map.svg") == "map as svg");
  CHECK(parse_npy(content(folder / "arrays/weights.npy"), "w").shape ==
        std::vector<std::size_t>{2, 2});
  CHECK(content(folder / "figures/decay.csv") == "x,RoPE\r\n0,1\r\n1,nan\r\n");
}

TEST_CASE("The same result gives the same bytes in every file but the manifest") {
  const TempFolder temp;
  write_example(temp.path() / "a");
  write_example(temp.path() / "b");
  for (const std::string& file : example_files)
    if (file != "manifest.json")
      CHECK(content(temp.path() / "a" / file) == content(temp.path() / "b" / file));
}

TEST_CASE("Files in a format of their own are written as they are, and belong to the result") {
  const TempFolder temp;
  Result result = example_result();
  result.files = {{"models/a/config.json", "{}\n"}, {"models/a/model.safetensors", "bytes"}};
  const auto write = [&] {
    return write_result(result, {.argv = {"orrery"}}, options_for(temp.path() / "r"));
  };
  const WrittenResult written = write();
  CHECK(content(temp.path() / "r/models/a/model.safetensors") == "bytes");
  CHECK(std::count_if(written.files.begin(), written.files.end(), [](const WrittenFile& file) {
          return file.path.rfind("models/a/", 0) == 0;
        }) == 2);
  result.files.pop_back();
  write();  // nothing in the folder is foreign
  CHECK_FALSE(fs::exists(temp.path() / "r/models/a/model.safetensors"));
}

TEST_CASE("An older result and an empty folder are replaced as a whole") {
  const TempFolder temp;
  fs::create_directories(temp.path() / "out");
  write_example(temp.path() / "out");
  Result smaller = example_result();
  smaller.figures.clear();
  smaller.tables.clear();
  write_result(smaller, {}, options_for(temp.path() / "out/"));
  CHECK(files_below(temp.path() / "out") ==
        Names{"arrays/weights.npy", "manifest.json", "result.json"});
  CHECK(entries_of(temp.path()) == Names{"out"});
}

TEST_CASE("Through a link the folder itself is replaced and the link stays") {
  const TempFolder temp;
  fs::create_directories(temp.path() / "real");
  fs::create_directory_symlink(temp.path() / "real", temp.path() / "link");
  write_example(temp.path() / "link");
  write_example(temp.path() / "link");
  CHECK(fs::is_symlink(temp.path() / "link"));
  CHECK(files_below(temp.path() / "real") == example_files);
}

TEST_CASE("What Orrery did not write is never replaced") {
  const TempFolder temp;
  const fs::path folder = temp.path() / "out";
  const auto refusal = [&](const std::string& part) {
    const Names before = files_below(temp.path());
    CHECK_THROWS_AS(write_example(folder), IoError);
    CHECK_THROWS_WITH(write_example(folder),
                      Contains(folder.string() + ": ") && Contains(part) && Contains("--out"));
    CHECK(files_below(temp.path()) == before);
    CHECK_THROWS_AS(require_replaceable(options_for(folder), {}), IoError);
  };
  SECTION("a folder of something else") {
    temp.file("out/thesis.tex", "years of work");
    refusal("is neither empty nor a result folder, so it is not replaced");
  }
  SECTION("a manifest of another program") {
    temp.file("out/manifest.json", R"({"schema": "other/1"})");
    refusal("nor a result folder");
  }
  SECTION("a manifest that is not JSON") {
    temp.file("out/manifest.json", "{");
    refusal("nor a result folder");
  }
  SECTION("a result with a file of the user's own") {
    write_example(folder);
    temp.file("out/figures/notes.txt", "mine");
    refusal("contains figures/notes.txt, which its manifest does not list");
  }
  SECTION("a file") {
    temp.file("out", "text");
    refusal("is a file, where a folder is to be written");
  }
}

TEST_CASE("An older result is replaced only where that was asked for") {
  const TempFolder temp;
  write_example(temp.path() / "out");
  WriteOptions options = options_for(temp.path() / "out");
  Result other = example_result();
  const auto refused = [&](const std::string& why) {
    CHECK_THROWS_WITH(write_result(other, {}, options),
                      Contains(why) && Contains("add --force to replace it"));
    CHECK_THROWS_WITH(require_replaceable(options, other.provenance), Contains(why));
    CHECK(files_below(temp.path() / "out") == example_files);
  };
  SECTION("none") {
    options.replaceable = Replaceable::none;
    refused("already contains a result of " + other.provenance.experiment);
  }
  SECTION("one with the same settings") {
    options.replaceable = Replaceable::same_settings;
    write_result(other, {}, options);
    other.provenance.params.emplace_back("added", "1");
    refused("with other settings");
    other.provenance = {.experiment = "another"};
    refused("already contains a result of " + example_result().provenance.experiment);
  }
}

TEST_CASE("The current folder is not replaced under the user's feet") {
  const TempFolder temp;
  const fs::path before = fs::current_path();
  fs::current_path(temp.path());
  CHECK_THROWS_WITH(write_example("."), Contains("is the current folder"));
  fs::current_path(before);
}

TEST_CASE("When anything fails, what was there stays and nothing is left over") {
  const TempFolder temp;
  const fs::path folder = temp.path() / "out";
  write_example(folder);
  WriteOptions options = options_for(folder);
  Result result = example_result();
  SECTION("a renderer that throws") {
    options.render = [](const Figure&, std::string_view format) -> std::string {
      if (format == "png") throw std::runtime_error("no font");
      return "half";
    };
    CHECK_THROWS_WITH(write_result(result, {}, options), "no font");
  }
  SECTION("two tables of one name") {
    result.tables.push_back(result.tables[0]);
    CHECK_THROWS_AS(write_result(result, {}, options), std::logic_error);
  }
  SECTION("a name that would leave the folder") {
    result.tables[0].name = "../../escape";
    CHECK_THROWS_AS(write_result(result, {}, options), std::logic_error);
  }
  SECTION("a format that is no file") {
    options.figure_formats = {std::string(300, 'x')};
    CHECK_THROWS_WITH(write_result(result, {}, options), Contains("File name too long"));
  }
  CHECK(entries_of(temp.path()) == Names{"out"});
  CHECK(files_below(folder) == example_files);
}

TEST_CASE("What the system refuses is told with its reason and the path") {
  CHECK_THROWS_WITH(write_example("/dev/null/out"),
                    Contains("/dev/null") && Contains("Not a directory"));
  CHECK_THROWS_AS(write_example("/proc/orrery/out"), IoError);
  if (::geteuid() == 0) return;  // root writes everywhere
  const TempFolder temp;
  fs::permissions(temp.path(), fs::perms::owner_read | fs::perms::owner_exec);
  CHECK_THROWS_WITH(write_example(temp.path() / "out"), Contains("Permission denied"));
  fs::permissions(temp.path(), fs::perms::owner_all);
}

TEST_CASE("A hidden folder that a killed run left is not in the way") {
  const TempFolder temp;
  const std::string left = ".out.tmp-" + std::to_string(::getpid());
  temp.file(left + "/half", "x");
  write_example(temp.path() / "out");
  CHECK(entries_of(temp.path()) == Names{left, "out"});
}

TEST_CASE("Figures drawn on all cores are those drawn one after the other") {
  const Result result = example_result();
  const TempFolder temp;
  const FigureOptions figures{.formats = {"svg", "png", "pdf"}};
  const WrittenResult one = write_result(result, {}, write_options(temp.path() / "one", figures));
  const WrittenResult all = write_result(
      result, {}, drawn_on_all_cores(result, write_options(temp.path() / "all", figures)));
  CHECK(one.manifest_sha256 == all.manifest_sha256);
  CHECK(all.files.size() == one.files.size());
  const FigureOptions unknown{.formats = {"svg", "tiff"}};
  CHECK_THROWS_AS(drawn_on_all_cores(result, write_options(temp.path(), unknown)), UsageError);
}
