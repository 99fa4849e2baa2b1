#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/model/result.h"

namespace orrery::test {

// Bitwise equality: −0 differs from 0. All NaN are equal, except in arrays, where their bits are
// compared.

inline bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
inline bool same(const std::string& a, const std::string& b) { return a == b; }

// Declared first, for the templates.
bool same(const Range& a, const Range& b);
bool same(const Series& a, const Series& b);
bool same(const Rule& a, const Rule& b);
bool same(const MapLine& a, const MapLine& b);
bool same(const Arrow& a, const Arrow& b);
bool same(const Scalar& a, const Scalar& b);
bool same(const Check& a, const Check& b);
bool same(const Column& a, const Column& b);
bool same(const Table& a, const Table& b);
bool same(const Figure& a, const Figure& b);
bool same(const std::shared_ptr<const Array>& a, const std::shared_ptr<const Array>& b);

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

inline bool same(const Range& a, const Range& b) {
  return same(a.min, b.min) && same(a.max, b.max);
}

inline bool same(const Axis& a, const Axis& b) {
  return a.role == b.role && a.label == b.label && a.symbol == b.symbol && a.unit == b.unit &&
         a.scale == b.scale && same(a.symlog_threshold, b.symlog_threshold) &&
         same(a.range, b.range) && same(a.whole, b.whole);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](T x, T y) { return std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y); });
}

inline bool same(const std::shared_ptr<const Array>& a, const std::shared_ptr<const Array>& b) {
  if (!a || !b) return !a && !b;
  const auto values = [&](const auto& numbers) {
    using Numbers = std::decay_t<decltype(numbers)>;
    const auto* others = std::get_if<Numbers>(&b->values);
    return others != nullptr && same_bits(numbers, *others);
  };
  return a->name == b->name && a->description == b->description && a->shape == b->shape &&
         a->axes == b->axes && a->role == b->role && std::visit(values, a->values);
}

inline bool same(const Series& a, const Series& b) {
  return a.name == b.name && same(a.x, b.x) && same(a.y, b.y) && same(a.band_low, b.band_low) &&
         same(a.band_high, b.band_high) && a.style == b.style && a.color == b.color &&
         a.shade == b.shade && a.marked == b.marked && a.part_of == b.part_of;
}

inline bool same(const Rule& a, const Rule& b) {
  return a.direction == b.direction && same(a.at, b.at) && a.label == b.label && a.param == b.param;
}

inline bool same(const MapLine& a, const MapLine& b) {
  return a.label == b.label && same(a.x, b.x) && same(a.y, b.y);
}

inline bool same(const Arrow& a, const Arrow& b) {
  return same(a.x0, b.x0) && same(a.y0, b.y0) && same(a.x1, b.x1) && same(a.y1, b.y1) &&
         same(a.value, b.value);
}

inline bool same(const LinePlot& a, const LinePlot& b) {
  return same(a.x, b.x) && same(a.y, b.y) && same(a.series, b.series) && same(a.rules, b.rules);
}

inline bool same(const Heatmap& a, const Heatmap& b) {
  return same(a.values, b.values) && same(a.masked, b.masked) && same(a.x, b.x) && same(a.y, b.y) &&
         a.quantity == b.quantity && a.symbol == b.symbol && a.meaning == b.meaning &&
         same(a.range, b.range) && a.column_labels == b.column_labels &&
         a.row_labels == b.row_labels && a.classes == b.classes && same(a.lines, b.lines) &&
         same(a.rules, b.rules);
}

inline bool same(const TableFigure& a, const TableFigure& b) {
  return a.header == b.header && a.rows == b.rows;
}

inline bool same(const VectorPlot& a, const VectorPlot& b) {
  return same(a.x, b.x) && same(a.y, b.y) && same(a.arrows, b.arrows) && a.tips == b.tips &&
         a.quantity == b.quantity && a.value_role == b.value_role && same(a.sum, b.sum);
}

inline bool same(const MapTerm& a, const MapTerm& b) {
  return a.relation == b.relation && a.step == b.step && a.symbol == b.symbol && a.name == b.name &&
         same(a.map, b.map) && same(a.factor, b.factor) && same(a.spread, b.spread) &&
         same(a.rounding, b.rounding);
}

inline bool same(const MapEquation& a, const MapEquation& b) {
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const MapTerm& x, const MapTerm& y) { return same(x, y); }) &&
         same(a.profiles, b.profiles);
}

template <class... Kinds>
bool same(const std::variant<Kinds...>& a, const std::variant<Kinds...>& b) {
  const auto with = [&](const auto& one) {
    const auto* other = std::get_if<std::decay_t<decltype(one)>>(&b);
    return other != nullptr && same(one, *other);
  };
  return std::visit(with, a);
}

inline bool same(const Figure& a, const Figure& b) {
  return a.id == b.id && a.title == b.title && a.caption == b.caption && a.role == b.role &&
         same(a.content, b.content);
}

inline bool same(const Scalar& a, const Scalar& b) {
  return a.name == b.name && a.symbol == b.symbol && a.unit == b.unit && same(a.value, b.value) &&
         a.description == b.description;
}

inline bool same(const Check& a, const Check& b) {
  return a.name == b.name && a.statement == b.statement && a.equation == b.equation &&
         same(a.measured, b.measured) && a.relation == b.relation && same(a.bound, b.bound);
}

inline bool same(const Column& a, const Column& b) {
  return a.name == b.name && a.unit == b.unit && same(a.values, b.values);
}

inline bool same(const Table& a, const Table& b) {
  return a.name == b.name && a.caption == b.caption && same(a.columns, b.columns);
}

inline bool same(const Provenance& a, const Provenance& b) {
  return a.experiment == b.experiment && a.version == b.version && a.params == b.params &&
         a.seed == b.seed;
}

inline bool same(const Result& a, const Result& b) {
  return same(a.provenance, b.provenance) && a.status == b.status && same(a.scalars, b.scalars) &&
         same(a.checks, b.checks) && same(a.figures, b.figures) && same(a.tables, b.tables) &&
         same(a.arrays, b.arrays);
}

}  // namespace orrery::test
