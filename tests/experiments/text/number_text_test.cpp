#include "experiments/text/number_text.h"

#include <catch2/catch.hpp>
#include <limits>

#include "experiments/text/ascii.h"

using namespace orrery;

TEST_CASE("Sizes are given in the binary unit that fits") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(bytes_text(999'999) == "977 KiB");
  CHECK(bytes_text(1 << 20) == "1.0 MiB");
  CHECK(bytes_text(23'456'789) == "22 MiB");
  CHECK(bytes_text(std::uintmax_t{5} << 50) == "5120 TiB");
}

TEST_CASE("Durations are given in the unit that fits") {
  CHECK(duration_text(0.0004) == "under 1 ms");
  CHECK(duration_text(0.34) == "340 ms");
  CHECK(duration_text(3.44) == "3.4 s");
  CHECK(duration_text(11.2) == "12 s");
  CHECK(duration_text(119) == "119 s");
  CHECK(duration_text(720) == "12 min");
  CHECK(duration_text(3900) == "65 min");
  CHECK(duration_text(7500) == "2 h 05 min");
}

TEST_CASE("Short numbers have six digits, compact ones four characters") {
  CHECK(short_number(0.1 + 0.2) == "0.3");
  CHECK(short_number(1234567.0) == "1.23457e+06");
  CHECK(short_number(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(short_number(-std::numeric_limits<double>::infinity()) == "−∞");
  CHECK(compact_number(63.4) == "63");
  CHECK(compact_number(2000) == "2k");
  CHECK(compact_number(999'600) == "1M");
  CHECK(compact_number(12e6) == "12M");
}

TEST_CASE("Numbers of five digits are grouped in threes") {
  CHECK(grouped_number(10000) == "10\u2009000");
  CHECK(grouped_number(-1234567) == "−1\u2009234\u2009567");
  CHECK(grouped_number(4096) == "4096");
  CHECK(grouped_number(-0.5) == "−0.5");
  CHECK(grouped_number(12345.5) == "12345.5");
  CHECK(grouped_number(1.3e11) == "1.3×10¹¹");
  CHECK(grouped_number(-1e-5) == "−1×10⁻⁵");
  CHECK(grouped_number(std::numeric_limits<double>::quiet_NaN()) == "NaN");
}

TEST_CASE("Only A to Z become lower case") { CHECK(lower_ascii("DIM=64 ÄΘ") == "dim=64 ÄΘ"); }
