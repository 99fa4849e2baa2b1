// What the catalogue says of its encodings, and what it refuses: written out, so that a range, a
// default or a sentence that changes is seen.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/encodings/axis_layout.h"
#include "core/encodings/catalogue.h"
#include "tests/support/approved.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/refusals.h"

using namespace orrery;
using test::refusal;
using test::Refusals;

namespace {

std::string range_of(const ParamSpec& spec) {
  std::string text;
  if (spec.kind == ParamKind::integer || spec.kind == ParamKind::real ||
      spec.kind == ParamKind::number_list)
    text = fmt::format(" [{}, {}]", spec.min, spec.max);
  if (spec.multiple_of != 1) text += fmt::format(" multiple of {}", spec.multiple_of);
  if (spec.logarithmic) text += " logarithmic";
  for (const Choice& choice : spec.choices)
    text += "\n    |" + choice.name + ": " + choice.description;
  if (spec.may_be_empty) text += " may be empty";
  return text;
}

std::string facts_of(const ParamSpec& spec) {
  std::string text = fmt::format("  {} ({}) = {}{}", spec.key, static_cast<int>(spec.kind),
                                 to_text(spec.default_value), range_of(spec));
  if (!spec.symbol.empty()) text += "; symbol " + spec.symbol;
  if (!spec.unit.empty()) text += "; unit " + spec.unit;
  if (spec.used_when)
    text += fmt::format("; when {} is {}", spec.used_when->key,
                        fmt::join(spec.used_when->any_of, " or "));
  if (!spec.group.empty()) text += "; group " + spec.group;
  if (spec.stated_if_set) text += "; stated if set";
  for (const Retired& old : spec.retired_keys) text += "; was " + old.name;
  for (const Retired& old : spec.retired_values) text += "; had " + old.name;
  if (spec.idle) text += "; idle at times";
  if (spec.role != ParamRole::none) text += fmt::format("; role {}", static_cast<int>(spec.role));
  return text + "\n";
}

std::string facts_of(const EncodingInfo& info) {
  std::string text = fmt::format("{}: {}; decay {}{}; length {}\n", info.name, info.label,
                                 info.decay.param, info.decay.is_slope ? " is a slope" : "",
                                 info.length_param.empty() ? "-" : info.length_param);
  text += "  rounds at";
  for (const Stage stage : info.stages) text += fmt::format(" {}", name(stage));
  text += "\n";
  text += fmt::format("  costs {}{} and {}{}\n", info.cost.mean_logit,
                      info.cost.joins_channels ? " a pair" : "", info.cost.content,
                      info.same_heads ? "; heads alike" : "");
  for (const TermSymbol& term : info.term_symbols)
    text += fmt::format("  term {} {}\n", term.term, term.symbol);
  for (const TableSpec& table : info.tables) {
    const bool bounded = table.least > TableSpec{}.least || table.most < TableSpec{}.most;
    text += fmt::format("  table {} {}{}{}{}: {}\n", table.name, table.shape,
                        table.drawn ? " drawn" : "", table.biases ? " biases" : "",
                        bounded ? fmt::format(" from {} to {}", table.least, table.most) : "",
                        table.initial);
  }
  for (const ParamSpec& spec : info.params) text += facts_of(spec);
  return text;
}

std::string properties_of(const test::CatalogueCase& c) {
  const auto encoding = test::make_case<double>(c, 16), fp32 = test::make_case<float>(c, 16);
  const EncodingTraits traits = encoding->traits(), in_fp32 = fp32->traits();
  CHECK(traits.relative == in_fp32.relative);
  CHECK(traits.relative_weights == in_fp32.relative_weights);
  CHECK(traits.reads_segments == in_fp32.reads_segments);
  return fmt::format(
      "  {}:{}{}{} last position {}, in fp32 {}\n", c.title(), traits.relative ? " relative" : "",
      traits.relative_weights ? " relative weights" : "", traits.reads_segments ? " segments" : "",
      traits.last_position, in_fp32.last_position);
}

/// The settings of a parameter that its own range allows, at the ends of it.
std::vector<std::string> ends_of(const ParamSpec& spec) {
  std::vector<std::string> values;
  const bool whole = spec.kind == ParamKind::integer;
  if (!whole && spec.kind != ParamKind::real) return values;
  for (const double end : {spec.min, spec.max})
    if (std::isfinite(end)) {
      values.push_back(number_text(end));
      const double inside = end == spec.min ? end + 1 : end - 1;
      if (whole) values.push_back(number_text(inside));
    }
  return values;
}

/// Refusals of one encoding for heads of several shapes.
void note_shapes(Refusals& refusals, const test::CatalogueCase& c) {
  for (const auto& [d_model, d, heads] :
       {std::tuple{Index{16}, Index{16}, 1}, std::tuple{Index{1}, Index{1}, 1},
        std::tuple{Index{2}, Index{2}, 1}, std::tuple{Index{14}, Index{7}, 2},
        std::tuple{Index{24}, Index{6}, 4}, std::tuple{Index{15}, Index{6}, 3}})
    refusals.note(refusal([&, d_model = d_model, d = d, heads = heads] {
                    const ParamSet params = test::params_of(c);
                    check_encoding(
                        c.name,
                        {.d_model = d_model, .d_head = d, .heads = heads, .params = params});
                  }),
                  fmt::format("{} d_model={} d_head={} heads={}", c.title(), d_model, d, heads));
}

void note_tables(Refusals& refusals, const EncodingInfo& info) {
  for (const TableSpec& table : info.tables)
    for (const auto& [rows, columns] : {std::pair{1, 1}, {3, 5}})
      refusals.note(
          refusal([&, rows = rows, columns = columns] {
            const test::CatalogueCase c{info.name, {}};
            const ParamSet params = test::params_of(c);
            const Tables given{{table.name, Matrix<double>::Ones(rows, columns)}};
            make_encoding<double>(
                c.name,
                {.d_model = 16, .d_head = 8, .heads = 2, .params = params, .tables = &given});
          }),
          fmt::format("{} {} [{}, {}]", info.name, table.name, rows, columns));
}

/// Queries, keys and values of 8 channels for what was made for 16, and heads that are not there.
void note_channels(Refusals& refusals, const test::CatalogueCase& c) {
  const auto encoding = test::make_case<double>(c, 16);
  const Positions at{0, 1, 2};
  const auto attend = [&](const std::string& what, Index q, Index k, Index v, int head) {
    const Matrix<double> of_q = Matrix<double>::Ones(3, q), of_k = Matrix<double>::Ones(3, k),
                         of_v = Matrix<double>::Ones(3, v), x = Matrix<double>::Ones(3, 16);
    refusals.note(refusal([&] {
                    attention_from_qkv<double>(*encoding, {of_q, of_k, of_v, at, at, head, {}, &x});
                  }),
                  c.title() + what);
  };
  attend(" q and k of 8 channels", 8, 8, 16, 0);
  attend(" v of 8 channels", 16, 16, 8, 0);
  attend(" head 7", 16, 16, 16, 7);
}

}  // namespace

