#include "experiments/data/safetensors.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "tests/support/paths.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Numbers = std::vector<double>;
using Shape = std::vector<std::size_t>;

namespace {

std::string golden_safetensors(const std::string& name) {
  return read_file(test::tests_folder() + "/golden/safetensors/" + name + ".safetensors", 1 << 20);
}

TensorMap parse_golden_safetensors(const std::string& name) {
  return parse_safetensors(golden_safetensors(name), name);
}

std::string file_with(const std::string& header, std::size_t data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> 8 * i & 0xFF);
  return bytes + header + std::string(data, '\0');
}

TensorMap parse_header(const std::string& header, std::size_t data = 8) {
  return parse_safetensors(file_with(header, data), "s");
}

/// "dtype", "shape" and "data_offsets" of a tensor of F32.
std::string entry(const std::string& shape, const std::string& offsets) {
  return R"({"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

/// Whether the bytes parse or are refused; anything else ends the test.
bool parses_safetensors(std::string_view bytes) {
  try {
    parse_safetensors(bytes, "fuzz");
    return true;
  } catch (const DataError&) {
    return false;
  }
}

std::string written_safetensors(const std::vector<Array>& arrays) {
  std::vector<const Array*> pointers;
  for (const Array& array : arrays) pointers.push_back(&array);
  return safetensors_bytes(pointers);
}

}  // namespace

TEST_CASE("Every dtype that safetensors shares with NumPy becomes doubles") {
  const TensorMap tensors = parse_golden_safetensors("dtypes");
  CHECK(tensors.size() == 13);
  for (const char* name : {"f8", "f4", "f2", "bf16"}) {
    INFO(name);
    CHECK(tensors.at(name).name == name);
    CHECK(tensors.at(name).shape == Shape{2, 3});
    CHECK(tensors.at(name).values == Numbers{0, 0.5, -1.5, 2, 3.25, -100});
  }
  for (const char* name : {"i8", "i4", "i2", "i1"})
    CHECK(tensors.at(name).values == Numbers{0, 1, -2, 3, -128, 127});
  for (const char* name : {"u8", "u4", "u2", "u1"})
    CHECK(tensors.at(name).values == Numbers{0, 1, 2, 3, 4, 255});
  CHECK(tensors.at("bool").values == Numbers{1, 0, 1, 0, 1, 0});
}

TEST_CASE("Both halves cover subnormals, the largest value and a signed zero") {
  const TensorMap tensors = parse_golden_safetensors("halves");
  const Numbers& f16 = tensors.at("f16").values;
  CHECK(f16 == Numbers{std::ldexp(1, -24), -std::ldexp(1, -24), std::ldexp(1, -14), 65504, 0,
                       1365 / 4096.0});
  CHECK(std::signbit(f16[4]));
  const Numbers& bf16 = tensors.at("bf16").values;
  CHECK(bf16 == Numbers{std::ldexp(1, -133), -std::ldexp(127, -133), std::ldexp(1, -126),
                        std::ldexp(255, 120), 0, 171 / 512.0});
  CHECK(std::signbit(bf16[4]));
}

TEST_CASE("Shapes, metadata and names of any script are read") {
  CHECK(parse_golden_safetensors("rank4").at("only").shape == Shape{1, 2, 3, 4});
  const TensorMap tensors = parse_golden_safetensors("unicode");
  CHECK(tensors.at("layer0.θ").values == Numbers{0, 1});
  CHECK(tensors.at("層/q").values == Numbers{0, 1, 2});
  CHECK(tensors.at("a\"\\\n").values == Numbers{1});
}

TEST_CASE("Data may lie in any order, and the header may end in spaces") {
  const TensorMap tensors =
      parse_header("{\"b\":" + entry("[1]", "[4,8]") + ",\"a\":" + entry("[1]", "[0,4]") + "}   ");
  CHECK(tensors.size() == 2);
}

