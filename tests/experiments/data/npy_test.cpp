#include "experiments/data/npy.h"

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
using Numbers = std::vector<double>;
using Shape = std::vector<std::size_t>;

namespace {

std::string golden_npy(const std::string& name) {
  return read_file(test::tests_folder() + "/golden/npy/" + name + ".npy", 1 << 20);
}

Tensor parse_golden_npy(const std::string& name) { return parse_npy(golden_npy(name), name); }

/// A file with this header and `data` bytes of zeros.
std::string npy_with(const std::string& dict, std::size_t data, char major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes +=
      {major, '\0', static_cast<char>(dict.size() & 0xFF), static_cast<char>(dict.size() >> 8)};
  if (major > 1) bytes += std::string(2, '\0');
  return bytes + dict + std::string(data, '\0');
}

Tensor parse_dict(const std::string& dict, std::size_t data = 8) {
  return parse_npy(npy_with(dict, data), "a");
}

std::string dict_of(const std::string& descr, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}";
}

/// Whether the bytes parse or are refused; anything else ends the test.
bool parses_npy(std::string_view bytes) {
  try {
    parse_npy(bytes, "fuzz");
    return true;
  } catch (const DataError&) {
    return false;
  }
}

}  // namespace

TEST_CASE("NumPy's floating point arrays are read exactly, of any size and byte order") {
  const Numbers reals{0, 0.5, -1.5, 2, 3.25, -100};
  for (const char* name : {"f2_le", "f4_le", "f8_le", "f2_be", "f4_be", "f8_be", "f8_fortran",
                           "f4_be_fortran", "version2", "version3"}) {
    INFO(name);
    const Tensor tensor = parse_golden_npy(name);
    CHECK(tensor.name == name);
    CHECK(tensor.shape == Shape{2, 3});
    CHECK(tensor.values == reals);
  }
}

TEST_CASE("NumPy's integers and bools become doubles") {
  for (const char* name : {"i1", "i2_le", "i4_le", "i8_le", "i2_be", "i4_be", "i8_be"}) {
    INFO(name);
    CHECK(parse_golden_npy(name).values == Numbers{0, 1, -2, 3, -128, 127});
  }
  for (const char* name : {"u1", "u2_le", "u4_le", "u8_le", "u2_be", "u4_be", "u8_be"}) {
    INFO(name);
    CHECK(parse_golden_npy(name).values == Numbers{0, 1, 2, 3, 4, 255});
  }
  CHECK(parse_golden_npy("bool").values == Numbers{1, 0, 1, 0, 1, 0});
}

TEST_CASE("Half precision covers subnormals, the largest value and a signed zero") {
  const Numbers values = parse_golden_npy("f2_special").values;
  CHECK(values == Numbers{std::ldexp(1, -24), -std::ldexp(1, -24), std::ldexp(1, -14), 65504, 0,
                          1365 / 4096.0});
  CHECK(std::signbit(values[4]));
}

TEST_CASE("Arrays of rank 1 to 4 keep their shape, and Fortran order is transposed") {
  Numbers counted;
  for (int i = 0; i < 24; ++i) counted.push_back(i);
  CHECK(parse_golden_npy("rank1").shape == Shape{5});
  CHECK(parse_golden_npy("rank4").shape == Shape{1, 2, 3, 4});
  CHECK(parse_golden_npy("rank4").values == counted);
  CHECK(parse_golden_npy("rank3_fortran").shape == Shape{2, 3, 4});
  CHECK(parse_golden_npy("rank3_fortran").values == counted);
}

TEST_CASE("Integers are read up to 2^53 and refused by name beyond") {
  CHECK(parse_golden_npy("i8_largest").values == Numbers{9007199254740992, -9007199254740992});
  CHECK_THROWS_WITH(parse_golden_npy("i8_too_large"),
                    "i8_too_large: holds 9007199254740993 at [1, 1]: beyond ±2^53, where doubles "
                    "skip integers; save smaller integers or floating point numbers");
  CHECK_THROWS_WITH(parse_golden_npy("i8_too_small"), Contains("-9223372036854775808 at [0]"));
  CHECK_THROWS_WITH(parse_golden_npy("u8_too_large"), Contains("18446744073709551615 at [0]"));
}

