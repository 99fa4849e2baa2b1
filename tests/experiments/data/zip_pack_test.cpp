#include "experiments/data/zip_pack.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/data/zip_archive.h"
#include "tests/support/temp_folder.h"

using namespace orrery;

namespace {

std::string group_of(const std::string& folder, const std::string& text) {
  const std::vector<std::pair<std::string, std::string>> members{{"a.json", text},
                                                                 {"tables/b.csv", text + text}};
  return pack_group(folder, members);
}

void append(const std::filesystem::path& path, const std::vector<std::string>& groups) {
  GrowingZipPack pack(path);
  const std::vector<std::string_view> views(groups.begin(), groups.end());
  pack.append(views);
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<std::string> folders_in(const std::filesystem::path& path) {
  std::vector<std::string> names;
  const ZipPack pack(path);
  for (const auto& [name, place] : pack.groups()) names.push_back(name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("A pack that is finished is a zip archive that libzip finds whole") {
  const TempFolder temp;
  const auto path = temp.path() / "points.zip";
  append(path, {group_of("one", "1"), group_of("two", "22")});
  GrowingZipPack(path).finish(Names{"one", "two"});
  const std::string bytes = bytes_of(path);
  const ZipArchive zip(bytes, "points.zip");
  REQUIRE(zip.members().size() == 4);
  CHECK(zip.members()[1].name == "one/tables/b.csv");
  CHECK(zip.read(1, "b") == "11");  // the CRC-32 is compared
  CHECK(zip.read(2, "a") == "22");
  GrowingZipPack(path).finish(Names{"one", "two"});
  CHECK(bytes_of(path) == bytes);
}

TEST_CASE("Groups that were added in another order lie in the wanted one once a pack is finished") {
  const TempFolder temp;
  const auto path = temp.path() / "p.zip", other = temp.path() / "q.zip";
  append(path, {group_of("two", "2"), group_of("one", "old")});
  GrowingZipPack(path).finish(Names{"two", "one"});
  append(path, {group_of("three", "3"), group_of("one", "1")});  // the directory makes room
  CHECK(folders_in(path) == Names{"two", "one", "three", "one"});
  GrowingZipPack(path).finish(Names{"one", "two", "three"});
  append(other, {group_of("one", "1"), group_of("two", "2"), group_of("three", "3")});
  GrowingZipPack(other).finish(Names{"one", "two", "three"});
  CHECK(bytes_of(path) == bytes_of(other));
}

TEST_CASE("A directory that is written in several parts is whole") {
  const TempFolder temp;
  const auto path = temp.path() / "p.zip";
  const std::string folder(100, 'f');  // its name is in each of the entries
  std::vector<std::pair<std::string, std::string>> members;
  for (int i = 0; i < 9000; ++i) members.push_back({std::to_string(i), "x"});
  const std::string group = pack_group(folder, members);
  append(path, {group, group_of("last", "22")});
  GrowingZipPack(path).finish(Names{folder, "last"});
  const std::string bytes = bytes_of(path);
  CHECK(bytes.size() - group.size() > 1 << 20);  // the directory
  const ZipArchive zip(bytes, "p.zip");
  REQUIRE(zip.members().size() == 9002);
  CHECK(zip.members()[8999].name == folder + "/8999");
  CHECK(zip.read(9001, "b") == "2222");
  GrowingZipPack(path).finish(Names{"last", folder});  // the same where the file is written anew
  CHECK(bytes_of(path).size() == bytes.size());
  CHECK(ZipArchive(bytes_of(path), "p.zip").members().size() == 9002);
}

TEST_CASE("A pack that another program has changed or replaced is not appended to") {
  const TempFolder temp;
  const auto path = temp.path() / "p.zip";
  append(path, {group_of("one", "1")});
  const std::string one = bytes_of(path), two = group_of("two", "2");
  const auto refuses = [&](const auto& change) {
    GrowingZipPack pack(path);
    pack.append(std::vector<std::string_view>{two});
    change();
    const std::string before = bytes_of(path);
    CHECK_THROWS_AS(pack.append(std::vector<std::string_view>{two}), IoError);
    CHECK(bytes_of(path) == before);
  };
  refuses([&] { std::ofstream(path, std::ios::binary | std::ios::app) << "another's"; });
  refuses([&] { std::filesystem::resize_file(path, one.size()); });
  refuses([&] {
    write_bytes(temp.path() / "other", one + two);
    std::filesystem::rename(temp.path() / "other", path);
  });
}

TEST_CASE("A pack that was cut off anywhere has the groups before that place") {
  const TempFolder temp;
  const auto path = temp.path() / "p.zip";
  append(path, {group_of("one", "1"), group_of("two", "2")});
  GrowingZipPack(path).finish(Names{"one", "two"});
  const std::string whole = bytes_of(path);
  const std::size_t first = group_of("one", "1").size(), second = group_of("two", "2").size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_bytes(path, whole.substr(0, size));
    INFO(size);
    REQUIRE(ZipPack(path).groups().size() == (size >= first ? 1U : 0U) + (size >= first + second));
    GrowingZipPack(path).append({});
    if (size >= first + second) REQUIRE(std::filesystem::file_size(path) == first + second);
    GrowingZipPack(path).finish(folders_in(path));
    if (size >= first + second) REQUIRE(bytes_of(path) == whole);
  }
}

TEST_CASE("What is damaged between two groups of a pack hides no other group") {
  const TempFolder temp;
  const auto path = temp.path() / "p.zip";
  append(path, {group_of("one", "1"), group_of("two", "2"), group_of("three", "3")});
  std::string bytes = bytes_of(path);
  const std::size_t second = group_of("one", "1").size();
  bytes[second] = 'X';
  write_bytes(path, bytes);
  CHECK(folders_in(path) == Names{"one", "three"});
  const ZipPack pack(path);
  const std::string group = pack.read(*pack.find("three"));
  CHECK(members_of_group(group, "three").at("tables/b.csv") == "33");
  CHECK_FALSE(pack.find("two"));
  // Lengths within a group that lead out of it.
  std::string torn = group;
  torn.resize(torn.size() - 1);
  CHECK_THROWS_AS(members_of_group(torn, "three"), DataError);
}

TEST_CASE("A group whose first member has a long name is found") {
  const TempFolder temp;
  const auto path = temp.path() / "p.zip";
  const std::vector<std::pair<std::string, std::string>> members{{std::string(5000, 'n'), "1"}};
  append(path, {pack_group("one", members), group_of("two", "2")});
  CHECK(folders_in(path) == Names{"one", "two"});
}

TEST_CASE("A missing pack has no groups, and a foreign zip archive none either") {
  const TempFolder temp;
  CHECK(ZipPack(temp.path() / "none.zip").groups().empty());
  write_bytes(temp.path() / "foreign.zip", "PK\3\4 and so on, without a field of ours");
  CHECK(ZipPack(temp.path() / "foreign.zip").groups().empty());
}

TEST_CASE("An archive that another program has written anew is told from a pack that was cut off") {
  const TempFolder temp;
  const auto path = temp.path() / "points.zip";
  const std::string group = group_of("one", "1");
  for (const std::size_t size : {std::size_t{1}, std::size_t{30}, group.size() / 2, group.size()}) {
    write_bytes(path, group.substr(0, size));
    ZipPack(path).require_own();
  }
  ZipPack(temp.path() / "none.zip").require_own();
  std::string other = group;
  other.replace(other.find("or"), 2, "ux");  // the field of the group's length
  write_bytes(path, other);
  CHECK_THROWS_WITH(ZipPack(path).require_own(), Catch::Matchers::Contains("another program"));
  std::string compressed = group;
  compressed[8] = 8;
  write_bytes(path, compressed);
  CHECK_THROWS_AS(ZipPack(path).require_own(), DataError);
}
