#include "experiments/studies/attention_map/kept_map.h"

#include <fmt/format.h>
#include <Eigen/Core>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/analysis/diagonals.h"
#include "core/errors.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/trained_head.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

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
          .colors = subject.colors,
          .column_labels = labels_from(frame.first_key, frame),
          .row_labels = labels_from(frame.first_query, frame),
          .reduces = subject.reduces};
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

}  // namespace

MapFrame frame_of(const ParamSet& params, const std::vector<std::string>& labels,
                  const Positions& positions, const std::string& caption) {
  const auto tokens = static_cast<Index>(positions.size());
  MapFrame frame{.labels = labels,
                 .tokens = tokens,
                 .side = tokens,
                 .positions = positions,
                 .caption = caption};
  const std::int64_t part = params.integer("part");
  const auto first = [&](const char* key) {
    const std::int64_t from = params.integer(key);
    if (part == 0 && from > 0)
      throw UsageError(fmt::format("{}={}", key, from), "is of a part, and part=0 keeps all",
                       "give part= too");
    if (from + part > tokens)
      throw UsageError(fmt::format("{}={} part={}", key, from, part),
                       fmt::format("ends beyond the {} tokens that there are", tokens),
                       fmt::format("lower {} or part, or raise max_tokens", key));
    return from;
  };
  frame.first_query = first("part_query");
  frame.first_key = first("part_key");
  if (part > 0) frame.side = part;
  frame.cell = (frame.side + params.integer("map_size") - 1) / params.integer("map_size");
  // Cells of a reduced map add up diagonals by the places of tokens.
  if (frame.cell > 1 && positions != consecutive_positions(tokens, positions.front()))
    throw UsageError(
        fmt::format("map_size={} with positions from a file", params.integer("map_size")),
        fmt::format("would reduce a map of {} tokens, and positions with gaps have "
                    "distances that cells mix",
                    frame.side),
        fmt::format("try map_size={} or a lower max_tokens", frame.side));
  return frame;
}

std::vector<MapSubject> subjects_of(const std::string& name, const ParamSet& params,
                                    const std::vector<std::string>& terms) {
  const std::string label = encoding_label(name);
  std::vector<MapSubject> subjects{{.id = "weights_" + name,
                                    .description = "attention weights, rows sum to 1",
                                    .role = {.kind = "weights", .encodings = {name}},
                                    .title = "Attention weights: " + label,
                                    .quantity = "weight",
                                    .symbol = "$a_{mn}$",
                                    .meaning = Meaning::sequential,
                                    .shown = names(params, "show", "weights")},
                                   {.id = "logits_" + name,
                                    .description = "scores before softmax",
                                    .role = {.kind = "logits", .encodings = {name}},
                                    .title = "Logits: " + label,
                                    .quantity = "logit",
                                    .meaning = Meaning::diverging,
                                    .shown = names(params, "show", "logits")}};
  for (const std::string& term : terms) {
    const std::string words = term_words(term);
    subjects.push_back({.id = "term_" + name + "_" + term,
                        .description = "the term " + term + " of the logits",
                        .role = {.kind = "term", .encodings = {name}, .term = term},
                        .title = fmt::format("Term {}: {}", words, label),
                        .quantity = words,
                        .meaning = Meaning::diverging,
                        .shown = names(params, "show", "terms")});
  }
  return subjects;
}

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
EquationPart KeptMap<T>::give(const MapSubject& subject, const MapFrame& frame, const Mask& mask,
                              const ArrayPtr& masked, Result& result) {
  const auto add_map = [&](const ArrayPtr& array, const MapSubject& of) {
    result.arrays.push_back(array);
    Heatmap map = heatmap_of(of, frame, array, masked);
    if (of.shown)
      result.figures.push_back(
          {array->name, of.title, frame.caption + cells_text(frame), map, of.role});
    return map;
  };
  const auto add_profile = [&](const MapProfile& profile) {
    result.arrays.push_back(
        profile_array(profile, subject.id + "_diagonals", described(subject.description, frame)));
  };
  const std::vector<std::string> axes{"query", "key"};
  if (!reduction_) {
    MapProfile profile = profile_of_values(values_, frame, mask);
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
    return {.map = std::move(map), .profile = std::move(profile)};
  }
  const ReducedMap<T> map = reduction_->map();
  const Index farthest_behind = frame.first_query + frame.side - 1 - frame.first_key;
  MapProfile profile = profile_of(reduction_->diagonals(), static_cast<double>(farthest_behind));
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
  return {.map = std::move(means), .profile = std::move(profile)};
}