TEST_CASE("What is not finite is refused with the first index in row-major order") {
  CHECK_THROWS_WITH(parse_golden_npy("nan"),
                    Contains("nan: holds NaN at [1, 0]: every value must be "
                             "finite; find where it comes from"));
  CHECK_THROWS_WITH(parse_golden_npy("nan_fortran"), Contains("holds -inf at [0, 2]"));
  CHECK_THROWS_WITH(parse_golden_npy("inf"), Contains("holds -inf at [1]"));
}

TEST_CASE("Types that are not real numbers are refused with what to save instead") {
  CHECK_THROWS_WITH(parse_golden_npy("object"),
                    "object: has dtype '|O': object arrays hold Python objects and are never "
                    "loaded; save with np.save(…, np.asarray(x, dtype=np.float32))");
  CHECK_THROWS_WITH(parse_golden_npy("structured"), Contains("holds a structured array"));
  CHECK_THROWS_WITH(parse_golden_npy("structured"), Contains("save one field"));
  CHECK_THROWS_WITH(parse_golden_npy("unicode"), Contains("'<U2': strings are not numbers"));
  CHECK_THROWS_WITH(parse_golden_npy("bytestring"), Contains("'|S2': strings are not numbers"));
  CHECK_THROWS_WITH(parse_golden_npy("complex"), Contains("save x.real and x.imag as two files"));
  CHECK_THROWS_WITH(parse_golden_npy("void"), Contains("'|V5': raw or structured records"));
  CHECK_THROWS_WITH(parse_golden_npy("datetime"), Contains("'<M8[D]': times are not read"));
  CHECK_THROWS_WITH(parse_golden_npy("longdouble"), Contains("'<f16': only f2 f4 f8"));
  for (const char* descr : {"'<f3'", "'|f8'", "'=f8'", "'f8'", "''", "'<'", "'<b2'", "'<x8'",
                            "'<f8 '", "'<i0'", "'<\x80\xFF'"}) {
    INFO(descr);
    CHECK_THROWS_WITH(parse_dict(dict_of(descr, "(1,)")), Contains("only f2 f4 f8"));
  }
}

TEST_CASE("A bool that is neither 0 nor 1 is refused") {
  std::string bytes = golden_npy("bool");
  bytes.back() = 2;
  CHECK_THROWS_WITH(parse_npy(bytes, "a"),
                    Contains("holds the byte 2 at [1, 2]: a bool is 0 or 1"));
}

TEST_CASE("Empty arrays and ranks other than 1 to 4 are refused") {
  CHECK_THROWS_WITH(parse_golden_npy("empty"), Contains("has shape (3, 0): it holds no elements"));
  CHECK_THROWS_WITH(parse_golden_npy("rank0"), Contains("has shape (): its rank must be 1 to 4"));
  CHECK_THROWS_WITH(parse_golden_npy("rank5"), Contains("its rank must be 1 to 4; reshape it"));
}

TEST_CASE("What is not .npy at all is refused") {
  CHECK_THROWS_WITH(parse_npy("", "a"), Contains("a: is not a .npy file"));
  CHECK_THROWS_WITH(parse_npy("PK\3\4", "a"), Contains("is not a .npy file"));
  CHECK_THROWS_WITH(parse_npy("\x93NUMPX\1", "a"), Contains("is not a .npy file"));
}

