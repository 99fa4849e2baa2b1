#pragma once

#include <string>
#include <vector>

namespace orrery {

/// A number that is asked of a result and its settings: "value decay_bound RoPE 10",
/// "2 * rope_first_rise", "largest score_curve \"with ALiBi\" - bound rows_sum_to_one".
struct Expression {
  enum class Kind {
    number,
    name,  ///< a scalar or, where no scalar has this name, a parameter that is a number
    scalar,
    param,
    value,          ///< of a curve at x, along the straight line between neighbouring points
    largest,        ///< of a curve
    smallest,       ///< of a curve
    argmax,         ///< the first x where a curve is largest
    argmin,         ///< the first x where a curve is smallest
    first_rise,     ///< the first x where a curve is above the point before it; NaN where none is
    rises,          ///< how many points of a curve are above the point before them
    first_below,    ///< the first x where a curve is below a number; NaN where none is
    cell,           ///< of a map or an array, by row and column from 0
    row_sum,        ///< of a map's row, without masked cells
    largest_cell,   ///< of a map, without masked cells
    smallest_cell,  ///< of a map, without masked cells
    measured,       ///< the measured number of a check
    bound,          ///< the bound of a check
    spread,         ///< of a term of an equation of maps: the largest difference of two of its
                    ///< cells with the same m − n, 0 where it is a function of m − n
    entry,          ///< of a table: column, and row from 0
    absolute,
    negate,
    add,
    subtract,
    multiply,
    divide
  };
  Kind kind{Kind::number};
  double number{};
  std::vector<std::string> names{};  ///< of figure and curve, map, check, scalar, table and column
  std::vector<Expression> operands{};
};

/// How two numbers are to compare.
struct NumberRelation {
  enum class Sign { less, at_most, equal, unequal, at_least, greater };
  Sign sign{Sign::equal};
  double tolerance{};  ///< of equal: by how much the left side may differ
  bool is_relative{};  ///< whether the tolerance is a share of the right side
};

/// A statement about a result that holds or does not.
struct Assertion {
  /// One of: numbers that compare as stated, each with the next ("a < b < c"); a check that holds
  /// or fails; a parameter with a value.
  struct Clause {
    enum class Kind { compares, check_holds, check_fails, param_is };
    Kind kind{Kind::compares};
    std::vector<Expression> operands{};
    std::vector<NumberRelation> comparisons{};  ///< one fewer than operands
    std::string name{};                         ///< of the check or the parameter
    std::string word{};                         ///< the parameter's value
    std::string text{};
  };
  std::string text{};
  std::vector<Clause> clauses{};  ///< all of them are to hold
};

/// Reads one expression. Throws UsageError naming the text, what is wrong and the remedy.
///
///     EXPRESSION  sums, differences, products and quotients of operands
///     OPERAND     12.5 | π | NAME | (EXPRESSION) | -OPERAND | FUNCTION with its names and operands
///     FUNCTION    scalar NAME · param KEY · value FIGURE CURVE X · largest, smallest, argmax,
///                 argmin, first_rise, rises FIGURE CURVE · first_below FIGURE CURVE Y ·
///                 cell MAP ROW COLUMN · row_sum MAP ROW · largest_cell, smallest_cell MAP ·
///                 measured, bound CHECK · spread FIGURE TERM · entry TABLE COLUMN ROW · abs X
///
/// Names with other characters than letters, digits and _ stand in double quotes; one that ends in
/// * stands for the only name that begins so.
Expression parse_expression(const std::string& text);

/// Reads one assertion. Throws as parse_expression does.
///
///     ASSERTION   CLAUSE [and CLAUSE] …
///     CLAUSE      holds CHECK | fails CHECK | KEY is VALUE
///                 | EXPRESSION (< <= = != >= >) EXPRESSION …      also ≤ ≥ ≠
///                 | EXPRESSION = EXPRESSION ± TOLERANCE[%]        also ≈ for =, +- for ±
Assertion parse_assertion(const std::string& text);

}  // namespace orrery
