#include "experiments/text/shell_quote.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "experiments/files/file.h"
#include "tests/support/temp_folder.h"

using namespace orrery;

TEST_CASE("Words are quoted where a shell would change them, and only there") {
  CHECK(shell_quoted("dim=64") == "dim=64");
  CHECK(shell_quoted("encoding=rope+t5") == "encoding=rope+t5");
  CHECK(shell_quoted("text=/a/b.txt") == "text=/a/b.txt");
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("text=a b.txt") == "'text=a b.txt'");
  CHECK(shell_quoted("text=it's.txt") == "'text=it'\\''s.txt'");
  for (const char* word : {"a$b", "a`b", "a\"b", "a\\b", "a;b", "a*b", "a~b", "a#b", "ä"})
    CHECK(shell_quoted(word).front() == '\'');
}

TEST_CASE("A shell reads every quoted word back as it was") {
  const TempFolder temp;
  for (const std::string word : {"it's", "a b", "$HOME", "`date`", "\"x\"", "a\\b", "*", "~", "#",
                                 "!x", "ü 中", "a;b&c|d", "''", "(x)", "{a,b}", "-n=1"}) {
    temp.file("word.sh", "printf %s " + shell_quoted(word) + " > word.txt");
    REQUIRE(std::system(("cd '" + temp.path().string() + "' && sh word.sh").c_str()) == 0);
    CHECK(read_file(temp.path() / "word.txt", 1 << 10) == word);
  }
}

TEST_CASE("A word with controls is one line of printable text, which bash reads back") {
  const TempFolder temp;
  for (const std::string word :
       {"a\nb", "\x1b[2J'\\", "\u202Egnp", "\xff\xfe", "tab\t1", "\x7f", "\r\n#"}) {
    const std::string quoted = shell_quoted(word);
    CHECK(quoted.find_first_not_of(
              "$'\\ !\"#%&()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`"
              "abcdefghijklmnopqrstuvwxyz{|}~") == std::string::npos);
    temp.file("word.sh", "printf %s " + quoted + " > word.txt");
    REQUIRE(std::system(("cd '" + temp.path().string() + "' && bash word.sh").c_str()) == 0);
    CHECK(read_file(temp.path() / "word.txt", 1 << 10) == word);
  }
}

TEST_CASE("A line of words has each word quoted as it needs") {
  CHECK(shell_line({"orrery", "run", "a b", "it's", "", "dim=64,128", "x;rm"}) ==
        R"(orrery run 'a b' 'it'\''s' '' dim=64,128 'x;rm')");
}
