#include "experiments/data/npz.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/data/zip_archive.h"
#include "experiments/data/zip_records.h"
#include "experiments/files/file.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;
using Numbers = std::vector<double>;
using Shape = std::vector<std::size_t>;

namespace {

std::string golden_npz(const std::string& name) {
  return read_file(test::tests_folder() + "/golden/npz/" + name + ".npz", 1 << 20);
}

TensorMap parse_golden(const std::string& name) { return parse_npz(golden_npz(name), name); }

const Numbers reals{0, 0.5, -1.5, 2, 3.25, -100};

std::string written(const std::vector<Array>& arrays) {
  std::vector<const Array*> pointers;
  for (const Array& array : arrays) pointers.push_back(&array);
  return npz_bytes(pointers);
}

/// Whether the bytes parse or are refused; anything else ends the test.
bool parses(std::string_view bytes) {
  try {
    parse_npz(bytes, "fuzz");
    return true;
  } catch (const DataError&) {
    return false;
  }
}

std::string replaced(std::string bytes, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = bytes.find(what, at)) != std::string::npos; at += with.size())
    bytes.replace(at, what.size(), with);
  return bytes;
}

/// Another time zone until the end of the test.
class TimeZone {
 public:
  explicit TimeZone(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
  ~TimeZone() {
    ::unsetenv("TZ");
    ::tzset();
  }
};

}  // namespace

TEST_CASE("What numpy.savez saved is read, stored and compressed") {
  const TensorMap saved = parse_golden("saved");
  CHECK(saved.size() == 3);
  CHECK(saved.at("a").name == "a");
  CHECK(saved.at("a").shape == Shape{2, 3});
  CHECK(saved.at("a").values == reals);
  CHECK(saved.at("b").values == reals);
  CHECK(saved.at("layer0/θ").values == Numbers{0, 1, 2});
  const TensorMap compressed = parse_golden("compressed");
  CHECK(compressed.at("a").values == reals);
  CHECK(compressed.at("zeros").values == Numbers(4096, 0.0));
  CHECK(parse_golden("one").at("arr_0").values == reals);
}

TEST_CASE("Archives with a comment, and those written to a stream, are read") {
  CHECK(parse_golden("comment").at("a").values == reals);
  CHECK(parse_golden("stream").at("a").values == reals);
}

TEST_CASE("One array is read whatever the others hold") {
  const std::string bytes = golden_npz("nan");
  const auto archive = open_npz(bytes, "nan");
  CHECK(archive->names() == std::vector<std::string>{"a", "b"});
  CHECK(archive->tensor("b").values == reals);
}

TEST_CASE("Arrays of an archive are refused by name for what they hold") {
  CHECK_THROWS_WITH(parse_golden("nan"),
                    StartsWith("nan#a: holds NaN at [1, 0]: every value must"));
  CHECK_THROWS_WITH(parse_golden("text"), StartsWith("text#a: has dtype '<U1': strings are not"));
  CHECK_THROWS_WITH(parse_golden("empty"), StartsWith("empty#a: has shape (3, 0): it holds no"));
  CHECK_THROWS_WITH(parse_golden("object"), StartsWith("object#a: has dtype '|O': object arrays"));
  CHECK_THROWS_WITH(parse_golden("not_npy_inside"),
                    StartsWith("not_npy_inside#a: is not a .npy file"));
}