TEST_CASE("Tensors are refused by name for what they hold") {
  CHECK_THROWS_WITH(parse_golden_safetensors("nan"),
                    Equals("nan#w: holds NaN at [1, 0]: every value must be "
                           "finite; find where it comes from, or replace it "
                           "with numpy.nan_to_num"));
  CHECK_THROWS_WITH(parse_golden_safetensors("f16_inf"), Contains("f16_inf#w: holds -inf at [1]"));
  CHECK_THROWS_WITH(parse_golden_safetensors("bf16_inf"), Contains("bf16_inf#w: holds inf at [1]"));
  CHECK_THROWS_WITH(parse_golden_safetensors("bf16_nan"), Contains("bf16_nan#w: holds NaN at [0]"));
  CHECK_THROWS_WITH(parse_golden_safetensors("i8_too_large"),
                    Contains("i8_too_large#w: holds 9007199254740993 at [1, 1]: beyond ±2^53"));
  CHECK_THROWS_WITH(parse_golden_safetensors("u8_too_large"),
                    Contains("18446744073709551615 at [0]"));
  CHECK_THROWS_WITH(parse_golden_safetensors("empty"),
                    Contains("empty#w: has shape (3, 0): it holds no elements"));
  CHECK_THROWS_WITH(parse_golden_safetensors("rank0"),
                    Contains("#w: has shape (): its rank must be 1 to 4"));
  CHECK_THROWS_WITH(parse_golden_safetensors("rank5"),
                    Contains("#w: has shape (1, 1, 1, 1, 2): its rank must"));
  std::string bools = file_with(R"({"m":{"dtype":"BOOL","shape":[8],"data_offsets":[0,8]}})", 8);
  bools.back() = 2;
  CHECK_THROWS_WITH(parse_safetensors(bools, "s"),
                    Contains("s#m: holds the byte 2 at [7]: a bool is 0 or 1"));
}

TEST_CASE("One tensor is read whatever the others hold") {
  const std::string bytes = golden_safetensors("nan");
  const auto archive = open_safetensors(bytes, "nan");
  CHECK(archive->names() == std::vector<std::string>{"w", "x"});
  CHECK(archive->tensor("x").values == Numbers{1});
}

TEST_CASE("Dtypes that are not read are refused with the tensor's name") {
  CHECK_THROWS_WITH(
      parse_golden_safetensors("float8"),
      Equals("float8: has tensor 'w' of dtype 'F8_E4M3': only F64 F32 F16 BF16, I64 I32 I16 I8, "
             "U64 U32 U16 U8 and BOOL are read; save it as F32"));
  CHECK_THROWS_WITH(parse_golden_safetensors("complex"), Contains("tensor 'w' of dtype 'C64'"));
  for (const char* dtype : {"", "f32", "F32 ", "F8_E5M2", "F4"})
    CHECK_THROWS_WITH(parse_header(R"({"w":{"dtype":")" + std::string(dtype) +
                                   R"(","shape":[2],"data_offsets":[0,8]}})"),
                      Contains("of dtype '" + std::string(dtype) + "': only F64"));
}

TEST_CASE("A .safetensors file without tensors is refused") {
  CHECK_THROWS_WITH(parse_golden_safetensors("none"),
                    Equals("none: holds no tensors; save at least one"));
  CHECK_THROWS_WITH(parse_header(R"({"__metadata__":{"a":"b"}})", 0), Contains("holds no tensors"));
}

TEST_CASE("What is not safetensors at all is refused") {
  CHECK_THROWS_WITH(parse_safetensors("", "s"),
                    Equals("s: is not a safetensors file (it has 0 bytes); save it with "
                           "safetensors.numpy.save_file"));
  CHECK_THROWS_WITH(parse_safetensors(std::string(8, '\0'), "s"), Contains("(it has 8 bytes)"));
  CHECK_THROWS_WITH(parse_safetensors("PK\3\4 and so on", "s"),
                    Contains("is not a safetensors file (its header does not begin with '{')"));
  CHECK_THROWS_WITH(parse_header(" {}"), Contains("does not begin with '{'"));
  CHECK_THROWS_WITH(parse_header("\xEF\xBB\xBF{}"), Contains("does not begin with '{'"));
}

TEST_CASE("The length of a safetensors header is bounded by the file and by 100 MB") {
  std::string bytes = file_with("{}", 0);
  bytes[0] = 3;
  CHECK_THROWS_WITH(parse_safetensors(bytes, "s"),
                    Equals("s: is cut off: its header takes 11 bytes and the file has 10; copy or "
                           "download the file again"));
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = '\xFF';
  CHECK_THROWS_WITH(
      parse_safetensors(bytes, "s"),
      Contains("has a header of 18446744073709551615 bytes, and at most 100000000 are read"));
  bytes[0] = 0;
  for (std::size_t i = 1; i < 8; ++i) bytes[i] = 0;
  CHECK_THROWS_WITH(parse_safetensors(bytes, "s"), Contains("not JSON at byte"));
}