TEST_CASE("The catalogue's encodings, their settings and tables are those that were approved") {
  std::string text;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    text += facts_of(entry.info);
    for (const test::CatalogueCase& c : test::catalogue_cases())
      if (c.name == entry.info.name) text += properties_of(c);
  }
  text += "positions on axes\n";
  for (const ParamSpec& spec : axis_layout_params()) text += facts_of(spec);
  CHECK(test::difference_from_approved("core/catalogue.txt", text) == "");
}

TEST_CASE(
    "What the catalogue's encodings make of a scene, with drawn tables, is what was approved") {
  const test::Scene<double> scene(24, 16, 7);
  std::string text;
  for (const test::CatalogueCase& c : test::catalogue_cases()) {
    const auto out = scene.attend(*test::make_case<double>(c, 16));
    const auto weigh = [](const Matrix<double>& x) {
      double sum = 0;
      for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < x.cols(); ++j)
          sum += x(i, j) * std::cos(static_cast<double>(3 * i + 7 * j));
      return sum;
    };
    text += fmt::format("{}: logits {:.6e} {:.6e}, output {:.6e}\n", c.title(), out.logits.norm(),
                        weigh(out.logits), weigh(out.output));
  }
  CHECK(test::difference_from_approved("core/scene.txt", text) == "");
}

TEST_CASE("A whole number takes the ends of its range, and nothing beyond them") {
  for (const EncodingEntry& entry : encoding_catalogue())
    for (const ParamSpec& spec : entry.info.params) {
      if (spec.kind != ParamKind::integer) continue;
      INFO(spec.key);
      const auto said_of = [&](double value) {
        ParamSet params(entry.info.params);
        return refusal([&] { params.set(spec.key, number_text(value)); });
      };
      CHECK(said_of(spec.min) == "");
      CHECK(said_of(spec.max) == "");
      CHECK(said_of(spec.min - 1) != "");
      CHECK(said_of(spec.max + 1) != "");
    }
}

TEST_CASE("What the catalogue refuses, it refuses in the sentences that were approved") {
  Refusals refusals;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    note_tables(refusals, entry.info);
    for (const ParamSpec& spec : entry.info.params)
      for (const std::string& value : ends_of(spec))
        note_shapes(refusals, test::with(entry.info, spec, value));
  }
  for (const test::CatalogueCase& c : test::catalogue_cases()) {
    note_shapes(refusals, c);
    note_channels(refusals, c);
  }
  CHECK(test::difference_from_approved("core/refusals.txt", refusals.text()) == "");
}
