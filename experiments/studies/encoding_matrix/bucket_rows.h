#pragma once

#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "experiments/studies/encoding_matrix/maps.h"

namespace orrery::studies {

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

}  // namespace orrery::studies