TEST_CASE("Members that NumPy would not have written are refused by name") {
  CHECK_THROWS_WITH(
      parse_golden("repeated"),
      Equals("repeated: has two members 'a.npy'; save every array under a name of its own"));
  CHECK_THROWS_WITH(parse_golden("not_npy"),
                    Equals("not_npy: has the member 'readme.txt', which is not a .npy file; save "
                           "the arrays again with numpy.savez"));
  CHECK_THROWS_WITH(parse_golden("folder"), Contains("has the member 'a/', which is not a .npy"));
  CHECK_THROWS_WITH(parse_golden("absolute"),
                    Contains("has the member '/a.npy', whose name leads out of the archive"));
  CHECK_THROWS_WITH(
      parse_golden("up"),
      Contains("has the member 'a/../../b.npy', whose name leads out of the archive"));
  const std::string backslash = replaced(golden_npz("up"), "a/../../b.npy", "a\\..\\..\\b.npy");
  CHECK_THROWS_WITH(parse_npz(backslash, "z"), Contains("leads out of the archive"));
  CHECK_THROWS_WITH(parse_golden("encrypted"),
                    Contains("has the member 'a.npy', which is encrypted; unpack it and save it "
                             "without a password"));
  CHECK_THROWS_WITH(parse_golden("bzip2"),
                    Contains("has the member 'a.npy', compressed by method 12: stored and deflated "
                             "ones are read; save the arrays again with numpy.savez_compressed"));
  CHECK_THROWS_WITH(parse_golden("lzma"), Contains("compressed by method 14"));
}

TEST_CASE("An archive without arrays is refused") {
  CHECK_THROWS_WITH(parse_golden("no_members"),
                    Equals("no_members: holds no arrays; save at least one"));
}

TEST_CASE("Members are unpacked as far as they declare, and no further than is read") {
  CHECK_THROWS_WITH(parse_golden("bomb"),
                    Equals("bomb: has the member 'a.npy', of 2147483648 bytes when unpacked: at "
                           "most 1073872896 are read; save a part of it"));
  // Newer versions of libzip notice by themselves.
  const auto by_libzip = Contains("is damaged: it cannot be unpacked");
  CHECK_THROWS_WITH(parse_golden("declares_fewer"),
                    Equals("declares_fewer#a: is damaged: it declares 100 bytes and unpacks to "
                           "more; copy or download the file again") ||
                        by_libzip);
  CHECK_THROWS_WITH(parse_golden("declares_more"),
                    Contains("declares_more#a: is damaged: it declares 1048576 bytes and unpacks "
                             "to fewer") ||
                        by_libzip);
}

TEST_CASE("A directory that contradicts what stands behind its member is refused") {
  // libzip 1.7 unpacks and finds more; later ones compare the two.
  CHECK_THROWS_WITH(parse_golden("contradicts"),
                    Contains("it declares 100 bytes and unpacks to more") ||
                        Contains("its zip directory does not match it"));
}

TEST_CASE("A member that changed since it was stored is refused") {
  CHECK_THROWS_WITH(parse_golden("crc"),
                    Equals("crc#a: is damaged: its CRC-32 differs from the stored one; copy or "
                           "download the file again"));
  std::string bytes = golden_npz("compressed");
  const std::size_t data = bytes.find("a.npy") + 60;
  bytes.replace(data, 8, 8, '\xFF');
  CHECK_THROWS_WITH(parse_npz(bytes, "z"), StartsWith("z#a: is damaged: "));
}

TEST_CASE("What is not a zip archive, or not all of one, is refused") {
  CHECK_THROWS_WITH(parse_npz("", "z"),
                    Equals("z: is not a zip archive (it does not begin with PK); save the arrays "
                           "with numpy.savez"));
  CHECK_THROWS_WITH(parse_npz("\x93NUMPY", "z"), Contains("does not begin with PK"));
  const std::string bytes = golden_npz("saved");
  CHECK_THROWS_WITH(parse_npz("junk" + bytes, "z"), Contains("does not begin with PK"));
  CHECK_THROWS_WITH(parse_npz(bytes.substr(0, bytes.size() - 1), "z"),
                    Equals("z: is cut off or damaged: there is no zip directory at its end; copy "
                           "or download the file again"));
  CHECK_THROWS_WITH(parse_npz(bytes + "junk", "z"),
                    Contains("z: is damaged or has surplus bytes: its zip directory does not"));
  CHECK_THROWS_WITH(parse_npz(bytes + bytes, "z"), Contains("bytes left over"));
  std::string elsewhere = bytes;
  ++elsewhere[bytes.rfind("PK\5\6") + 16];
  CHECK_THROWS_WITH(parse_npz(elsewhere, "z"), Contains("its zip directory does not match it"));
  std::string gap = bytes;
  gap.insert(gap.rfind("PK\5\6"), "gap");
  CHECK_THROWS_WITH(parse_npz(gap, "z"), Contains("bytes left over"));
}

