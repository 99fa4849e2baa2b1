#include "experiments/text/printable.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

using namespace orrery;

TEST_CASE("A name of any script is shown as it is") {
  CHECK(printable("layer0.θ/層") == "layer0.θ/層");
  CHECK(in_quotes("") == "''");
}

TEST_CASE("What cannot be printed is shown in hexadecimal") {
  CHECK(in_quotes("a\x1b[2J\n") == "'a\\x1b[2J\\x0a'");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\x80\xFF") == "\\x80\\xff");
  CHECK(printable("\u202Ebackwards") == "\\u202ebackwards");
}

TEST_CASE("A long text is cut between its characters") {
  std::string forty;
  for (int i = 0; i < 40; ++i) forty += "𝄞";
  CHECK(printable(forty) == forty);
  CHECK(in_quotes(forty + "θ") == "'" + forty + "…'");
  CHECK(printable(std::string(1 << 20, 'k')) == std::string(40, 'k') + "…");
}

TEST_CASE("What a terminal obeys or hides is escaped, and scripts that need joiners are not") {
  for (const char* obeyed : {"\x7f", "\u0080", "\u009b", "\u2028", "\u2029", "\u202a", "\u202e",
                             "\u2066", "\u2069", "\U000e0001", "\ufffe"}) {
    const std::string shown = without_controls(obeyed);
    INFO(shown);
    CHECK(shown.find(obeyed) == std::string::npos);
    CHECK(shown.front() == '\\');
    CHECK(without_controls(shown) == shown);
  }
  CHECK(without_controls("می\u200cخواهم 👩\u200d🔬") == "می\u200cخواهم 👩\u200d🔬");
}

TEST_CASE("Escaped JSON is the same JSON") {
  const nlohmann::json text{{"key\u202e", "\x7f\u009b\u2028\U000e0001 plain 中"}};
  const std::string shown = without_controls(text.dump());
  CHECK(shown.find("\u202e") == std::string::npos);
  CHECK(nlohmann::json::parse(shown) == text);
}

TEST_CASE("What goes into a comment stays in its line") {
  CHECK(in_one_line("a\nb\r\u2028c") == "a\\x0ab\\x0d\\u2028c");
}

TEST_CASE("A message keeps its lines and letters, and loses its controls") {
  CHECK(without_controls("two\nlines, θ and 中") == "two\nlines, θ and 中");
  CHECK(without_controls("a\x1b[2Jb\r\t") == "a\\x1b[2Jb\\x0d\\x09");
  CHECK(without_controls("\xe2\x80\xae right to left, \xff") == "\\u202e right to left, \\xff");
  CHECK(without_controls(std::string(100, 'x')).size() == 100);
}
