#include "experiments/studies/attention_map/kept_map.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <memory>
#include <utility>

#include "core/analysis/diagonals.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_style.h"

namespace orrery {
namespace {
namespace in_kept_map {

using Axes = std::vector<std::string>;

/// The axis of a map of cells or of a part from token `first` on, in tokens.
Axis in_tokens(Axis axis, Index first, const MapFrame& frame) {
  if (frame.cell == 1 && !frame.is_part()) return axis;
  const double middle = static_cast<double>(first) + static_cast<double>(frame.cell - 1) / 2;
  axis = spanning(std::move(axis), middle,
                  middle + static_cast<double>((frame.cells() - 1) * frame.cell));
  axis.whole = Range{-0.5, static_cast<double>(frame.tokens) - 0.5};
  if (frame.cell > 1) axis.role = AxisRole::none;
  return axis;
}

std::vector<std::string> labels_from(Index first, const MapFrame& frame) {
  if (frame.cell > 1 || frame.labels.empty()) return {};
  const auto begin = frame.labels.begin() + first;
  return {begin, begin + frame.side};
}

/// What it is, and of which queries and keys.
std::string described(const std::string& description, const MapFrame& frame) {
  if (!frame.is_part()) return description;
  return fmt::format("{}; {} queries from {} on, {} keys from {} on", description, frame.side,
                     frame.first_query, frame.side, frame.first_key);
}

Heatmap heatmap_of(const MapSubject& subject, const MapFrame& frame, const ArrayPtr& values,
                   const ArrayPtr& masked) {
  return {.values = values,
          .masked = masked,
          .x = in_tokens(key_axis(), frame.first_key, frame),
          .y = in_tokens(query_axis(), frame.first_query, frame),
          .quantity = subject.quantity,
          .symbol = subject.symbol,
          .meaning = subject.meaning,
          .column_labels = labels_from(frame.first_key, frame),
          .row_labels = labels_from(frame.first_query, frame),
          .reduces = subject.reduces};
}

Figure map_figure(const MapSubject& subject, const MapFrame& frame, Heatmap map) {
  return {map.values->name, subject.title, frame.caption + cells_text(frame), std::move(map),
          subject.role};
}

/// @param what  "mean" or "largest" of the entries of each cell
MapSubject reduced_subject(MapSubject subject, const std::string& what, const MapFrame& frame) {
  const bool magnitude = what != "mean" && subject.meaning == Meaning::diverging;
  const std::string taken = magnitude ? "the entry farthest from 0" : what;
  const std::string cell = fmt::format("{} × {} entries", frame.cell, frame.cell);
  subject.id += "_" + what;
  subject.description += fmt::format(": {} of each cell of {}", taken, cell);
  subject.reduces = subject.role;
  subject.role.kind = what + "_" + subject.role.kind;
  if (!subject.role.term.empty()) subject.role.term = what + "_" + subject.role.term;
  subject.title += fmt::format(", {} of {}", taken, cell);
  subject.quantity = magnitude ? fmt::format("{} farthest from 0", subject.quantity)
                               : fmt::format("{} {}", what, subject.quantity);
  subject.symbol.clear();
  return subject;
}

/// The largest of numbers without a sign, otherwise the one that is farthest from 0.
template <class T>
Matrix<T> extremes(const ReducedMap<T>& map, Meaning meaning) {
  if (meaning != Meaning::diverging) return map.high;
  return (map.low.array().abs() > map.high.array().abs()).select(map.low, map.high);
}

/// m − n of the first diagonal of a reduction.
double farthest_behind(const MapFrame& frame) {
  return static_cast<double>(frame.first_query + frame.side - 1 - frame.first_key);
}

/// By m − n, of a map that is kept as it is.
template <class T>
MapProfile profile_of_values(const std::vector<T>& values, const MapFrame& frame,
                             const Mask& mask) {
  const Eigen::Map<const Matrix<T>> map(values.data(), frame.side, frame.side);
  return profile_of(
      diagonal_profile<T>(map, frame.of(frame.first_query), frame.of(frame.first_key), mask));
}

Figure diagonal_figure(const MapSubject& subject, const MapFrame& frame, const std::string& id,
                       const MapProfile& profile) {
  const int color = subject.role.encodings.empty() ? 0 : encoding_color(subject.role.encodings[0]);
  const auto curve = [&](const char* name, const std::vector<double>& y, LineStyle style) {
    return Series{.name = name, .x = profile.distance, .y = y, .style = style, .color = color};
  };
  FigureRole role = subject.role;
  role.kind = "diagonals_of_" + role.kind;
  return {id, subject.title + ", by distance", frame.caption,
          LinePlot{.x = distance_axis(),
                   .y = {.label = subject.quantity, .symbol = subject.symbol},
                   .series = {curve("mean", profile.mean, LineStyle::solid),
                              curve("smallest", profile.low, LineStyle::dotted),
                              curve("largest", profile.high, LineStyle::dashed)}},
          std::move(role)};
}

}  // namespace in_kept_map
}  // namespace

template <class T>
KeptMap<T>::KeptMap(const MapFrame& frame) {
  if (frame.cell > 1)
    reduction_.emplace(frame.side, frame.side, frame.cell);
  else
    values_.reserve(static_cast<std::size_t>(frame.side * frame.side));
}

template <class T>
void KeptMap<T>::add(const MatrixIn<T>& rows, const Mask& mask) {
  if (reduction_) return reduction_->add(rows, mask);
  for (Index i = 0; i < rows.rows(); ++i)
    values_.insert(values_.end(), rows.row(i).data(), rows.row(i).data() + rows.cols());
}

template <class T>
GivenMap KeptMap<T>::give(const MapSubject& subject, const MapFrame& frame, const MapMask& mask,
                          Result& result) {
  using namespace in_kept_map;
  const auto add_map = [&](const ArrayPtr& array, const MapSubject& of) {
    result.arrays.push_back(array);
    Heatmap map = heatmap_of(of, frame, array, mask.cells);
    if (of.shown) result.figures.push_back(map_figure(of, frame, map));
    return map;
  };
  const auto add_profile = [&](const MapProfile& profile) {
    result.arrays.push_back(
        profile_array(profile, subject.id + "_diagonals", described(subject.description, frame)));
  };
  const Axes axes{"query", "key"};
  if (!reduction_) {
    MapProfile profile = profile_of_values(values_, frame, mask.entries);
    const auto n = static_cast<std::size_t>(frame.side);
    Heatmap map = add_map(
        std::make_shared<const Array>(Array{.name = subject.id,
                                            .description = described(subject.description, frame),
                                            .shape = {n, n},
                                            .axes = axes,
                                            .values = std::move(values_),
                                            .role = subject.role}),
        subject);
    add_profile(profile);
    return {std::move(map), std::move(profile)};
  }
  const ReducedMap<T> map = reduction_->map();
  MapProfile profile = profile_of(reduction_->diagonals(), farthest_behind(frame));
  reduction_.reset();
  const auto add_reduced = [&](const Matrix<T>& values, const std::string& what) {
    const MapSubject of = reduced_subject(subject, what, frame);
    return add_map(to_array<T>(values, of.id, described(of.description, frame), axes, of.role), of);
  };
  Heatmap means = add_reduced(map.mean, "mean");
  add_reduced(extremes(map, subject.meaning), "largest");
  add_profile(profile);
  if (subject.shown)
    result.figures.push_back(diagonal_figure(subject, frame, subject.id + "_diagonals", profile));
  return {std::move(means), std::move(profile)};
}

template <class T>
GivenMap KeptMap<T>::unmasked(GivenMap given, const MapFrame& frame) {
  using namespace in_kept_map;
  if (frame.cell > 1 || !given.map.masked) return given;
  given.map.masked = nullptr;
  given.profile =
      profile_of_values(std::get<std::vector<T>>(given.map.values->values), frame, Mask());
  return given;
}

template <class T>
double KeptMap<T>::bytes(const MapFrame& frame) {
  const auto cells = static_cast<double>(frame.cells());
  const double map = cells * cells * sizeof(T);
  if (frame.cell == 1) return map;
  constexpr double extents_and_arrays = 6, numbers_of_a_diagonal = 20;
  return map * extents_and_arrays +
         numbers_of_a_diagonal * sizeof(double) * static_cast<double>(frame.side);
}

std::string cells_text(const MapFrame& frame) {
  if (frame.cell == 1) return {};
  return fmt::format(" · {} × {} entries per cell", frame.cell, frame.cell);
}

ArrayPtr masked_cells(const Mask& mask, const MapFrame& frame) {
  if (frame.cell == 1 || mask.allows_everything()) return mask_array(mask, frame.side);
  Matrix<float> masked = Matrix<float>::Ones(frame.cells(), frame.cells());
  for (Index i = 0; i < frame.side; ++i) {
    const VisibleKeys keys = mask.keys_of(i, frame.side);
    for (Index j = keys.first; j < keys.end; ++j) {
      if (!keys.all && !mask.allows(i, j)) continue;
      masked(i / frame.cell, j / frame.cell) = 0;
      j = (j / frame.cell + 1) * frame.cell - 1;  // one key of a cell is enough
    }
  }
  return to_array<float>(masked, "masked", "1 where no query of the cell sees a key of it",
                         {"query", "key"});
}

Figure pipeline_figure(const std::string& encoding, const std::vector<std::string>& terms,
                       std::vector<GivenMap> maps, double relative_rounding,
                       const MapFrame& frame) {
  constexpr const char* arrow = R"(\to)";
  const bool masked = maps[0].map.masked != nullptr;
  std::vector<EquationPart> parts;
  const auto add = [&](GivenMap& given, const char* quantity, const char* relation,
                       const char* step, std::string symbol, std::string name) {
    given.map.quantity = (frame.cell > 1 ? "mean " : "") + std::string(quantity);
    given.map.symbol.clear();
    const double rounding = relative_rounding * given.profile.largest();
    parts.push_back({.relation = relation,
                     .step = step,
                     .symbol = std::move(symbol),
                     .name = std::move(name),
                     .map = std::move(given.map),
                     .profile = std::move(given.profile),
                     .rounding = rounding});
  };
  for (std::size_t t = 0; t < terms.size(); ++t)
    add(maps[2 + t], "logit", t > 0 ? "+" : "", "", term_symbol(encoding, terms[t]),
        term_words(terms[t]));
  // A single term that no mask changes is the logits.
  if (terms.size() != 1 || masked)
    add(maps[1], "logit",
        terms.empty() ? ""
        : masked      ? arrow
                      : "=",
        masked ? "mask" : "", R"(\ell_{m,n})", masked ? "logit, masked" : "logit");
  add(maps[0], "weight", arrow, "softmax", "a_{m,n}", "weight");
  return equation_figure(
      "pipeline", encoding, encoding_label(encoding) + ": from scores to weights",
      frame.caption + cells_text(frame) + " · symbols without the scale of the logits",
      map_equation(std::move(parts), encoding_color(encoding)));
}

template class KeptMap<float>;
template class KeptMap<double>;

}  // namespace orrery
