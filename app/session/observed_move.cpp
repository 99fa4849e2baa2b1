#include "app/session/session.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <variant>

namespace orrery {
namespace {

/// By bits: a NaN is the same as itself.
template <class T>
bool same_numbers(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

template <class T, class Same>
bool same_all(const std::vector<T>& a, const std::vector<T>& b, const Same& same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool same_array(const std::shared_ptr<const Array>& a, const std::shared_ptr<const Array>& b) {
  if (a == b || !a || !b) return a == b;
  if (a->shape != b->shape || a->values.index() != b->values.index()) return false;
  return std::visit(
      [&](const auto& values) {
        return same_numbers(values, std::get<std::decay_t<decltype(values)>>(b->values));
      },
      a->values);
}

bool same_axis(const Axis& a, const Axis& b) {
  return a.label == b.label && a.unit == b.unit && a.scale == b.scale && a.range == b.range &&
         a.whole == b.whole;
}

bool same_series(const Series& a, const Series& b) {
  return a.name == b.name && same_numbers(a.x, b.x) && same_numbers(a.y, b.y) &&
         same_numbers(a.band_low, b.band_low) && same_numbers(a.band_high, b.band_high);
}

bool same_rule(const Rule& a, const Rule& b) {
  return a.direction == b.direction && same_number(a.at, b.at) && a.label == b.label;
}

bool same_line(const MapLine& a, const MapLine& b) {
  return a.label == b.label && same_numbers(a.x, b.x) && same_numbers(a.y, b.y);
}

bool same_arrow(const Arrow& a, const Arrow& b) {
  return same_number(a.x0, b.x0) && same_number(a.y0, b.y0) && same_number(a.x1, b.x1) &&
         same_number(a.y1, b.y1) && same_number(a.value, b.value);
}

bool same_content(const LinePlot& a, const LinePlot& b) {
  return same_axis(a.x, b.x) && same_axis(a.y, b.y) && same_all(a.series, b.series, same_series) &&
         same_all(a.rules, b.rules, same_rule);
}

bool same_content(const Heatmap& a, const Heatmap& b) {
  return same_axis(a.x, b.x) && same_axis(a.y, b.y) && a.range == b.range &&
         a.column_labels == b.column_labels && a.row_labels == b.row_labels &&
         a.classes == b.classes && same_array(a.values, b.values) &&
         same_array(a.masked, b.masked) && same_all(a.lines, b.lines, same_line) &&
         same_all(a.rules, b.rules, same_rule);
}

bool same_content(const TableFigure& a, const TableFigure& b) {
  return a.header == b.header && a.rows == b.rows;
}

bool same_content(const VectorPlot& a, const VectorPlot& b) {
  const bool same_sum = a.sum && b.sum ? same_arrow(*a.sum, *b.sum) : !a.sum && !b.sum;
  return same_axis(a.x, b.x) && same_axis(a.y, b.y) && same_sum &&
         same_all(a.arrows, b.arrows, same_arrow);
}

bool same_term(const MapTerm& a, const MapTerm& b) {
  return a.symbol == b.symbol && a.name == b.name && same_number(a.factor, b.factor) &&
         same_content(a.map, b.map);
}

bool same_content(const MapEquation& a, const MapEquation& b) {
  return same_all(a.terms, b.terms, same_term) && same_content(a.profiles, b.profiles);
}

}  // namespace

bool draws_same(const Figure& a, const Figure& b) {
  if (a.content.index() != b.content.index()) return false;
  return std::visit(
      [&](const auto& content) {
        return same_content(content, std::get<std::decay_t<decltype(content)>>(b.content));
      },
      a.content);
}

std::shared_ptr<const ObservedMove> observed_move(const Result& before, const ParamSet& from,
                                                  const Result& after, const ParamSet& to) {
  auto move = std::make_shared<ObservedMove>(ObservedMove{.params = to});
  for (const ParamSpec& spec : to.specs()) {
    if (!from.has(spec.key) || from.value(spec.key) == to.value(spec.key)) continue;
    if (!move->key.empty()) return nullptr;
    move->key = spec.key;
    move->from = from.to_text(spec.key);
    move->to = to.to_text(spec.key);
  }
  if (move->key.empty()) return nullptr;
  for (const Figure& figure : after.figures)
    for (const Figure& old : before.figures)
      if (old.id == figure.id && draws_same(old, figure)) move->unchanged.insert(figure.id);
  return move;
}

}  // namespace orrery