TEST_CASE("Bytes between members, or before the directory, are not overlooked") {
  // One local header and member more than the directory lists, and then plain bytes.
  const std::string two = golden_npz("saved"), one = golden_npz("one");
  const std::size_t directory = two.find("PK\1\2");
  const auto with_gap = [&](std::string bytes, std::size_t at, std::string_view gap) {
    const std::size_t record = bytes.rfind("PK\5\6");
    std::size_t moved = 0;
    for (int i = 3; i >= 0; --i)
      moved =
          moved << 8 | static_cast<unsigned char>(bytes[record + 16 + static_cast<std::size_t>(i)]);
    moved += gap.size();
    for (std::size_t i = 0; i < 4; ++i) bytes[record + 16 + i] = static_cast<char>(moved >> 8 * i);
    for (std::size_t entry = bytes.find("PK\1\2"); entry < record;
         entry = bytes.find("PK\1\2", entry + 4)) {
      std::size_t offset = 0;
      for (std::size_t i = 4; i-- > 0;)
        offset = offset << 8 | static_cast<unsigned char>(bytes[entry + 42 + i]);
      if (offset < at) continue;
      offset += gap.size();
      for (std::size_t i = 0; i < 4; ++i)
        bytes[entry + 42 + i] = static_cast<char>(offset >> 8 * i);
    }
    bytes.insert(at, gap);
    return bytes;
  };
  CHECK(parse_npz(with_gap(two, directory, ""), "z").size() == 3);
  CHECK_THROWS_WITH(parse_npz(with_gap(two, directory, "hidden"), "z"),
                    Equals("z: has 6 bytes left over after a member; copy or download the file "
                           "again"));
  const std::size_t second = two.find("PK\3\4", 4);
  CHECK_THROWS_WITH(parse_npz(with_gap(two, second, "hidden"), "z"),
                    Contains("has 6 bytes left over after a member"));
  const std::string stream = golden_npz("stream");
  CHECK_THROWS_WITH(parse_npz(with_gap(stream, stream.find("PK\1\2"), "1234"), "z"),
                    Contains("bytes left over after a member"));
  const std::string member = one.substr(0, one.find("PK\1\2"));
  CHECK_THROWS_WITH(parse_npz(with_gap(one, member.size(), member), "z"),
                    Contains("bytes left over after a member"));
}

TEST_CASE("Members that share bytes are refused: one cannot unpack to several arrays") {
  std::string bytes = golden_npz("saved");
  const std::size_t first = bytes.find("PK\1\2"), second = bytes.find("PK\1\2", first + 4);
  bytes.replace(second + 42, 4, bytes, first + 42, 4);  // the second entry's member is the first's
  CHECK_THROWS_AS(parse_npz(bytes, "z"), DataError);
}

TEST_CASE("An archive whose records are Zip64's is read, and refused with bytes left over") {
  CHECK(parse_golden("zip64").at("a").values == reals);
  std::string gap = golden_npz("zip64");
  gap.insert(gap.rfind("PK\6\7"), "gap");
  CHECK_THROWS_AS(parse_npz(gap, "z"), DataError);
}

TEST_CASE("Arrays written as .npz are read back as they were") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::string bytes =
      written({{.name = "b/θ", .shape = {2, 3}, .values = reals},
               {.name = "a", .shape = {3}, .values = std::vector<float>{1, 2, 3}},
               {.name = "special", .shape = {1}, .values = Numbers{inf}}});
  const auto archive = open_npz(bytes, "z");
  CHECK(archive->names() == std::vector<std::string>{"a", "b/θ", "special"});
  CHECK(archive->tensor("b/θ").shape == Shape{2, 3});
  CHECK(archive->tensor("b/θ").values == reals);
  CHECK(archive->tensor("a").values == Numbers{1, 2, 3});
  CHECK_THROWS_WITH(archive->tensor("special"), Contains("holds inf at [0]"));
}

