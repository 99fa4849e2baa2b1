#pragma once

#include <string>
#include <vector>

#include "core/params.h"
#include "core/types.h"
#include "experiments/model/result.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/table_builder.h"

namespace orrery::studies {

// Maps are all that encoding_matrix draws of an encoding; this is shared by all of them.

/// "matrices": one row per map.
TableBuilder matrix_table();

/// Settings that the studies of all encodings share, and the result that they add to.
struct MatrixStudy {
  const ParamSet& params;
  std::string caption;
  Positions positions;
  Result& result;
  TableBuilder& matrices;

  Index d() const { return params.integer("dim"); }
  int heads() const { return static_cast<int>(params.integer("heads")); }
  int head() const { return static_cast<int>(params.integer("head")); }
  bool shows(const char* what) const { return names(params, "show", what); }
  std::string head_text() const;
};

struct MapAxes {
  Axis rows;
  Axis columns;
};

struct MapText {
  FigureRole role;
  std::string title;
  std::string quantity;
  std::string symbol;
  Meaning meaning;

  /// The id of array and figure: "bias_alibi".
  std::string id() const { return role.kind + "_" + role.encoding(); }
};

/// The axis with these consecutive positions or distances as its cells.
Axis over(Axis axis, const Positions& positions);

/// An array and a line of the table; a figure, too, when it is shown.
void add_map(const MatrixStudy& study, const Matrix<double>& values, const MapText& text,
             MapAxes axes, bool shown);

/// Checks that a map over all positions, called `what`, is the same along each diagonal.
void check_relative(const MatrixStudy& study, const std::string& name, const Matrix<double>& map,
                    const std::string& what, const std::string& equation);

/// −(N − 1) … N − 1.
Positions distances_of(const MatrixStudy& study);

/// A query at the last position, and keys at each distance from it; none at position 0 unless the
/// query is near it, for some encodings treat that one apart.
struct DistanceSweep {
  Positions query;
  Positions keys;
};

DistanceSweep sweep_of(const MatrixStudy& study);

}  // namespace orrery::studies
