// Mathematics in text for people stands between dollar signs: nothing guesses it.
#include "experiments/text/marked_text.h"

#include <catch2/catch.hpp>
#include <regex>
#include <string>
#include <vector>

#include "experiments/data/load_inputs.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/tex_reader.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/utf8.h"
#include "tests/support/experiment_run.h"
#include "tests/support/sampled.h"

using namespace orrery;

namespace {

/// Names of dimensions, which users type as keys, and XLNet's name of a tensor.
const std::regex identifiers(R"((d_model|d_head|r_s_bias)\b)");

/// A letter with an index or a power, or a script in brackets.
const std::regex scripts(R"(\b[A-Za-z][_^]|[_^][({])");

bool is_greek(char32_t c) { return c >= U'Α' && c <= U'ϡ'; }

/// The first thing in the words that is mathematics; empty without any.
std::string mathematics_in(const std::string& words) {
  std::smatch found;
  const std::string others = std::regex_replace(words, identifiers, "");
  if (std::regex_search(others, found, scripts)) return found.str();
  for (std::size_t at = 0; at < words.size();) {
    const std::string character = words.substr(at, character_length(words, at));
    const char32_t c = next_character(words, at);
    if (is_greek(c) || script_letter(character) || character == "√") return character;
  }
  return {};
}

class Reader {
 public:
  void read(const std::string& where, const std::string& marked) {
    INFO(where << ": " << marked);
    for (const MarkedPart& part : marked_parts(marked)) {
      if (part.is_formula)
        CHECK_NOTHROW(parse_equation(part.text));
      else
        CHECK(mathematics_in(part.text).empty());
      CHECK((part.is_formula || part.text.find('$') == std::string::npos));
    }
  }

  void read(const Axis& axis, const std::string& where) {
    read(where, axis.label);
    read_symbol(where, axis.symbol);
  }

  /// A symbol is a formula, perhaps with words.
  void read_symbol(const std::string& where, const std::string& symbol) {
    read(where, symbol);
    INFO(where << ": " << symbol);
    CHECK((symbol.empty() || symbol.find('$') != std::string::npos));
  }

  void read(const ParamSpec& spec) {
    read_symbol(spec.key, spec.symbol);
    read(spec.key, spec.description);
    for (const Choice& choice : spec.choices) read(spec.key, choice.description);
  }

  void read(const LinePlot& plot, const std::string& where) {
    read(plot.x, where);
    read(plot.y, where);
    for (const Series& series : plot.series) read(where, shown_name(series));
    for (const Rule& rule : plot.rules) read(where, rule.label);
  }
  void read(const Heatmap& map, const std::string& where) {
    read(map.x, where);
    read(map.y, where);
    read(where, map.quantity);
    read_symbol(where, map.symbol);
    for (const MapLine& line : map.lines) read(where, line.label);
    for (const Rule& rule : map.rules) read(where, rule.label);
  }
  void read(const TableFigure& table, const std::string& where) {
    for (const std::string& name : table.header) read(where, name);
  }
  void read(const VectorPlot& plot, const std::string& where) {
    read(plot.x, where);
    read(plot.y, where);
    read(where, plot.quantity);
  }
  void read(const MapEquation& equation, const std::string& where) {
    for (const MapTerm& term : equation.terms) {
      read(where, term.name);
      CHECK(term.symbol.find('$') == std::string::npos);  // TeX without marks
      read(term.map, where);
    }
    read(equation.profiles, where);
  }

  void read(const Result& result) {
    for (const Figure& figure : result.figures) {
      read(figure.id, figure.title);
      read(figure.id, figure.caption);
      std::visit([&](const auto& content) { read(content, figure.id); }, figure.content);
    }
    for (const Check& check : result.checks) {
      read(check.name, check.statement);
      read(check.name, check.equation);
    }
    for (const Scalar& scalar : result.scalars) {
      read(scalar.name, scalar.description);
      read_symbol(scalar.name, scalar.symbol);
    }
    for (const Table& table : result.tables) read(table.name, table.caption);
  }
};

}  // namespace

TEST_CASE("Experiments mark the mathematics in what they say of themselves") {
  Reader reader;
  for (const Experiment* experiment : experiment_catalogue()) {
    const ExperimentInfo& info = experiment->info;
    reader.read(info.name, info.title);
    reader.read(info.name, info.question);
    for (const ParamSpec& spec : info.params) reader.read(spec);
    for (const SymbolMeaning& symbol : info.symbols)
      reader.read(info.name, std::string(symbol.words));
    for (const auto& [figure, title] : info.view.tabs) reader.read(figure, title);
    for (const Question& question : info.questions) {
      reader.read(info.name, question.words);
      reader.read(info.name, question.answer);
    }
  }
}

TEST_CASE("Encodings mark the mathematics in what they say of themselves") {
  Reader reader;
  for (const EncodingSummary& encoding : encoding_list()) {
    reader.read(encoding.name, encoding.title);
    reader.read(encoding.name, encoding.statement);
    for (const ParamSpec& spec : encoding.params) reader.read(spec);
    for (const auto& table : encoding.tables) {
      reader.read(table.name, table.description);
      reader.read(table.name, table.initial);
    }
  }
}

TEST_CASE("Results mark the mathematics in their text") {
  Reader reader;
  std::size_t seen = 0;
  for (const Experiment* experiment : experiment_catalogue()) {
    if (!test::is_tried(++seen)) continue;
    const ParamSet params = test::affordable_params(*experiment);
    SilentProgress progress;
    reader.read(experiment->run(params, load_inputs(params).inputs, progress));
  }
}
