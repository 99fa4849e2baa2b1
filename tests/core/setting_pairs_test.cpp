// What the catalogue's encodings make of one scene under each pair of settings, and with each stage
// rounded: a row of numbers per setting, so that whatever changes is seen.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "tests/support/approved.h"
#include "tests/support/catalogue_cases.h"

using namespace orrery;

namespace {

constexpr Index d_model = 24, d = 16, tokens = 14;
constexpr int heads = 3, head = 2;

using Word = std::pair<std::string, std::string>;

/// Choices and flags, and of numbers two within the range that are not the default, small enough
/// for a table.
std::vector<std::string> values_of(const ParamSpec& spec) {
  std::vector<std::string> values;
  for (const Choice& choice : spec.choices) values.push_back(choice.name);
  if (spec.kind == ParamKind::boolean) return {"true", "false"};
  if (spec.kind == ParamKind::integer)
    for (const double step : {1, 3}) {
      const double least = spec.min > 0 ? spec.min : 0;
      const double value = least + step * static_cast<double>(spec.multiple_of);
      values.push_back(number_text(value < spec.max ? value : spec.max));
    }
  if (spec.kind == ParamKind::real)
    for (const double value : {0.75, 1.5})
      if (spec.min <= value && value <= spec.max) values.push_back(number_text(value));
  return values;
}

/// A sum over cases that each of them, and none for another, moves; how many were refused.
class Sums {
 public:
  void see(const Encoding& encoding) {
    const auto out = attention_head<double>(encoding, projections_, {x_, x_, at_, at_, head});
    add(out.logits, logits_);
    add(out.output, output_);
    ++count_;
  }
  void refuse() { ++refused_; }
  std::string text() const {
    return fmt::format("{} taken, {} refused, logits {:.8e}, output {:.8e}\n", count_, refused_,
                       logits_, output_);
  }

 private:
  void add(const Matrix<double>& x, double& sum) const {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < x.cols(); ++j)
        sum += x(i, j) *
               std::cos(1.7 * static_cast<double>(i) + 0.9 * static_cast<double>(j) + 2.3 * count_);
  }

  static Matrix<double> drawn() {
    Random random(11, "scene of pairs");
    return normal_matrix<double>(random, tokens, d_model);
  }
  Matrix<double> x_ = drawn();
  Positions at_{0, 3, 1, 40, 7, 22, 5, 2, 13, 90, 6, 31, 8, 17};
  Projections<double> projections_ = random_projections<double>(11, head, d_model, d);
  int count_{0}, refused_{0};
  double logits_{0}, output_{0};
};

void see(Sums& sums, const std::string& name, const std::vector<Word>& words,
         const StageRounding& rounding = {}, const Tables* tables = nullptr) {
  try {
    const ParamSet params = test::params_of({name, words});
    sums.see(*make_encoding<double>(name, {d_model, d, heads, params, rounding, 0, tables}));
  } catch (const UsageError&) {
    sums.refuse();
  }
}

/// The shape that a table must have under these words, as its refusal says it; empty where nothing
/// reads it.
std::optional<std::pair<Index, Index>> shape_of(const std::string& name, const std::string& table,
                                                const std::vector<Word>& words) {
  const Tables odd{{table, Matrix<double>::Ones(37, 41)}};
  const ParamSet params = test::params_of({name, words});
  try {
    make_encoding<double>(name, {d_model, d, heads, params, {}, 0, &odd});
  } catch (const UsageError& error) {
    const std::string said = error.what();
    long rows = 0, columns = 0;
    const std::size_t at = said.find("must be [");
    if (at != std::string::npos &&
        std::sscanf(said.c_str() + at, "must be [%ld, %ld]", &rows, &columns) == 2)
      return std::pair{Index{rows}, Index{columns}};
  }
  return std::nullopt;
}

/// With one table given, of numbers that all its readers take.
void see_table(Sums& sums, const std::string& name, const std::string& table,
               const std::vector<Word>& words) {
  const auto shape = shape_of(name, table, words);
  if (!shape) return sums.refuse();
  Random random(3, "given " + table);
  const Matrix<double> drawn = normal_matrix<double>(random, shape->first, shape->second);
  const Tables given{{table, (drawn.array().abs() + 1.25).matrix()}};
  see(sums, name, words, {}, &given);
}

}  // namespace

TEST_CASE("What each table that is given makes of a scene is what was approved") {
  std::string text;
  for (const EncodingEntry& entry : encoding_catalogue())
    for (const TableSpec& table : entry.info.tables) {
      Sums sums;
      see_table(sums, entry.info.name, table.name, {});
      for (const ParamSpec& spec : entry.info.params)
        for (const std::string& value : values_of(spec))
          see_table(sums, entry.info.name, table.name, {{spec.key, value}});
      text += fmt::format("{}: {}", table.name, sums.text());
    }
  CHECK(test::difference_from_approved("core/given_tables.txt", text) == "");
}

TEST_CASE("What each pair of settings makes of a scene is what was approved") {
  std::string text;
  for (const EncodingEntry& entry : encoding_catalogue())
    for (const ParamSpec& spec : entry.info.params)
      for (const std::string& value : values_of(spec)) {
        Sums sums;
        for (const ParamSpec& other : entry.info.params)
          for (const std::string& beside : values_of(other))
            if (other.key != spec.key)
              see(sums, entry.info.name, {{spec.key, value}, {other.key, beside}});
        text += fmt::format("{} {}={}: {}", entry.info.name, spec.key, value, sums.text());
      }
  CHECK(test::difference_from_approved("core/setting_pairs.txt", text) == "");
}

TEST_CASE("What each rounded stage makes of a scene is what was approved") {
  std::string text;
  for (const EncodingEntry& entry : encoding_catalogue())
    for (const Stage stage : entry.info.stages)
      for (const Precision format : {Precision::bf16, Precision::fp16, Precision::fp32}) {
        StageRounding rounding;
        rounding.set(stage, format);
        Sums sums;
        see(sums, entry.info.name, {}, rounding);
        for (const ParamSpec& spec : entry.info.params)
          for (const Choice& choice : spec.choices)
            see(sums, entry.info.name, {{spec.key, choice.name}}, rounding);
        text +=
            fmt::format("{} {} in {}: {}", entry.info.name, name(stage), name(format), sums.text());
      }
  CHECK(test::difference_from_approved("core/rounded_stages.txt", text) == "");
}