TEST_CASE("Unknown versions are refused by number") {
  std::string bytes = golden_npy("f8_le");
  bytes[6] = 4;
  CHECK_THROWS_WITH(parse_npy(bytes, "a"),
                    Contains("is .npy version 4.0, and only 1.0, 2.0 and 3.0"));
  bytes[6] = 0;
  CHECK_THROWS_WITH(parse_npy(bytes, "a"), Contains("version 0.0"));
  bytes[6] = 1;
  bytes[7] = 1;
  CHECK_THROWS_WITH(parse_npy(bytes, "a"), Contains("version 1.1"));
}

TEST_CASE("A file that is cut off or goes on is refused with the numbers of bytes") {
  const std::string bytes = golden_npy("f8_le");
  CHECK_THROWS_WITH(parse_npy(bytes.substr(0, 5), "a"), Contains("is cut off: its header takes 8"));
  CHECK_THROWS_WITH(parse_npy(bytes.substr(0, 9), "a"),
                    Contains("is cut off: its header takes 10"));
  CHECK_THROWS_WITH(parse_npy(bytes.substr(0, 100), "a"),
                    Contains("its header takes 128 bytes and the file has 100"));
  CHECK_THROWS_WITH(parse_npy(bytes.substr(0, bytes.size() - 1), "a"),
                    Contains("is cut off: shape (2, 3) of <f8 takes 48 bytes of data and the file "
                             "has 47; copy or download the file again"));
  CHECK_THROWS_WITH(parse_npy(bytes + '\0', "a"),
                    Contains("has bytes left over: shape (2, 3) of <f8 takes 48 bytes of data and "
                             "the file has 49; save one array a file"));
}

TEST_CASE("A shape is believed only when the bytes are there") {
  for (const char* shape :
       {"(134217729,)", "(18446744073709551615, 2)", "(4294967296, 4294967296)"}) {
    INFO(shape);
    CHECK_THROWS_WITH(parse_dict(dict_of("'<f8'", shape)),
                      Contains("more elements than the limit of 134217728; save a part"));
  }
  CHECK_THROWS_WITH(parse_dict(dict_of("'<f8'", "(134217728,)")), Contains("is cut off"));
  CHECK_THROWS_WITH(parse_dict(dict_of("'<f8'", "(18446744073709551616,)")),
                    Contains("a dimension does not fit 64 bits"));
}

TEST_CASE("The header's keys may come in any order, spacing and quotes") {
  CHECK(parse_dict("{\"shape\":(1,),\"descr\":\"<f8\",\"fortran_order\":True}").shape == Shape{1});
  CHECK(parse_dict("{ 'fortran_order' : False , 'shape' : ( 1 , 1 ) , 'descr' : '<f8' , }  \n")
            .shape == Shape{1, 1});
}

TEST_CASE("A header that is not exactly that dictionary is refused with the offset") {
  const auto refusal = [](const std::string& dict, const std::string& part) {
    INFO(dict);
    CHECK_THROWS_WITH(parse_dict(dict), Contains("has a malformed .npy header (" + part) &&
                                            Contains("); save it again with numpy.save"));
  };
  refusal("", "expected '{', at offset 0");
  refusal("{}", "key 'descr' is missing, at offset 2");
  refusal("{'descr': '<f8', 'shape': (1,)}", "key 'fortran_order' is missing");
  refusal("{'descr': '<f8', 'fortran_order': False}", "key 'shape' is missing");
  refusal("{'descr': '<f8', 'descr': '<f8'}", "key 'descr' occurs twice");
  refusal("{'extra': 1}", "key 'extra' is not one of descr, fortran_order, shape");
  refusal("{'\x1b[2J': 1}", "key '\\x1b[2J' is not one of");
  refusal("{'" + std::string(100, 'k') + "': 1}", "key '" + std::string(40, 'k') + "…' is not");
  refusal("{1: 2}", "expected a quoted string");
  refusal("{'descr", "a string does not end");
  refusal("{'de\\x73cr': '<f8'}", "a string contains a backslash");
  refusal("{'descr' '<f8'}", "expected ':'");
  refusal("{'descr': '<f8' 'shape': (1,)}", "expected '}'");
  refusal("{'descr': None}", "expected a quoted string");
  refusal("{'fortran_order': 0}", "expected True or False");
  refusal("{'shape': [1]}", "expected '('");
  refusal("{'shape': (1)}", "a shape of one dimension is written (n,)");
  refusal("{'shape': (1 2)}", "a shape of one dimension is written (n,)");
  refusal("{'shape': (1, 2 3)}", "expected ',' or ')'");
  refusal("{'shape': (-1,)}", "expected a whole number that is not negative");
  refusal("{'shape': (1.5,)}", "a shape of one dimension");
  refusal("{'shape': (,)}", "expected a whole number");
  refusal("{'shape': (01,)}", "a number begins with 0");
  refusal("{'shape': (1L,)}", "a shape of one dimension");
  refusal(dict_of("'<f8'", "(1,)") + "x", "expected nothing after the dictionary");
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  refusal(dict_of("'<f8'", many + ")"), "the shape has too many dimensions");
}

