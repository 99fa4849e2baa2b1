#pragma once

#include <memory>
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
  struct Heading {
    std::string name{};
    std::string unit{};
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

}  // namespace orrery
