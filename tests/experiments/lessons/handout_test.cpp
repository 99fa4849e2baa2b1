#include "experiments/lessons/handout.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "experiments/figure/canvas/svg_canvas.h"
#include "experiments/lessons/library.h"
#include "experiments/lessons/paragraph.h"
#include "experiments/lessons/parse_lesson.h"
#include "experiments/lessons/scoreboard.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

Document handout_of(const std::string& name) {
  ResultCache results;
  SilentProgress progress;
  const std::filesystem::path file = lessons_named(name).at(0);
  const std::vector<Lesson> course = course_of(file);
  return make_handout(read_lesson(file).lesson, course, results, progress);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("A handout has every step, its command, and the answers behind them") {
  const std::string html = html_of(handout_of("decay"));
  const Lesson lesson = read_lesson(lessons_named("decay").at(0)).lesson;
  const std::size_t answers = html.find("<h2 id=\"answers\">Answers</h2>");
  REQUIRE(answers != std::string::npos);
  for (const LessonStep& step : lesson.steps) CHECK_THAT(html, Contains(step.title));
  CHECK(count_of(html.substr(0, answers), "<pre><code>orrery run") == lesson.steps.size());
  CHECK_THAT(html, Contains("orrery run long_term_decay distance=0"));
  // Nothing gives a prediction away before the answers.
  CHECK(html.find("it rises at 115 of 256 steps") > answers);
  CHECK_THAT(html, Contains("☐ larger"));
  CHECK(html.find("first rise</") != std::string::npos);
}

TEST_CASE("The curve that is to be drawn is not in the figure before the answers") {
  const Document handout = handout_of("decay");
  std::size_t without = 0, with = 0;
  for (const Block& block : handout.blocks) {
    const auto* picture = std::get_if<Picture>(&block);
    if (!picture || picture->figure.id != "decay_bound") continue;
    (picture->view.hidden.count("RoPE") > 0 ? without : with) += 1;
  }
  CHECK(without == 1);
  CHECK(with >= 3);
}

TEST_CASE("A veil over a part of a curve leaves a gap there, and nowhere else") {
  const ParsedLesson parsed = parse_lesson(
      "# T\n```lesson\nmisconception: None.\n```\n## One\nWords.\n```state\nexperiment = "
      "\"long_term_decay\"\nfigure = \"decay_bound\"\n```\n```veil\ndecay_bound RoPE from 20 to "
      "64\n```\n```predict\nask: What?\nchoose: this if rope_rises > 1\nchoose: that if rope_rises "
      "< 1\n```\n```card\nKeep "
      "it.\n```\n",
      "t.md");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.text());
  REQUIRE(parsed.problems.empty());
  ResultCache results;
  SilentProgress progress;
  const Document handout = make_handout(parsed.lesson, {}, results, progress);
  std::vector<Picture> pictures;
  for (const Block& block : handout.blocks)
    if (const auto* picture = std::get_if<Picture>(&block)) pictures.push_back(*picture);
  REQUIRE(pictures.size() == 2);
  CHECK(pictures[0].view.hidden.empty());
  const Series veiled = std::get<LinePlot>(pictures[0].figure.content).series.at(0);
  const Series whole = std::get<LinePlot>(pictures[1].figure.content).series.at(0);
  for (std::size_t i = 0; i < whole.x.size(); ++i) {
    const bool is_hidden = whole.x[i] >= 20 && whole.x[i] <= 64;
    CHECK(std::isnan(veiled.y[i]) == is_hidden);
  }
}

TEST_CASE("The same lesson gives the same page, whose answers begin a page in print") {
  const std::string html = html_of(handout_of("rotation"));
  CHECK(html == html_of(handout_of("rotation")));
  CHECK(html.find("<div class=\"break\"></div>") < html.find("<h2 id=\"answers\">"));
  CHECK_THAT(html, Contains("break-before:page") && Contains("content=\"orrery lesson\""));
}

TEST_CASE("A paragraph breaks between words, and keeps what belongs together") {
  const auto canvas = svg_canvas({600, 400}, {});
  const TextStyle style{.size = 10};
  const std::vector<Span> spans = spans_of("the pair $t$, and one more");
  const ParagraphLayout wide = lay_out_paragraph(spans, *canvas, 500, style);
  const ParagraphLayout narrow = lay_out_paragraph(spans, *canvas, 60, style);
  CHECK(wide.pieces.size() == 7);
  CHECK(narrow.height > 1.9 * wide.height);
  for (const ParagraphLayout::Piece& piece : wide.pieces) CHECK(piece.at.y == wide.pieces[0].at.y);
  // "t" and its comma stay on one line, without a space.
  CHECK(narrow.pieces[2].at.y == narrow.pieces[3].at.y);
  CHECK(narrow.pieces[3].at.x == narrow.pieces[2].at.x + narrow.pieces[2].width);
  for (const ParagraphLayout::Piece& piece : narrow.pieces) CHECK(piece.at.x + piece.width <= 60);
  CHECK(lay_out_paragraph({}, *canvas, 60, style).height == 0);
  // Digits of one number stay together, years and ranges do not.
  CHECK(lay_out_paragraph(spans_of("base 1 000 000 and"), *canvas, 20, style).pieces.size() == 3);
  CHECK(lay_out_paragraph(spans_of("in 1999 2000"), *canvas, 20, style).pieces.size() == 3);
}
