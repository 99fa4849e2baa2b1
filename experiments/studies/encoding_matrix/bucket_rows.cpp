#include "experiments/studies/encoding_matrix/bucket_rows.h"

#include <algorithm>
#include <set>

#include "core/encodings/catalogue.h"
#include "experiments/setup/encoding_style.h"

namespace orrery::studies {
namespace {
namespace in_bucket_rows {

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
  const DistanceSweep sweep = sweep_of(study);
  const IndexMatrix rows = table.table_index(sweep.query, sweep.keys);
  std::vector<double> values(static_cast<std::size_t>(rows.size()));
  std::transform(rows.data(), rows.data() + rows.size(), values.begin(),
                 [](Index row) { return static_cast<double>(row); });
  return values;
}

void add_reach(const MatrixStudy& study, const std::string& name, const TableIndex& table,
               const std::vector<double>& rows) {
  const std::string label = encoding_label(name);
  const Position behind = reach(table, 1), ahead = reach(table, -1);
  const auto scalar = [&](const std::string& what, double value, const std::string& unit,
                          const std::string& description) {
    study.result.scalars.push_back({.name = name + "_" + what,
                                    .unit = unit,
                                    .value = value,
                                    .description = label + ": " + description});
  };
  scalar("reach_behind", static_cast<double>(behind), "tokens",
         "all keys at least this far behind the query share a row");
  scalar("reach_ahead", static_cast<double>(ahead), "tokens",
         "all keys at least this far ahead of the query share a row");
  scalar("rows_met", static_cast<double>(std::set<double>(rows.begin(), rows.end()).size()), "rows",
         "different rows among the distances shown");
  const std::optional<Position> stated = table.stated_reach();
  if (!stated) return;
  study.result.checks.push_back(
      {.name = name + "_last_row_reached",
       .statement = label + ": the last rows are reached within the stated distance, both ways",
       .equation = find_encoding(name).info.source,
       .measured = static_cast<double>(std::max<Position>(behind, ahead)),
       .bound = static_cast<double>(*stated)});
}

}  // namespace in_bucket_rows
}  // namespace

void BucketRows::add(const MatrixStudy& study, const std::string& name, std::vector<double> rows) {
  const Positions distances = distances_of(study);
  const std::vector<double> x(distances.begin(), distances.end());
  if (table.columns.empty()) table.columns.push_back({"distance", "tokens", x});
  table.columns.push_back({"row_" + name, "", rows});
  encodings.push_back(name);
  plot.series.push_back({.name = encoding_label(name),
                         .x = x,
                         .y = std::move(rows),
                         .color = encoding_color(name),
                         .choice = name});
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
  using namespace in_bucket_rows;
  std::vector<double> rows = rows_by_distance(study, table);
  add_reach(study, name, table, rows);
  bucket_rows.add(study, name, std::move(rows));
  const Matrix<double> index = table.table_index(study.positions, study.positions).cast<double>();
  if (encoding.traits().relative)
    check_relative(study, name, index, "row", find_encoding(name).info.source);
  add_map(study, index,
          {{.kind = "rows", .encodings = {name}},
           "Row of the table for each query and key: " + encoding_label(name),
           "row",
           "",
           Meaning::sequential},
          {over(query_axis(), study.positions), over(key_axis(), study.positions)},
          study.shows("index_maps"));
}

}  // namespace orrery::studies
