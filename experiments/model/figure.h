#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace orrery {

// Titles, captions, labels, symbols, statements and descriptions are text for people, whose
// mathematics is marked: "angle of pair $t$", see experiments/text/marked_text.h. Names and ids are
// keys, and cells of tables are words: nothing in them is marked.

/// The subject of a figure or an array, for programs; its id, title and caption are for people.
struct FigureRole {
  std::string kind{};  ///< "weights": the same for all that show the same; empty for one of a kind
  std::vector<std::string> encodings{};  ///< names of those it shows; empty for all of its result
  std::string term{};                    ///< of the logits: "content_to_position"; or empty

  /// The encoding where it shows only one; otherwise empty.
  std::string encoding() const { return encodings.size() == 1 ? encodings.front() : ""; }
  friend bool operator==(const FigureRole&, const FigureRole&) = default;
};

/// Numbers in row-major order with a name and named axes. Maps are float, analyses double.
struct Array {
  std::string name{};  ///< snake_case: the .npy file's stem
  std::string description{};
  std::vector<std::size_t> shape{};
  std::vector<std::string> axes{};  ///< one name per dimension: "query", "key"
  std::variant<std::vector<double>, std::vector<float>> values{};
  FigureRole role{};

  std::size_t size() const {
    return std::visit([](const auto& v) { return v.size(); }, values);
  }
  double operator[](std::size_t i) const {
    return std::visit([i](const auto& v) { return static_cast<double>(v[i]); }, values);
  }
};

struct Range {
  double min{};
  double max{};
  friend bool operator==(const Range&, const Range&) = default;
};

enum class AxisScale { linear, log2, log10, symlog };

/// The quantity along an axis, for programs; its label and symbol are for people.
enum class AxisRole {
  none,               ///< nothing that figures of other experiments share
  position,           ///< of a token, whether as query or as key
  query_position,     ///< m
  key_position,       ///< n
  relative_distance,  ///< m − n
  channel,
  pair  ///< t, of two channels that turn together
};

struct Axis {
  std::string label{};   ///< "relative distance"
  std::string symbol{};  ///< "$m − n$"
  std::string unit{};    ///< "tokens"
  AxisScale scale{AxisScale::linear};
  double symlog_threshold{1.0};  ///< linear within ±threshold
  std::optional<Range> range{};  ///< otherwise fitted to the data
  AxisRole role{AxisRole::none};
  /// Of a map that shows a part of a longer one, or cells of it: the edges of that one, between
  /// which a view may move.
  std::optional<Range> whole{};
};

enum class LineStyle { solid, dashed, dotted, points };

/// One curve. A NaN in y is a gap.
struct Series {
  std::string name{};  ///< by which files and people ask for it: "B_m"
  std::vector<double> x{};
  std::vector<double> y{};
  std::vector<double> band_low{};  ///< empty, or as long as y: a band of spread
  std::vector<double> band_high{};
  LineStyle style{LineStyle::solid};
  /// Slot of the categorical palette: the same encoding has the same colour everywhere.
  int color{0};
  /// In place of a slot: a place from 0 to 1 among colours in order, for curves of a number.
  std::optional<double> shade{};
  bool marked{false};  ///< with a dot at each point: few values, joined to guide the eye
  /// Of a curve that others are read against, of another result or a bound: what sets it apart,
  /// "base 500 000". Such a ghost is drawn behind the others, thin and grey, and named beside its
  /// line.
  std::string ghost{};
  bool own_ghost{false};  ///< of the figure from the first, not laid behind it later
  std::string choice{};   ///< which of the choices of a parameter it is of: "rope"
  std::string label{};    ///< marked text, "$B_m$", where its name has mathematics; or empty
  /// Of one of several runs: the name of the curve that is their mean. It is drawn thin, and comes
  /// and goes with that curve.
  std::string part_of{};

  bool is_ghost() const { return !ghost.empty(); }
  bool is_part() const { return !part_of.empty(); }
};

/// A straight reference line with a label.
struct Rule {
  enum class Direction { horizontal, vertical };
  Direction direction{Direction::horizontal};
  double at{};
  std::string label{};
  /// Key of the parameter whose value the line shows: where a desktop has it, dragging the line
  /// sets it. Empty for other lines.
  std::string param{};
};

