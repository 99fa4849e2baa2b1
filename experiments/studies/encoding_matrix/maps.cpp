#include "experiments/studies/encoding_matrix/maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/analysis/diagonals.h"
#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"

namespace orrery {
namespace {

constexpr Position far_away = Position{1} << 40;  // beyond the last bucket of any table

Index row_at(const TableIndex& table, Position r) {
  const Position query = std::max<Position>(r, 0) + 1;  // position 0 may be a token apart
  return table.table_index(Positions{query}, Positions{query - r})(0, 0);
}

/// The smallest distance from which on, in this direction, every key shares one row; rows run
/// monotonically to it.
Position reach(const TableIndex& table, Position direction) {
  const Index last = row_at(table, direction * far_away);
  Position inside = -1, outside = far_away;
  while (outside - inside > 1) {
    const Position middle = inside + (outside - inside) / 2;
    (row_at(table, direction * middle) == last ? outside : inside) = middle;
  }
  return outside;
}

std::vector<double> rows_by_distance(const MatrixStudy& study, const TableIndex& table) {
  const IndexMatrix rows = table.table_index(swept_query(study), swept_keys(study));
  std::vector<double> values(static_cast<std::size_t>(rows.size()));
  std::transform(rows.data(), rows.data() + rows.size(), values.begin(),
                 [](Index row) { return static_cast<double>(row); });
  return values;
}

void add_reach(const MatrixStudy& study, const std::string& name, const TableIndex& table,
               const std::vector<double>& rows) {
  const Position behind = reach(table, 1), ahead = reach(table, -1);
  const FindingsOn of(study.result, name, encoding_label(name));
  of.scalar("reach_behind", static_cast<double>(behind),
            "all keys at least this far behind the query share a row", "tokens");
  of.scalar("reach_ahead", static_cast<double>(ahead),
            "all keys at least this far ahead of the query share a row", "tokens");
  of.scalar("rows_met", static_cast<double>(std::set<double>(rows.begin(), rows.end()).size()),
            "different rows among the distances shown", "rows");
  const std::optional<Position> stated = table.stated_reach();
  if (stated)
    of.at_most(
        "last_row_reached", "the last rows are reached within the stated distance, both ways",
        find_encoding(name).info.source, static_cast<double>(std::max<Position>(behind, ahead)),
        static_cast<double>(*stated));
}

}  // namespace

Axis over(Axis axis, const Positions& positions) {
  return spanning(std::move(axis), static_cast<double>(positions.front()),
                  static_cast<double>(positions.back()));
}

void add_map(const MatrixStudy& study, const std::string& encoding, const Matrix<double>& values,
             const MapText& text, Axis rows, Axis columns, bool shown) {
  const FigureRole role{.kind = text.kind, .encodings = {encoding}};
  const ArrayPtr array = to_array<float>(values.cast<float>(), text.kind + "_" + encoding,
                                         text.title, {rows.label, columns.label}, role);
  study.matrices.row({array->name, values.rows(), values.cols(), smallest_entry<double>(values),
                      largest_entry<double>(values)});
  study.result.arrays.push_back(array);
  if (!shown) return;
  study.result.figures.push_back({array->name, text.title, study.caption,
                                  Heatmap{.values = array,
                                          .x = std::move(columns),
                                          .y = std::move(rows),
                                          .quantity = text.quantity,
                                          .symbol = text.symbol,
                                          .meaning = text.meaning},
                                  role});
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

Positions swept_query(const MatrixStudy& study) {
  return {study.positions.front() + static_cast<Position>(study.positions.size())};
}

Positions swept_keys(const MatrixStudy& study) {
  const Position query = swept_query(study)[0];
  Positions keys;
  for (const Position r : distances_of(study)) keys.push_back(query - r);
  return keys;
}

void BucketRows::add(const MatrixStudy& study, const std::string& name, std::vector<double> rows) {
  if (table.columns.empty())
    table.columns.push_back({"distance", "tokens", as_doubles(distances_of(study))});
  encodings.push_back(name);
  add_curve(table, plot, {"row_" + name, "", std::move(rows)}, encoding_series(name));
  if (!study.shows("staircases")) return;
  LinePlot own = plot;  // tables differ in size: each has a scale of its own, too
  own.series = {plot.series.back()};
  study.result.figures.push_back(
      {"staircase_" + name,
       "Which row of its table each distance takes: " + encoding_label(name),
       study.caption,
       std::move(own),
       {.kind = "staircase", .encodings = {name}}});
}

void study_index(const MatrixStudy& study, const std::string& name, const Encoding& encoding,
                 const TableIndex& table, BucketRows& bucket_rows) {
  std::vector<double> rows = rows_by_distance(study, table);
  add_reach(study, name, table, rows);
  bucket_rows.add(study, name, std::move(rows));
  const Matrix<double> index = table.table_index(study.positions, study.positions).cast<double>();
  if (encoding.traits().relative)
    check_relative(study, name, index, "row", find_encoding(name).info.source);
  add_map(study, name, index,
          {"rows", "Row of the table for each query and key: " + encoding_label(name), "row", "",
           Meaning::sequential},
          over(query_axis(), study.positions), over(key_axis(), study.positions),
          study.shows("index_maps"));
}

}  // namespace orrery
