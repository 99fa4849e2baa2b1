#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "experiments/model/figure.h"
#include "experiments/model/shared_text.h"

namespace orrery {

/// One number worth naming.
struct Scalar {
  SharedText name{};  ///< snake_case, stable: the column of results.csv
  SharedText symbol{};
  SharedText unit{};
  double value{};
  SharedText description{};
  SharedText pipeline{};  ///< of numbers, which it was computed in, where several are compared
};

/// How a measured number must compare with its bound. equals is two-sided: within the tolerance of
/// the bound, which is then the expected value.
enum class Relation { at_most, at_least, equals };

/// "≤", "≥" or "=".
constexpr std::string_view sign_of(Relation relation) {
  switch (relation) {
    case Relation::at_most:
      return "≤";
    case Relation::at_least:
      return "≥";
    case Relation::equals:
      break;
  }
  return "=";
}

/// A claim with its number: "statement (equation): measured ≤ bound".
struct Check {
  SharedText name{};       ///< snake_case
  SharedText statement{};  ///< in words
  SharedText equation{};   ///< "eq. (37)" or the formula itself
  double measured{};
  Relation relation{Relation::at_most};
  double bound{};
  double tolerance{0};  ///< of equals alone

  /// A NaN never holds.
  bool holds() const;
  /// How far the measured number is on the wrong side of what is allowed; negative inside it.
  double excess() const;
};

struct Column {
  std::string name{};
  std::string unit{};
  std::variant<std::vector<double>, std::vector<std::string>> values{};
};

/// Columns of equal length; written as one CSV file each.
struct Table {
  std::string name{};  ///< snake_case: the file's stem
  std::string caption{};
  std::vector<Column> columns{};
  bool printed{false};  ///< in a terminal as well: the answer, where no scalar says it
};

enum class Status { completed, stopped };

/// Where a result comes from: with this and the same program it can be made again, to the byte.
struct Provenance {
  std::string experiment{};
  int version{};      ///< the experiment's semantic version
  Settings params{};  ///< every used key, effective value
  std::int64_t seed{};
};

/// What a result's files say of a parameter: the number that it was made with in its place, or the
/// largest that it may have.
struct ValueInUse {
  std::string key{};
  std::optional<double> value{};  ///< empty where it plays no part, or is the parameter's own
  std::string why{};  ///< "The file says 8192.": no value of the parameter would change anything
  std::optional<double> most{};  ///< the largest that the files have: heads of a model
};

/// A file in a format of its own, written as it is.
struct ResultFile {
  std::string path{};  ///< in the result's folder: "models/rope_seed_0_step_900/config.json"
  std::string bytes{};
};

/// An experiment and its settings that a result suggests to look at next.
struct NextStep {
  std::string title{};       ///< "Run the first hypothesis"
  std::string about{};       ///< what it shows, before the words: "Shows the long-term decay with"
  std::string experiment{};  ///< its name
  std::string words{};       ///< "encoding=rope base=500000"; all others are at their defaults
  std::string file_key{};    ///< parameter of a file that goes with it, or empty
  std::string file{};        ///< its path, which may have spaces
  /// Where these are given, the file is their folder, once somebody wants to take the step.
  std::vector<ResultFile> made{};
};

/// All that an experiment found. Plain data: writers and views only read it.
struct Result {
  Provenance provenance{};
  Status status{Status::completed};
  std::vector<Scalar> scalars{};
  std::vector<Check> checks{};
  std::vector<Figure> figures{};
  std::vector<Table> tables{};
  std::vector<std::shared_ptr<const Array>> arrays{};  ///< written as .npy, name by name
  std::vector<ResultFile> files{};
  // What a desktop shows beside it; not written to files.
  std::vector<ValueInUse> in_use{};
  std::optional<NextStep> next{};
};

// What every sink of figures and tables relies on. Figures and tables made here have these
// properties; readers of files check them.

/// The first rule that the figure breaks, as a sentence without its full stop; empty when it breaks
/// none. Each series has as many y as x, and no band or one of that length. A heatmap has a matrix
/// with at least one value, a mask of the same shape, and no labels or one per row and column. A
/// row of a table has at most as many cells as the header. The ends of a range are in order, a
/// threshold is positive and a colour is not negative.
std::string inconsistency_of(const Figure& figure);

/// The same for a table: all columns have the same length.
std::string inconsistency_of(const Table& table);

}  // namespace orrery
