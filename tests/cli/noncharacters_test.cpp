// Valid UTF-8 that Cairo does not draw: U+FFFE, U+FFFF and the other noncharacters, in texts and in
// names of files.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "tests/cli/shell.h"

using namespace orrery::test;

namespace {

std::string svg_of(const Shell& shell, const std::string& file) {
  std::filesystem::remove_all(shell.folder() / "out");
  const Outcome outcome =
      shell.run("run attention_map encoding=rope 'text=" + file + "' --out out");
  INFO(file << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  for (const char* format : {"png", "pdf"}) {
    std::size_t figures = 0;
    for (const auto& entry : std::filesystem::directory_iterator(shell.folder() / "out/figures"))
      if (entry.path().extension() == std::string(".") + format) ++figures;
    CHECK(figures > 0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(shell.folder() / "out/figures"))
    if (entry.path().extension() == ".svg") return content(entry.path());
  return "";
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

/// Different widths that texts were measured to have.
std::size_t widths(const std::string& svg) {
  const std::string attribute = "textLength=\"";
  std::set<std::string> found;
  for (std::size_t at = svg.find(attribute); at != std::string::npos;
       at = svg.find(attribute, at + 1)) {
    const std::size_t start = at + attribute.size();
    found.insert(svg.substr(start, svg.find('"', start) - start));
  }
  return found.size();
}

}  // namespace

TEST_CASE("A text and a file name with noncharacters are drawn like any other, in every format") {
  const Shell shell;
  // What is drawn in their place, as a text and as a name.
  shell.write("words.txt", "the cat \uFFFD sat on the mat");
  shell.write("cat\uFFFD.txt", "the cat \uFFFD sat on the mat");
  const std::string plain_text = svg_of(shell, "words.txt");
  const std::string plain_name = svg_of(shell, "cat\uFFFD.txt");
  CHECK(widths(plain_text) > 10);
  for (const char* character : {"\uFFFE", "\uFFFF", "\U0001FFFE", "\uFDD0", "\U0010FFFF"}) {
    const std::string name = std::string("cat") + character + ".txt";
    shell.write("words.txt", std::string("the cat ") + character + " sat on the mat");
    shell.write(name, "the cat \uFFFD sat on the mat");
    for (const std::string& file : {std::string("words.txt"), name}) {
      const std::string& plain = file == name ? plain_name : plain_text;
      const std::string svg = svg_of(shell, file);
      CHECK(count(svg, "<text ") == count(plain, "<text "));
      CHECK(widths(svg) == widths(plain));
      CHECK(count(svg, character) == 0);
    }
  }
}