struct LinePlot {
  Axis x{};
  Axis y{};
  std::vector<Series> series{};
  std::vector<Rule> rules{};
};

/// The meaning of a map's numbers, which decides its colours and its range.
enum class Meaning {
  sequential,  ///< from low to high
  diverging,   ///< signed, centred on 0
  cyclic,      ///< an angle: both ends are the same
};

/// How the numbers of a map are spread over its colours.
enum class ColorScaling {
  linear,
  log,      ///< by log10 of the number, over the last six decades; what is not above 0 is lowest
  quantile  ///< by rank: each colour covers as many cells as any other
};

/// A line over a map, through the points (x[i], y[i]) of its axes, with a name beside it.
struct MapLine {
  std::string label{};
  std::vector<double> x{};
  std::vector<double> y{};
};

/// A matrix as a map. Row 0 is drawn at the top. NaN and masked cells have colours of their own.
struct Heatmap {
  std::shared_ptr<const Array> values{};  ///< [rows, columns]
  std::shared_ptr<const Array> masked{};  ///< same shape, non-zero where masked; or null
  Axis x{};                               ///< columns
  Axis y{};                               ///< rows
  std::string quantity{};                 ///< "attention weight"
  std::string symbol{};                   ///< "$a_{mn}$"
  Meaning meaning{Meaning::sequential};
  ColorScaling colors{ColorScaling::linear};  ///< of a sequential map; others are linear
  std::optional<Range> range{};               ///< otherwise from the finite, unmasked values
  std::vector<std::string> column_labels{};   ///< empty, or one per column: tokens
  std::vector<std::string> row_labels{};
  std::vector<std::string> classes{};  ///< words of its numbers, which are 0, 1, 2 …; or none
  std::vector<MapLine> lines{};
  std::vector<Rule> rules{};
  /// Of a map of cells: the role of the map that it reduces.
  std::optional<FigureRole> reduces{};
};

/// Text and numbers in rows, drawn.
struct TableFigure {
  std::vector<std::string> header{};
  std::vector<std::vector<std::string>> rows{};
};

/// Arrows in the plane, equal scale on both axes: phasors, rotating pairs.
struct Arrow {
  double x0{}, y0{}, x1{}, y1{};
  double value{};  ///< coloured by it, through the sequential map
};
struct VectorPlot {
  Axis x{};
  Axis y{};
  std::vector<Arrow> arrows{};
  std::vector<std::string>
      tips{};              ///< marked, at the tip of each arrow, and then of the sum; or none
  std::string quantity{};  ///< what `value` is
  AxisRole value_role{AxisRole::none};
  std::optional<Arrow> sum{};  ///< drawn over the others, in the accent colour
};

/// One map of an equation, and its place there.
struct MapTerm {
  std::string relation{};  ///< before its symbol, as TeX: "=", "+", "\to"; empty for the first
  std::string step{};      ///< the word above an arrow: "softmax"
  std::string symbol{};    ///< as TeX: "\mathbf{q}_m^\top \mathbf{k}_n"
  std::string name{};      ///< "content to position"
  Heatmap map{};
  double factor{1.0};  ///< map and profile are drawn so many times as large
  double spread{};     ///< the largest difference of two seen values with the same m − n
  double rounding{};   ///< what rounding may make of it where there is none

  /// A function of m − n alone, as far as rounding lets one see. A NaN is not.
  bool is_relative() const { return spread <= rounding; }
};

/// Maps joined to an equation or a pipeline, each above its profile by m − n. Those of the same
/// quantity have their colours, the bar of them and the scale of their profiles in common.
struct MapEquation {
  std::vector<MapTerm> terms{};
  LinePlot profiles{};  ///< a curve per term: means of the diagonals, in a band of all values
};

/// A closed family: a new kind does not compile until every sink handles it.
struct Figure {
  std::string id{};  ///< snake_case: the file's stem
  std::string title{};
  std::string caption{};  ///< names every setting
  std::variant<LinePlot, Heatmap, TableFigure, VectorPlot, MapEquation> content{};
  FigureRole role{};
};

/// By which an experiment speaks of a figure: its kind, or its id where it is one of a kind.
inline const std::string& name_of(const Figure& figure) {
  return figure.role.kind.empty() ? figure.id : figure.role.kind;
}

}  // namespace orrery
