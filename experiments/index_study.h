#pragma once

#include <string>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "experiments/matrix_study.h"

namespace orrery {

// Which row of its table an encoding takes for a distance.

/// Rows of all tables by distance: a figure and a table that grow with each encoding.
struct Staircases {
  LinePlot plot{.x = {.label = "relative distance", .symbol = "m − n", .unit = "tokens"},
                .y = {.label = "row of the table"}};
  Table table{.name = "rows", .caption = "row of each encoding's table by relative distance m − n"};

  void add(const MatrixStudy& study, const std::string& name, std::vector<double> rows);
};

/// The row for each query and key as a map, by distance in the staircases, from which distance on
/// all keys share one, and whether that is what its paper says.
void study_index(const MatrixStudy& study, const std::string& name, const Encoding& encoding,
                 const TableIndex& table, Staircases& staircases);

}  // namespace orrery