template <class T>
EquationPart KeptMap<T>::unmasked(EquationPart given, const MapFrame& frame) {
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
                       std::vector<EquationPart> maps, double relative_rounding,
                       const MapFrame& frame) {
  constexpr const char* arrow = R"(\to)";
  const bool masked = maps[0].map.masked != nullptr;
  std::vector<EquationPart> parts;
  const auto add = [&](EquationPart& part, const char* quantity, const char* relation,
                       const char* step, const std::string& symbol, const std::string& name) {
    part.map.quantity = (frame.cell > 1 ? "mean " : "") + std::string(quantity);
    part.map.symbol.clear();
    part.map.colors = ColorScaling::linear;  // its bar is linear
    part.relation = relation;
    part.step = step;
    part.symbol = symbol;
    part.name = name;
    part.rounding = relative_rounding * part.profile.largest();
    parts.push_back(std::move(part));
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

namespace {
namespace in_attention_words {

constexpr double low_weight = 0.01;   ///< below this share of 1 a linear scale shows one colour
constexpr double nearly_even = 0.97;  ///< share of the entropy of equal weights

std::string where(std::size_t distance, bool causal) {
  const char* way = causal ? "back" : "away";
  if (distance == 0) return "to the token itself";
  if (distance == 1) return fmt::format("one token {}", way);
  return fmt::format("{} tokens {}", distance, way);
}

/// "Layer 1, head 0 with RoPE" of the trained model, else the encoding.
std::string subject(const ParamSet& params, const std::string& encoding) {
  const std::string label = label_in_sentence(encoding);
  if (has_trained_contents(params))
    return fmt::format("Layer {}, head {} with {}", params.integer("trained_layer"),
                       params.integer("head"), label);
  return encoding == "none" ? "No encoding" : label;
}

}  // namespace in_attention_words
}  // namespace

template <class T>
void AttentionSums::add(const Matrix<T>& weights, Index row, Position m, PositionsIn n,
                        const RowStatistics& of) {
  double seen = 0;
  if (by_distance_.size() < n.size()) by_distance_.resize(n.size());
  for (std::size_t j = 0; j < n.size(); ++j) {
    const auto weight = static_cast<double>(weights(row, static_cast<Index>(j)));
    if (!(weight > 0)) continue;
    ++seen;
    (weight < in_attention_words::low_weight ? low_ : high_) += 1;
    const auto distance = static_cast<std::size_t>(std::abs(m - n[j]));
    if (distance < by_distance_.size()) by_distance_[distance] += weight;
  }
  ++queries_;
  entropy_ += of.entropy_bits;
  distance_ += of.mean_distance;
  even_entropy_ += seen > 0 ? std::log2(seen) : 0;
}

std::string AttentionSums::title(const ParamSet& params, const std::string& encoding) const {
  using namespace in_attention_words;
  const bool causal = params.boolean("causal");
  const std::string who = subject(params, encoding);
  const std::string number = mean_distance() < 100 ? fmt::format("{:.1f}", mean_distance())
                                                   : grouped_number(std::round(mean_distance()));
  const std::string mean = fmt::format("{} tokens {} on average", number, causal ? "back" : "away");
  if (entropy_ >= nearly_even * even_entropy_)
    return fmt::format("{} spreads its weight almost evenly: {}", who, mean);
  std::size_t most = 0;
  for (std::size_t r = 1; r < by_distance_.size(); ++r)
    if (by_distance_[r] > by_distance_[most]) most = r;
  return fmt::format("{} attends {}; most weight ({:.0f} %) goes {}", who, mean,
                     100 * by_distance_[most] / queries_, where(most, causal));
}

template void AttentionSums::add(const Matrix<float>&, Index, Position, PositionsIn,
                                 const RowStatistics&);
template void AttentionSums::add(const Matrix<double>&, Index, Position, PositionsIn,
                                 const RowStatistics&);

}  // namespace orrery
