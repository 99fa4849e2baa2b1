#pragma once

#include <string>
#include <vector>

#include "core/encodings/relative_index.h"
#include "core/params.h"
#include "core/types.h"
#include "experiments/model/result.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"

namespace orrery {

// Maps are all that encoding_matrix draws of an encoding; this is shared by all of them.

/// Settings that the studies of all encodings share, and the result that they add to.
struct MatrixStudy {
  const ParamSet& params;
  std::string caption;
  Positions positions;
  Result& result;
  TableBuilder& matrices;  ///< one row per map

  Index d() const { return params.integer("dim"); }
  int heads() const { return static_cast<int>(params.integer("heads")); }
  int head() const { return static_cast<int>(params.integer("head")); }
  bool shows(const char* what) const { return names(params, "show", what); }
  std::string head_text() const { return "head " + std::to_string(head()); }
};

struct MapText {
  std::string kind;
  std::string title;
  std::string quantity;
  std::string symbol;
  Meaning meaning;
};

/// The axis with these consecutive positions or distances as its cells.
Axis over(Axis axis, const Positions& positions);

/// An array and a line of the table; a figure, too, when it is shown.
void add_map(const MatrixStudy& study, const std::string& encoding, const Matrix<double>& values,
             const MapText& text, Axis rows, Axis columns, bool shown);

/// Checks that a map over all positions, called `what`, is the same along each diagonal.
void check_relative(const MatrixStudy& study, const std::string& name, const Matrix<double>& map,
                    const std::string& what, const std::string& equation);

/// −(N − 1) … N − 1.
Positions distances_of(const MatrixStudy& study);

/// A query at the last position, [1], and keys at each distance from it; none at position 0 unless the
/// query is near it, for some encodings treat that one apart.
Positions swept_query(const MatrixStudy& study);
Positions swept_keys(const MatrixStudy& study);

// Which row of its table an encoding takes for a distance.

/// Rows of all tables by distance: a figure and a table that grow with each encoding.
struct BucketRows {
  LinePlot plot{.x = distance_axis(), .y = {.label = "row of the table"}};
  std::vector<std::string> encodings{};  ///< in the order of the curves
  Table table{.name = "rows",
              .caption = "row of each encoding's table by relative distance $m − n$"};

  void add(const MatrixStudy& study, const std::string& name, std::vector<double> rows);
};

/// The row for each query and key as a map, by distance in the staircases, from which distance on
/// all keys share one, and whether that is what its paper says.
void study_index(const MatrixStudy& study, const std::string& name, const Encoding& encoding,
                 const TableIndex& table, BucketRows& bucket_rows);

}  // namespace orrery