TEST_CASE("A header that is not the JSON of safetensors is refused") {
  const auto refusal = [](const std::string& header, const std::string& part) {
    INFO(header);
    CHECK_THROWS_WITH(parse_header(header),
                      Contains("s: has a malformed safetensors header (" + part) &&
                          Contains("); save it again with safetensors"));
  };
  const std::string good = entry("[2]", "[0,8]");
  refusal("{", "not JSON at byte 2");
  refusal("{\"w\":" + good + ",}", "not JSON");
  refusal("{\"w\":" + good + "}x", "not JSON");
  refusal("{\"w\":" + good + "}/**/", "not JSON");
  refusal("{\"w\":" + good + "}" + std::string(1, '\0') + "{}", "not JSON at byte 55");
  refusal("{\"\xFF\":" + good + "}", "not JSON");
  refusal(R"({"\ud800":1})", "not JSON");
  refusal("{\"w\":" + good + ",\"w\":" + good + "}", "key 'w' occurs twice");
  refusal("{\"w\":" + good + ",\"\\u0077\":" + good + "}", "key 'w' occurs twice");
  refusal(R"({"__metadata__":{},"__metadata__":{}})", "key '__metadata__' occurs twice");
  refusal(R"({"__metadata__":{"a":"","a":""}})", "'__metadata__': key 'a' occurs twice");
  refusal(R"({"__metadata__":{"a":1}})", "'__metadata__': expected a string and found a number");
  refusal(R"({"__metadata__":{"a":{}}})", "'__metadata__': expected a string and found an object");
  refusal(R"({"__metadata__":"a"})", "'__metadata__': expected an object and found a string");
  refusal(R"({"w":1})", "'w': expected an object and found a number");
  refusal(R"({"w":null})", "'w': expected an object and found null");
  refusal(R"({"w":[]})", "'w': expected an object and found a list");
  refusal(R"({"w":{}})", "'w': key 'dtype' is missing");
  refusal(R"({"w":{"dtype":"F32"}})", "'w': key 'shape' is missing");
  refusal(R"({"w":{"dtype":"F32","shape":[]}})", "'w': key 'data_offsets' is missing");
  refusal(R"({"w":{"dtype":"F32","dtype":"F32"}})", "'w': key 'dtype' occurs twice");
  refusal(R"({"w":{"shape":[],"shape":[]}})", "'w': key 'shape' occurs twice");
  refusal(R"({"w":{"data_offsets":[0,1],"data_offsets":[]}})", "'w': key 'data_offsets' occurs");
  refusal(R"({"w":{"Dtype":"F32"}})", "'w': key 'Dtype' is not one of dtype, shape, data_offsets");
  refusal(R"({"w":{"dtype":1}})", "'w': expected a string for 'dtype' and found a number");
  refusal(R"({"w":{"dtype":["F32"]}})", "'w': expected a string for 'dtype' and found a list");
  refusal(R"({"w":{"dtype":{}}})", "'w': expected a string for 'dtype' and found an object");
  refusal(R"({"w":{"shape":"2"}})", "'w': expected a list of numbers for 'shape' and found a str");
  refusal(R"({"w":{"shape":2}})", "'w': expected a list of numbers for 'shape' and found a numb");
  refusal(R"({"w":{"shape":[true]}})", "'w': expected whole numbers in 'shape' and found a bool");
  refusal(R"({"w":{"shape":["2"]}})", "'w': expected whole numbers in 'shape' and found a string");
  refusal(R"({"w":{"shape":[[2]]}})", "'w': expected whole numbers in 'shape' and found a list");
  refusal(R"({"w":{"shape":[-1]}})",
          "'w': expected whole numbers in 'shape' and found a negative number");
  for (const char* number : {"1.0", "1e2", "18446744073709551616"})
    refusal(R"({"w":{"shape":[)" + std::string(number) + "]}}",
            "'w': expected whole numbers in 'shape' and found a number with a fraction, an "
            "exponent or more than 64 bits");
  refusal("{\"w\":" + entry("[2]", "[0]") + "}", "'w': 'data_offsets' is not a pair");
  refusal("{\"w\":" + entry("[2]", "[0,4,8]") + "}", "'w': 'data_offsets' is not a pair");
  std::string many = "[1";
  for (int i = 0; i < 64; ++i) many += ",1";
  refusal("{\"w\":" + entry(many + "]", "[0,4]") + "}", "'w': 'shape' is too long");
  std::string deep = "{\"w\":";
  for (int i = 0; i < 100000; ++i) deep += "{\"w\":";
  refusal(deep, "'w': ");
}

TEST_CASE("A shape and its data_offsets must agree") {
  const auto refusal = [](const std::string& shape, const std::string& offsets,
                          const std::string& part) {
    CHECK_THROWS_WITH(parse_header("{\"w\":" + entry(shape, offsets) + "}"),
                      Contains("s: has tensor 'w': " + part) && Contains("; save it again"));
  };
  refusal("[2]", "[8,0]", "data_offsets [8, 0] run backwards");
  refusal("[2]", "[0,7]", "shape (2) of F32 takes 8 bytes and data_offsets [0, 7] hold 7");
  refusal("[]", "[0,8]", "shape () of F32 takes 4 bytes and data_offsets [0, 8] hold 8");
  refusal("[0]", "[0,8]", "shape (0) of F32 takes 0 bytes and data_offsets [0, 8] hold 8");
  refusal("[4294967296,4294967296]", "[0,8]",
          "shape (4294967296, 4294967296) of F32 takes more than 2^64 bytes");
  refusal("[18446744073709551615]", "[0,8]", "shape (18446744073709551615) of F32 takes more");
}