TEST_CASE("The same arrays give the same .npz in every time zone, stored and dated 1980") {
  const std::vector<Array> arrays{{.name = "a", .shape = {2, 3}, .values = reals}};
  const std::string bytes = written(arrays);
  CHECK_THAT(bytes, Contains(std::string("\0\0\0\0\x21\0", 6)));  // stored, 00:00, 1980-01-01
  CHECK(ZipArchive(bytes, "z").members().at(0).method == zip_stored);
  for (const char* zone : {"Pacific/Kiritimati", "America/St_Johns", "Europe/London"}) {
    const TimeZone elsewhere(zone);
    CHECK(written(arrays) == bytes);
  }
}

TEST_CASE("Arrays that .npz cannot tell apart are never written") {
  const Array one{.name = "a", .shape = {1}, .values = Numbers{1}};
  CHECK_THROWS_AS(written({one, one}), std::logic_error);
  CHECK_THROWS_AS(written({{.name = "../a", .shape = {1}, .values = Numbers{1}}}),
                  std::logic_error);
  CHECK_THROWS_AS(written({}), std::logic_error);
}

TEST_CASE("Whatever the bytes, a .npz parses or is refused as data") {
  const std::vector<std::string> seeds{golden_npz("saved"), golden_npz("stream"), golden_npz("one"),
                                       golden_npz("comment")};
  for (const std::string& bytes : seeds)
    for (std::size_t length = 0; length < bytes.size(); ++length)
      CHECK_FALSE(parses(std::string_view(bytes).substr(0, length)));
  std::mt19937 random(20240519);
  int parsed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = seeds[random() % seeds.size()];
    for (std::uint32_t flips = 1 + random() % 4; flips > 0; --flips)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    parsed += parses(bytes) ? 1 : 0;
  }
  CHECK(parsed > 0);
  CHECK(parsed < 20000);
}

TEST_CASE("An archive made around its members has the bytes of one that is made in memory") {
  const TempFolder folder;
  const std::vector<std::pair<std::string, std::string>> members{
      {"a", "one"}, {"θ", ""}, {"large", std::string(3000000, 'x') + "end"}, {"last", "four"}};
  std::vector<StoredZipFile::Member> placed;
  for (const auto& [name, bytes] : members) placed.push_back({name, bytes.size()});
  const StoredZipFile zip(placed);
  AtomicFile file(folder.path() / "z", 0);
  for (const std::size_t i : {3U, 0U, 2U, 1U}) file.write(zip.members()[i].at, members[i].second);
  zip.finish(file);
  file.commit();
  const std::string bytes = read_file(folder.path() / "z", 1 << 23);
  CHECK(bytes == stored_zip(members));
  const ZipArchive archive(bytes, "z");
  REQUIRE(archive.members().size() == 4);
  CHECK(archive.members()[1].name == "θ");
  CHECK(archive.read(0, "a") == "one");
  CHECK(archive.read(2, "large") == members[2].second);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()),
                      std::filesystem::directory_iterator()) == 1);
}

TEST_CASE("An archive whose file cannot be written says so") {
  const TempFolder folder;
  const StoredZipFile zip({{"a", 100000}});
  const std::string bytes(100000, 'x');
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  AtomicFile file(folder.path() / "z", 0);
  file.write(zip.members()[0].at, bytes);
  const rlimit small{.rlim_cur = 100000, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  CHECK_THROWS_AS(zip.finish(file), IoError);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
}

TEST_CASE("An archive whose members are not whole says so") {
  const TempFolder folder;
  const StoredZipFile zip({{"a", 100}, {"b", 100}});
  AtomicFile file(folder.path() / "z", 0);
  file.write(zip.members()[0].at, std::string(100, 'x'));
  CHECK_THROWS_AS(zip.finish(file), IoError);
}