TEST_CASE("A header longer than NumPy's own limit is refused") {
  CHECK_THROWS_WITH(parse_npy(npy_with(std::string(10001, ' '), 0), "a"),
                    Contains("has a header of 10001 bytes, and at most 10000 are read"));
  std::string huge = npy_with("", 0, 2);
  huge[8] = huge[9] = huge[10] = huge[11] = '\xFF';
  CHECK_THROWS_WITH(parse_npy(huge, "a"), Contains("has a header of 4294967295 bytes"));
}

TEST_CASE("Arrays are written with the very bytes of numpy.save") {
  const Array reals{.shape = {2, 3}, .values = Numbers{0, 0.5, -1.5, 2, 3.25, -100}};
  CHECK(npy_bytes(reals) == golden_npy("f8_le"));
  const Array floats{.shape = {2, 3}, .values = std::vector<float>{0, 0.5, -1.5, 2, 3.25, -100}};
  CHECK(npy_bytes(floats) == golden_npy("f4_le"));
  const Array line{.shape = {5}, .values = Numbers{0, 1, 2, 3, 4}};
  CHECK(npy_bytes(line) == golden_npy("rank1"));
  const Array nothing{.shape = {3, 0}, .values = Numbers{}};
  CHECK(npy_bytes(nothing) == golden_npy("empty"));
  const double inf = std::numeric_limits<double>::infinity();
  const Array special{.shape = {2, 2}, .values = Numbers{0, 1, std::nan(""), inf}};
  CHECK(npy_bytes(special) == golden_npy("nan"));
}

TEST_CASE("A written array is read back as it was") {
  const Array array{.shape = {1, 3}, .values = Numbers{1.0 / 3, -0.0, 5e-324}};
  const Tensor back = parse_npy(npy_bytes(array), "back");
  CHECK(back.shape == array.shape);
  CHECK(back.values == std::get<Numbers>(array.values));
}

TEST_CASE("An array whose shape and values disagree is never written") {
  CHECK_THROWS_AS(npy_bytes(Array{.shape = {2}, .values = Numbers{1}}), std::logic_error);
}

TEST_CASE("Whatever the bytes, a .npy parses_npy or is refused as data") {
  for (const char* name : {"f8_le", "rank3_fortran", "version3", "i2_be", "structured"}) {
    const std::string bytes = golden_npy(name);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      CHECK_FALSE(parses_npy(std::string_view(bytes).substr(0, length)));
  }
  std::mt19937 random(20240517);
  const std::vector<std::string> seeds{golden_npy("f8_le"), golden_npy("version2"),
                                       golden_npy("f2_special"), golden_npy("bool")};
  int parsed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = seeds[random() % seeds.size()];
    for (std::uint32_t flips = 1 + random() % 4; flips > 0; --flips)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    parsed += parses_npy(bytes) ? 1 : 0;
  }
  CHECK(parsed > 0);
  CHECK(parsed < 20000);
}
