// What a list of values on a command line or in a sweep file stands for.
#include "experiments/sweeps/sweep_spec.h"

#include <catch2/catch.hpp>

#include "core/errors.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

namespace {

Texts numbers(std::string_view text) {
  return value_list({.key = "base", .kind = ParamKind::real, .default_value = 1.0}, text);
}

std::string refusal_of_list(std::string_view text) {
  try {
    numbers(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("Commas separate values, and spaces around them do not count") {
  CHECK(numbers("1e4") == Texts{"1e4"});
  CHECK(numbers("1, 2 ,3") == Texts{"1", "2", "3"});
}

TEST_CASE("range stops before its end, as NumPy's arange and Python's range do") {
  CHECK(numbers("range(4)") == Texts{"0", "1", "2", "3"});
  CHECK(numbers("range(0, 24, 8)") == Texts{"0", "8", "16"});
  CHECK(numbers("range(0,25,8)") == Texts{"0", "8", "16", "24"});
  CHECK(numbers("range(3,0,-1)") == Texts{"3", "2", "1"});
  CHECK(numbers("range(9999999,10000002)") == Texts{"9999999", "1e+07", "1.0000001e+07"});
  // 0.1·3 is 0.30000000000000004 in binary, and (1 − 0)/0.1 rounds to 10.
  CHECK(numbers("range(0,1,0.1)") ==
        Texts{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"});
}

TEST_CASE("pow2 includes both exponents") {
  CHECK(numbers("pow2(7..10)") == Texts{"128", "256", "512", "1024"});
  CHECK(numbers("pow2(-1..1)") == Texts{"0.5", "1", "2"});
}

TEST_CASE("linspace, logspace and geomspace include both ends, as NumPy's do") {
  CHECK(numbers("linspace(0,1,5)") == Texts{"0", "0.25", "0.5", "0.75", "1"});
  CHECK(numbers("linspace(3,9,1)") == Texts{"3"});
  CHECK(numbers("logspace(2,4,3)") == Texts{"100", "1000", "10000"});
  CHECK(numbers("geomspace(100,10000,3)") == Texts{"100", "1000", "10000"});
  CHECK(numbers("geomspace(2,16,4)") == Texts{"2", "4", "8", "16"});
}

TEST_CASE("Lists and calls mix") {
  CHECK(numbers("1,range(2,4),pow2(3..4)") == Texts{"1", "2", "3", "8", "16"});
}

TEST_CASE("What is no list is refused with the value and the grammar") {
  CHECK_THAT(refusal_of_list("range(0,5,0)"), Contains("base=range(0,5,0): has a step of 0"));
  CHECK_THAT(refusal_of_list("range(5,0)"), Contains("is empty"));
  CHECK_THAT(refusal_of_list("range(0,x)"), Contains("'x' in place of a number"));
  CHECK_THAT(refusal_of_list("range(1,2"), Contains("no closing parenthesis"));
  CHECK_THAT(refusal_of_list("range()"), Contains("'' in place of a number"));
  CHECK_THAT(refusal_of_list("range(0,1e9)"), Contains("more than a million"));
  CHECK_THAT(refusal_of_list("pow2(7)"), Contains("no '..'"));
  CHECK_THAT(refusal_of_list("pow2(0..0.5)"), Contains("not whole numbers"));
  CHECK_THAT(refusal_of_list("linspace(0,1)"), Contains("takes three numbers"));
  CHECK_THAT(refusal_of_list("linspace(0,1,2.5)"), Contains("whole number"));
  CHECK_THAT(refusal_of_list("geomspace(0,1,3)"), Contains("above 0"));
  CHECK_THAT(refusal_of_list("logspace(0,400,2)"), Contains("exceeds the range"));
  CHECK_THAT(refusal_of_list("steps(0,1)"), Contains("write a,b,c, range(start, stop, step)"));
  CHECK_THAT(refusal_of_list("range(nan,1)"), Contains("'nan' in place of a number"));
}

TEST_CASE("A file's name is never split, and names are no calls") {
  CHECK(value_list({.key = "text", .kind = ParamKind::file, .default_value = std::string()},
                   "a,b(1).txt") == Texts{"a,b(1).txt"});
  CHECK(value_list({.key = "e", .kind = ParamKind::choice, .default_value = std::string("rope")},
                   "rope,alibi") == Texts{"rope", "alibi"});
}
