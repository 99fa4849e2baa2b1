#include "experiments/text/nesting.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "experiments/text/parse_toml.h"

using namespace orrery;

namespace {

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

/// A key of `levels` tables and a value in the last of them.
std::string dotted(std::size_t levels) { return repeated("a.", levels) + "b"; }

bool is_deep_toml(const std::string& text) { return first_deep_place_in_toml(text).has_value(); }

bool is_deep_json(const std::string& text) { return first_deep_place_in_json(text).has_value(); }

/// Levels of what toml++ made of a text.
std::size_t levels_of(const toml::node& node) {
  std::size_t below = 0;
  if (const toml::table* table = node.as_table())
    for (const auto& entry : *table) below = std::max(below, levels_of(entry.second));
  else if (const toml::array* array = node.as_array())
    for (const toml::node& item : *array) below = std::max(below, levels_of(item));
  else
    return 0;
  return below + 1;
}

}  // namespace

TEST_CASE("TOML has 64 levels at most, whatever they are written with") {
  constexpr std::size_t most = most_levels;
  const auto around = [](const std::string& open, const std::string& close) {
    return [=](std::size_t n) { return "x = " + repeated(open, n) + "1" + repeated(close, n); };
  };
  CHECK_FALSE(is_deep_toml(dotted(most) + " = 1"));
  CHECK(is_deep_toml(dotted(most + 1) + " = 1"));
  CHECK_FALSE(is_deep_toml("[" + dotted(most - 1) + "]"));
  CHECK(is_deep_toml("[" + dotted(most) + "]"));
  CHECK_FALSE(is_deep_toml("[[" + dotted(most - 2) + "]]"));
  CHECK(is_deep_toml("[[" + dotted(most - 1) + "]]"));
  CHECK_FALSE(is_deep_toml(around("[", "]")(most)));
  CHECK(is_deep_toml(around("[", "]")(most + 1)));
  CHECK(is_deep_toml(around("{a = ", "}")(most + 1)));
  CHECK(is_deep_toml(around("[\n# a comment ]\n", "]")(most + 1)));
  // Together, as what is parsed lies within each other.
  CHECK(is_deep_toml("[" + dotted(20) + "]\n" + dotted(20) + " = {" + dotted(25) + " = 1}"));
  CHECK(is_deep_toml("x = [1, {" + dotted(most) + " = 2}]"));
}

TEST_CASE(
    "Only levels count: dots and brackets in strings, comments, numbers and closed lists do not") {
  const std::string many = repeated("[.{.", 100);
  CHECK_FALSE(is_deep_toml("x = \"" + many + "\\\"" + many + "\""));
  CHECK_FALSE(is_deep_toml("x = '" + many + "\\'"));
  CHECK_FALSE(is_deep_toml("x = \"\"\"\n" + many + "\\\"\"\"" + many + "\n\"\"\"\"\"\n"));
  CHECK_FALSE(is_deep_toml("x = '''\n" + many + "'" + many + "'''"));
  CHECK_FALSE(is_deep_toml("x = 1 # " + many));
  CHECK_FALSE(is_deep_toml("x = [" + repeated("0.5, ", 100) + "]"));
  CHECK_FALSE(is_deep_toml("x = {" + repeated("a.b = 0.5, ", 100) + "}"));
  CHECK_FALSE(is_deep_toml(repeated("[a.b]\nc.d = [[0.5]]\n", 100)));
  CHECK_FALSE(is_deep_toml("\"" + many + "\".b = 1"));
  // What follows a string that ends in quotes of its own is seen again.
  CHECK(is_deep_toml("x = [\"\"\"a\"\"\"\", {" + dotted(65) + " = 1}]"));
}

TEST_CASE("The levels are those that toml++ makes of them") {
  for (const std::string text :
       {"a = 1", "a.b.c = 1", "[a.b]\nc = 1", "[[a.b]]\nc.d = [1, [2, {e.f = 3}]]",
        "x = [{a = {}}]", "x = '''a''''\ny = [[[]]]", "\"a.b\".'c.d' = {}", "x = [[0.5], [[]]]"}) {
    INFO(text);
    const std::size_t levels = levels_of(toml::parse(text)) - 1;
    const std::string heading = "[" + dotted(most_levels - levels) + "]\n";
    if (text[0] == '[') continue;  // headings begin at the top
    CHECK(is_deep_toml(heading + text));
    CHECK_FALSE(is_deep_toml("[" + dotted(most_levels - levels - 1) + "]\n" + text));
  }
}

TEST_CASE("JSON has 64 levels at most") {
  const std::string many = repeated("[{", 100);
  CHECK_FALSE(is_deep_json(repeated("[", 64) + repeated("]", 64)));
  CHECK(is_deep_json(repeated("[", 65)));
  CHECK(is_deep_json(repeated("{\"a\":", 65)));
  CHECK_FALSE(is_deep_json("{\"" + many + "\\\"" + many + "\": \"" + many + "\\\\\"}"));
  CHECK_FALSE(is_deep_json(repeated("[{}]", 100)));
}

TEST_CASE("TOML that is too deep or too long says where, before a parser recurses into it") {
  try {
    parse_toml("x = 1\n" + dotted(50'000) + " = 1\n", "a.toml");
    FAIL("nothing was thrown");
  } catch (const TomlFault& fault) {
    CHECK_THAT(fault.what(), Catch::Matchers::StartsWith(
                                 "a.toml, line 2, column 130: is nested deeper than 64 levels"));
    CHECK(fault.line() == 2);
  }
  CHECK_THROWS_AS(parse_toml(std::string(most_toml_bytes + 1, ' '), "a.toml"), TomlFault);
  CHECK(parse_toml("a.b = [1, 2]", "a.toml").size() == 1);
}

TEST_CASE("An object's own key is found behind values, deeper keys and strings of its name") {
  const auto place = [](std::string_view text) { return own_key_in_json(text, "b"); };
  CHECK(place(R"({"b":1})") == 1);
  CHECK(place(R"({"a":"b","b" : 1})") == 9);
  CHECK(place(R"({"a":{"b":1},"c":[{"b":2}],"b":3})") == 27);
  CHECK(place(R"({"a":"\"b\":","b":3})") == 14);
  for (const char* without : {"", "b", "{}", R"(["b"])", R"({"a":{"b":1}})", R"({"a":"b"})",
                              R"({"b")", R"({"b)", R"("b":1)"})
    CHECK(place(without) == std::string_view::npos);
}
