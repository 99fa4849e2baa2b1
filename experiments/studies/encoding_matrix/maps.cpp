#include "experiments/studies/encoding_matrix/maps.h"

#include <fmt/format.h>

#include "core/analysis/diagonals.h"
#include "core/analysis/largest.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/measures.h"

namespace orrery::studies {

TableBuilder matrix_table() {
  return {"matrices",
          "every map: its shape, least and greatest value",
          {{"matrix"}, {"rows"}, {"columns"}, {"least"}, {"greatest"}}};
}

std::string MatrixStudy::head_text() const { return fmt::format("head {}", head()); }

Axis over(Axis axis, const Positions& positions) {
  return spanning(std::move(axis), static_cast<double>(positions.front()),
                  static_cast<double>(positions.back()));
}

void add_map(const MatrixStudy& study, const Matrix<double>& values, const MapText& text,
             MapAxes axes, bool shown) {
  const ArrayPtr array = to_array<float>(values.cast<float>(), text.id(), text.title,
                                         {axes.rows.label, axes.columns.label}, text.role);
  study.matrices.row({text.id(), values.rows(), values.cols(), smallest_entry<double>(values),
                      largest_entry<double>(values)});
  study.result.arrays.push_back(array);
  if (!shown) return;
  study.result.figures.push_back({array->name, text.title, study.caption,
                                  Heatmap{.values = array,
                                          .x = std::move(axes.columns),
                                          .y = std::move(axes.rows),
                                          .quantity = text.quantity,
                                          .symbol = text.symbol,
                                          .meaning = text.meaning},
                                  text.role});
}

void check_relative(const MatrixStudy& study, const std::string& name, const Matrix<double>& map,
                    const std::string& what, const std::string& equation) {
  FindingsOn(study.result, name, encoding_label(name))
      .at_most(what + "_is_toeplitz",
               fmt::format("the {} is the same along each diagonal (largest difference)", what),
               equation, toeplitz_residual(map, study.positions, study.positions), 0);
}

Positions distances_of(const MatrixStudy& study) {
  const auto n = static_cast<Index>(study.positions.size());
  return consecutive_positions(2 * n - 1, 1 - n);
}

DistanceSweep sweep_of(const MatrixStudy& study) {
  const auto n = static_cast<Position>(study.positions.size());
  DistanceSweep sweep{{study.positions.front() + n}, {}};
  for (const Position r : distances_of(study)) sweep.keys.push_back(sweep.query[0] - r);
  return sweep;
}

}  // namespace orrery::studies
