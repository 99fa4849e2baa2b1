#include "experiments/lessons/evaluate.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "core/unknown_name.h"

namespace orrery {
namespace {

using Kind = Expression::Kind;
using Clause = Assertion::Clause;
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

bool is_called(const std::string& name, const std::string& asked) {
  if (!asked.ends_with('*')) return name == asked;
  return name.starts_with(asked.substr(0, asked.size() - 1));
}

/// The only one of that name. Throws UsageError.
template <class Items, class NameOf>
auto& item_named(Items& items, const std::string& asked, std::string_view kind, NameOf own_name) {
  std::vector<std::string> names;
  decltype(&*items.begin()) found = nullptr;
  for (auto& item : items) {
    const std::string& name = own_name(item);
    if (is_called(name, asked)) {
      if (found && asked.ends_with('*'))
        throw UsageError(
            asked, fmt::format("begins the names of several: {} and {}", own_name(*found), name),
            "write the whole name in quotes");
      if (!found) found = &item;
    }
    names.push_back(name);
  }
  if (!found) throw_unknown_name(asked, kind, names);
  return *found;
}

const auto own_name = [](const auto& item) -> const std::string& { return item.name; };

const Check& check_named(const Result& result, const std::string& name) {
  return item_named(result.checks, name, "a check of this result", own_name);
}

double scalar_named(const Result& result, const std::string& name) {
  return item_named(result.scalars, name, "a scalar of this result", own_name).value;
}

std::optional<double> number_of(const ParamSet& params, const std::string& key) {
  const ParamValue& value = params.value(key);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

double param_named(const ParamSet& params, const std::string& key) {
  if (const auto number = number_of(params, params.spec(key).key)) return *number;
  throw UsageError(key, "is a parameter that is not a number",
                   fmt::format("write {} is {}", key, params.to_text(key)));
}

/// A scalar or, where there is none, a parameter.
double named(const LessonFacts& facts, const std::string& name) {
  std::vector<std::string> names;
  for (const Scalar& scalar : facts.result.scalars) {
    if (scalar.name == name) return scalar.value;
    names.push_back(scalar.name);
  }
  if (facts.params.has(name)) return param_named(facts.params, name);
  for (const ParamSpec& spec : facts.params.specs()) names.push_back(spec.key);
  throw_unknown_name(name, "a scalar or a parameter of this result", names);
}

std::size_t index_from(double value, std::size_t count, std::string_view what) {
  if (value >= 0 && value < static_cast<double>(count) && value == std::floor(value))
    return static_cast<std::size_t>(value);
  throw UsageError(fmt::format("{}", value), fmt::format("is not a {}", what),
                   fmt::format("they are counted from 0 to {}", static_cast<double>(count) - 1));
}

/// The numbers of a map that are seen.
template <class See>
void see_cells(const NamedMap& map, std::size_t first, std::size_t last, See see) {
  for (std::size_t row = first; row < last; ++row)
    for (std::size_t column = 0; column < map.columns; ++column)
      if (!map.is_masked(row, column)) see(map.at(row, column));
}

/// The largest number, or the smallest with sign −1; NaN where one is.
class Extreme {
 public:
  explicit Extreme(double sign) : sign_(sign) {}
  void see(double value, double place = 0) {
    if (std::isnan(value_) && seen_) return;
    if (!seen_ || std::isnan(value) || sign_ * value > sign_ * value_) {
      value_ = value;
      place_ = std::isnan(value) ? missing : place;
    }
    seen_ = true;
  }
  double value() const { return value_; }
  double place() const { return place_; }

 private:
  double sign_;
  double value_{missing};
  double place_{missing};
  bool seen_{false};
};

/// Gaps of a curve are no numbers of it.
Extreme extreme_of(const Series& series, double sign) {
  Extreme extreme(sign);
  for (std::size_t i = 0; i < series.y.size(); ++i)
    if (!std::isnan(series.y[i])) extreme.see(series.y[i], series.x[i]);
  return extreme;
}

double first_rise_of(const Series& series) {
  for (std::size_t i = 1; i < series.y.size(); ++i)
    if (series.y[i] > series.y[i - 1]) return series.x[i];
  return missing;
}

double first_below_of(const Series& series, double bound) {
  for (std::size_t i = 0; i < series.y.size(); ++i)
    if (series.y[i] < bound) return series.x[i];
  return missing;
}

double extreme_cell(const NamedMap& map, double sign) {
  Extreme extreme(sign);
  see_cells(map, 0, map.rows, [&](double value) { extreme.see(value); });
  return extreme.value();
}

double row_sum_of(const NamedMap& map, double row) {
  const std::size_t at = index_from(row, map.rows, "row of this map");
  double sum = 0;
  see_cells(map, at, at + 1, [&](double value) { sum += value; });
  return sum;
}

double entry_of(const Result& result, const std::string& table, const std::string& column,
                double row) {
  const Table& found = item_named(result.tables, table, "a table of this result", own_name);
  const Column& values = item_named(found.columns, column, "a column of this table", own_name);
  const auto* numbers = std::get_if<std::vector<double>>(&values.values);
  if (!numbers) throw UsageError(column, "is a column of words", "choose a column of numbers");
  return (*numbers)[index_from(row, numbers->size(), "row of this table")];
}

double spread_of(const Result& result, const std::string& figure, const std::string& term) {
  const auto* maps = std::get_if<MapEquation>(&figure_named(result, figure).content);
  if (!maps) throw UsageError(figure, "is no equation of maps", "choose one with terms");
  return item_named(maps->terms, term, fmt::format("a term of {}", figure), own_name).spread;
}

double of_curve(const Expression& e, const LessonFacts& facts) {
  const Series& series = series_named(facts.result, e.names[0], e.names[1]);
  if (e.kind == Kind::value) return value_at(series, value_of(e.operands[0], facts));
  if (e.kind == Kind::largest) return extreme_of(series, 1).value();
  if (e.kind == Kind::smallest) return extreme_of(series, -1).value();
  if (e.kind == Kind::argmax) return extreme_of(series, 1).place();
  if (e.kind == Kind::argmin) return extreme_of(series, -1).place();
  if (e.kind == Kind::first_rise) return first_rise_of(series);
  if (e.kind == Kind::rises) return static_cast<double>(rises_of(series.y));
  return first_below_of(series, value_of(e.operands[0], facts));
}

double of_map(const Expression& e, const LessonFacts& facts) {
  const NamedMap map = map_named(facts.result, e.names[0]);
  if (e.kind == Kind::largest_cell) return extreme_cell(map, 1);
  if (e.kind == Kind::smallest_cell) return extreme_cell(map, -1);
  const double row = value_of(e.operands[0], facts);
  if (e.kind == Kind::row_sum) return row_sum_of(map, row);
  const double column = value_of(e.operands[1], facts);
  return map.at(index_from(row, map.rows, "row of this map"),
                index_from(column, map.columns, "column of this map"));
}

double of_operands(const Expression& e, const LessonFacts& facts) {
  const double a = value_of(e.operands[0], facts);
  if (e.kind == Kind::absolute) return std::abs(a);
  if (e.kind == Kind::negate) return -a;
  const double b = value_of(e.operands[1], facts);
  if (e.kind == Kind::add) return a + b;
  if (e.kind == Kind::subtract) return a - b;
  if (e.kind == Kind::multiply) return a * b;
  return a / b;
}

double of_result(const Expression& e, const LessonFacts& facts) {
  if (e.kind == Kind::scalar) return scalar_named(facts.result, e.names[0]);
  if (e.kind == Kind::param) return param_named(facts.params, e.names[0]);
  if (e.kind == Kind::measured) return check_named(facts.result, e.names[0]).measured;
  if (e.kind == Kind::spread) return spread_of(facts.result, e.names[0], e.names[1]);
  if (e.kind == Kind::bound) return check_named(facts.result, e.names[0]).bound;
  return entry_of(facts.result, e.names[0], e.names[1], value_of(e.operands[0], facts));
}

std::string numbers_text(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{:.10g}", value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Verdict judge_numbers(const Clause& clause, const LessonFacts& facts) {
  std::vector<double> values;
  for (const Expression& operand : clause.operands) values.push_back(value_of(operand, facts));
  Verdict verdict{true, fmt::format("the sides are {}", numbers_text(values))};
  for (std::size_t i = 0; i < clause.comparisons.size(); ++i)
    verdict.holds = verdict.holds && compares(values[i], clause.comparisons[i], values[i + 1]);
  return verdict;
}

Verdict judge_check(const Clause& clause, const LessonFacts& facts) {
  const Check& check = check_named(facts.result, clause.name);
  return {check.holds() == (clause.kind == Clause::Kind::check_holds),
          fmt::format("{}: measured {:.6g} {} {:.6g} {}", check.name, check.measured,
                      sign_of(check.relation), check.bound, check.holds() ? "holds" : "fails")};
}

Verdict judge_clause(const Clause& clause, const LessonFacts& facts) {
  if (clause.kind == Clause::Kind::compares) return judge_numbers(clause, facts);
  if (clause.kind != Clause::Kind::param_is) return judge_check(clause, facts);
  ParamSet wanted = facts.params;
  wanted.set(clause.name, clause.word);
  return {wanted == facts.params,
          fmt::format("{} is {}", clause.name, facts.params.to_text(clause.name))};
}

}  // namespace

double value_of(const Expression& e, const LessonFacts& facts) {
  if (e.kind == Kind::number) return e.number;
  if (e.kind == Kind::name) return named(facts, e.names[0]);
  if (e.kind >= Kind::absolute) return of_operands(e, facts);
  if (e.kind >= Kind::value && e.kind <= Kind::first_below) return of_curve(e, facts);
  if (e.kind >= Kind::cell && e.kind <= Kind::smallest_cell) return of_map(e, facts);
  return of_result(e, facts);
}

bool compares(double a, const NumberRelation& comparison, double b) {
  using Sign = NumberRelation::Sign;
  if (std::isnan(a) || std::isnan(b)) return false;
  if (comparison.sign == Sign::less) return a < b;
  if (comparison.sign == Sign::at_most) return a <= b;
  if (comparison.sign == Sign::unequal) return a != b;
  if (comparison.sign == Sign::at_least) return a >= b;
  if (comparison.sign == Sign::greater) return a > b;
  if (comparison.tolerance == 0) return a == b;
  const double off =
      comparison.is_relative ? comparison.tolerance * std::abs(b) : comparison.tolerance;
  return std::abs(a - b) <= off;
}

Verdict judge(const Assertion& assertion, const LessonFacts& facts) {
  Verdict verdict;
  for (const Clause& clause : assertion.clauses) {
    verdict = judge_clause(clause, facts);
    if (!verdict.holds) return verdict;
  }
  return verdict;
}

const Figure& figure_named(const Result& result, const std::string& id) {
  return item_named(result.figures, id, "a figure of this result",
                    [](const Figure& figure) -> const std::string& { return figure.id; });
}

const LinePlot& line_plot_named(const Result& result, const std::string& id) {
  const Figure& figure = figure_named(result, id);
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) return *plot;
  if (const auto* maps = std::get_if<MapEquation>(&figure.content)) return maps->profiles;
  throw UsageError(id, "is a figure without curves", "choose a line plot");
}

const Series& series_named(const Result& result, const std::string& figure,
                           const std::string& series) {
  return item_named(line_plot_named(result, figure).series, series,
                    fmt::format("a curve of {}", figure), own_name);
}

NamedMap map_named(const Result& result, const std::string& name) {
  const Array* values = nullptr;
  const Array* masked = nullptr;
  std::vector<std::string> names;
  for (const Figure& figure : result.figures) {
    const auto* map = std::get_if<Heatmap>(&figure.content);
    if (!map) continue;
    names.push_back(figure.id);
    if (figure.id != name) continue;
    values = map->values.get();
    masked = map->masked.get();
  }
  for (const auto& array : result.arrays) {
    if (array->shape.size() != 2) continue;
    if (!values && array->name == name) values = array.get();
    names.push_back(array->name);
  }
  if (!values || values->shape.size() != 2) throw_unknown_name(name, "a map of this result", names);
  return {values, masked, values->shape[0], values->shape[1]};
}

double value_at(const Series& series, double x) {
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (series.x[i] == x) return series.y[i];
    if (i == 0 || !(series.x[i - 1] < x && x < series.x[i])) continue;
    const double part = (x - series.x[i - 1]) / (series.x[i] - series.x[i - 1]);
    return series.y[i - 1] + part * (series.y[i] - series.y[i - 1]);
  }
  const double first = series.x.empty() ? missing : series.x.front();
  const double last = series.x.empty() ? missing : series.x.back();
  throw UsageError(fmt::format("x = {}", x), fmt::format("lies outside of {}", series.name),
                   fmt::format("it runs from {} to {}", first, last));
}

Range extent_of(const std::vector<double>& y) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double value : y) {
    if (value < range.min) range.min = value;
    if (value > range.max) range.max = value;
  }
  return range;
}

std::size_t rises_of(const std::vector<double>& y) {
  std::size_t rises = 0;
  for (std::size_t i = 1; i < y.size(); ++i) rises += y[i] > y[i - 1] ? 1U : 0U;
  return rises;
}

}  // namespace orrery