TEST_CASE("Every byte of the data belongs to one tensor") {
  const auto refusal = [](const std::string& first, const std::string& second, std::size_t data,
                          const std::string& part) {
    CHECK_THROWS_WITH(
        parse_header("{\"a\":" + entry("[2]", first) + ",\"b\":" + entry("[2]", second) + "}",
                     data),
        Contains(part));
  };
  refusal("[0,8]", "[4,12]", 12,
          "s: has tensor 'b' overlap another: it begins at byte 4 of the data, before byte 8 where "
          "that one ends; save it again");
  refusal("[0,8]", "[0,8]", 8, "has tensor 'b' overlap another");
  refusal("[0,8]", "[12,20]", 20,
          "s: has a hole: bytes 8 to 12 of the data, before tensor 'b', belong to none");
  refusal("[4,12]", "[12,20]", 20, "has a hole: bytes 0 to 4 of the data, before tensor 'a'");
  refusal("[0,8]", "[8,16]", 17,
          "s: has bytes left over: its tensors take 16 bytes of data and the file has 17");
  refusal("[0,8]", "[8,16]", 15,
          "s: is cut off: its tensors take 16 bytes of data and the file has 15; copy or download");
  refusal("[0,8]", "[18446744073709551607,18446744073709551615]", 8, "has a hole");
}

TEST_CASE("All tensors of a file together are bounded, and one of them is read still") {
  const std::string bytes = golden_safetensors("unicode");
  const auto archive = open_safetensors(bytes, "s");
  CHECK(all_tensors(*archive, "s", 6).size() == 3);
  CHECK_THROWS_WITH(
      all_tensors(*archive, "s", 5),
      Equals("s: has more elements than the limit of 5 per run; name one tensor, as in "
             "FILE#NAME"));
  CHECK(archive->tensor("層/q").values.size() == 3);
}

TEST_CASE("Arrays are written with the very bytes of the safetensors package") {
  const Numbers reals{0, 0.5, -1.5, 2, 3.25, -100};
  const std::vector<Array> arrays{
      {.name = "a", .shape = {2, 3}, .values = std::vector<float>(reals.begin(), reals.end())},
      {.name = "θ", .shape = {3}, .values = Numbers{0, 1, 2}},
      {.name = "b", .shape = {2, 3}, .values = reals},
      {.name = "z", .shape = {3, 0}, .values = Numbers{}}};
  CHECK(written_safetensors(arrays) == golden_safetensors("written"));
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(written_safetensors(
            {{.name = "w", .shape = {2, 2}, .values = Numbers{0, 1, std::nan(""), inf}},
             {.name = "x", .shape = {1}, .values = Numbers{1}}}) == golden_safetensors("nan"));
  CHECK(written_safetensors({}) == golden_safetensors("none"));
}

TEST_CASE("Arrays written as safetensors are read back as they were") {
  const Numbers numbers{1.0 / 3, -0.0, 5e-324};
  const TensorMap back = parse_safetensors(
      written_safetensors({{.name = "quote \" and θ", .shape = {1, 3}, .values = numbers}}),
      "back");
  CHECK(back.at("quote \" and θ").shape == Shape{1, 3});
  CHECK(back.at("quote \" and θ").values == numbers);
}

TEST_CASE("Arrays that safetensors cannot tell apart are never written") {
  const Array one{.name = "a", .shape = {1}, .values = Numbers{1}};
  CHECK_THROWS_AS(written_safetensors({one, one}), std::logic_error);
  CHECK_THROWS_AS(
      written_safetensors({{.name = "__metadata__", .shape = {1}, .values = Numbers{1}}}),
      std::logic_error);
  CHECK_THROWS_AS(written_safetensors({{.name = "a", .shape = {2}, .values = Numbers{1}}}),
                  std::logic_error);
}

TEST_CASE("Whatever the bytes, a .safetensors parses or is refused as data") {
  const std::vector<std::string> seeds{golden_safetensors("dtypes"), golden_safetensors("halves"),
                                       golden_safetensors("unicode"), golden_safetensors("rank4")};
  for (const std::string& bytes : seeds)
    for (std::size_t length = 0; length < bytes.size(); ++length)
      CHECK_FALSE(parses_safetensors(std::string_view(bytes).substr(0, length)));
  std::mt19937 random(20240518);
  int parsed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = seeds[random() % seeds.size()];
    for (std::uint32_t flips = 1 + random() % 4; flips > 0; --flips)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    parsed += parses_safetensors(bytes) ? 1 : 0;
  }
  CHECK(parsed > 0);
  CHECK(parsed < 20000);
}
