#pragma once

#include <string>
#include <vector>

#include "core/params.h"
#include "core/types.h"
#include "experiments/result.h"

namespace orrery {

// What encoding_matrix says of an encoding is said in maps; this is what all of them share.

/// One line a map.
struct MatrixTable {
  std::vector<std::string> name;
  std::vector<double> rows, columns, least, greatest;

  void add(const std::string& id, const Matrix<double>& map);
  Table finish() &&;
};

/// What the studies of all encodings share, and where their findings go.
struct MatrixStudy {
  const ParamSet& params;
  std::string caption;
  Positions positions;
  Result& result;
  MatrixTable& matrices;

  Index d() const { return params.integer("dim"); }
  int heads() const { return static_cast<int>(params.integer("heads")); }
  int head() const { return static_cast<int>(params.integer("head")); }
  bool shows(const std::string& what) const;
  std::string head_text() const;
};

struct MapAxes {
  Axis rows;
  Axis columns;
};

struct MapText {
  std::string id;  ///< of array and figure
  std::string title;
  std::string quantity;
  std::string symbol;
  Meaning meaning;
};

/// Positions and distances on their own scale, not counted from 0.
Axis token_axis(const std::string& label, const std::string& symbol, const Positions& positions);

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

}  // namespace orrery
