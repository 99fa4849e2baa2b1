#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/model/result.h"

namespace orrery {

/// A number or a text of a table.
struct TableCell {
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  TableCell(Number number) : value(static_cast<double>(number)) {}
  TableCell(std::string text) : value(std::move(text)) {}
  TableCell(const char* text) : value(std::string(text)) {}

  std::variant<double, std::string> value;
};

/// A table that grows row by row. The first row decides which columns are text.
class TableBuilder {
 public:
  /// A column's name, and its unit where it has one.
  struct Heading {
    Heading(const char* written);  ///< "position [tokens]"
    Heading(std::string name_, std::string unit_ = {})
        : name(std::move(name_)), unit(std::move(unit_)) {}
    std::string name, unit;
  };

  TableBuilder(std::string name, std::string caption, std::vector<Heading> columns);

  /// One cell per column, text where the first row has text. Throws std::logic_error otherwise.
  void row(const std::vector<TableCell>& cells);
  Table finish() && { return std::move(table_); }
  /// The same, printed in a terminal as well.
  Table finish_printed() && {
    table_.printed = true;
    return std::move(table_);
  }

 private:
  Table table_{};
};

/// "arrays": the names of a result's arrays and their shapes.
Table table_of_arrays(const std::vector<std::shared_ptr<const Array>>& arrays);

// The numbers of a study, each declared once: what it is called, in which unit and how it is had of
// a row. It becomes a column of a table, a curve and a scalar.

/// A number of each row.
template <class Row>
struct Measure {
  std::string key{};                       ///< names its column and its scalar
  std::function<double(const Row&)> of{};  ///< or a member of the row
  std::string words{};                     ///< describe its scalar; empty where it is none
  std::string unit{};
  std::string symbol{};
};

template <class Row>
using Measures = std::vector<Measure<Row>>;

/// The measure of each row.
template <class Row>
std::vector<double> measured(const std::vector<Row>& rows, const Measure<Row>& measure) {
  std::vector<double> values;
  for (const Row& row : rows) values.push_back(measure.of(row));
  return values;
}

/// 0 for none, NaN when one is.
double largest_of(std::span<const double> values);

/// What a result says of one subject: names begin with its key, texts with its label.
class FindingsOn {
 public:
  explicit FindingsOn(Result& result, std::string key = "", std::string label = "");

  /// "KEY_name", and "label: words".
  Scalar& scalar(const std::string& name, double value, const std::string& words,
                 const std::string& unit = "", const std::string& symbol = "") const;
  /// The measures that have words.
  template <class Row>
  void scalars(const Row& row, const Measures<Row>& measures) const {
    for (const Measure<Row>& measure : measures)
      if (!measure.words.empty())
        scalar(measure.key, measure.of(row), measure.words, measure.unit, measure.symbol);
  }
  /// Checks that a number is at most, or at least, its bound.
  void at_most(const std::string& name, const std::string& statement, const std::string& equation,
               double measured, double bound) const;
  void at_least(const std::string& name, const std::string& statement, const std::string& equation,
                double measured, double bound) const;

 private:
  Result& result_;
  std::string key_, label_;
};

/// `first`, and the measures as columns behind it.
template <class Row>
std::vector<TableBuilder::Heading> headings(std::vector<TableBuilder::Heading> first,
                                            const Measures<Row>& measures) {
  for (const Measure<Row>& measure : measures) first.push_back({measure.key, measure.unit});
  return first;
}

/// The cells of one row of such a table.
template <class Row>
std::vector<TableCell> cells(std::vector<TableCell> first, const Row& row,
                             const Measures<Row>& measures) {
  for (const Measure<Row>& measure : measures) first.emplace_back(measure.of(row));
  return first;
}

/// Numbers with the least and the greatest of those that they are the mean of.
struct Band {
  std::vector<double> mean{}, least{}, greatest{};
};

/// The curve of the means in that band.
Series banded(Series form, const Band& band);

/// Adds the columns "mean_KEY", "least_KEY" and "greatest_KEY".
void add_band(Table& table, const std::string& key, const Band& band);

/// Adds numbers to a table as a column, and to a plot as a curve over the table's first column.
/// @param form  the curve without its numbers
void add_curve(Table& table, LinePlot& plot, Column column, Series form);
/// The same of means with deviations: a column more, "NAME_deviation", and a band.
void add_curve(Table& table, LinePlot& plot, Column mean, const std::vector<double>& deviation,
               Series form);

}  // namespace orrery
