#include "app/session/session.h"

#include <algorithm>
#include <utility>

#include "app/session/number_scale.h"

namespace orrery {
namespace {

constexpr std::size_t max_side = 512, max_cells = max_side * max_side;

/// The figures alone, without maps of more than max_cells.
Result kept_of(const Result& result) {
  Result kept{.provenance = result.provenance, .status = result.status};
  for (const Figure& figure : result.figures) {
    const auto* map = std::get_if<Heatmap>(&figure.content);
    const bool is_large = map && map->values && map->values->size() > max_cells;
    if (!is_large) kept.figures.push_back(figure);
  }
  return kept;
}

}  // namespace

bool LiveSweep::ask(const Experiment& experiment, const ParamSet& params, std::string_view key,
                    double from, double to) {
  // What was computed around other settings is of another family.
  ParamSet around = params;
  const bool continues = experiment_ == &experiment && key_ == key;
  if (continues) around.set_value(key, params_->value(key));
  if (!continues || !(around == *params_)) stop();
  Points points;
  for (ParamValue& value : values_between(params.spec(key), from, to, sweep_values)) {
    ParamSet at_value = params;
    at_value.set_value(key, std::move(value));
    const Point* known = find(points_, at_value);
    points.push_back(known ? *known : Point{.params = std::move(at_value)});
  }
  if (points.size() < 2) {
    stop();
    return false;
  }
  experiment_ = &experiment;
  params_ = params;
  key_ = key;
  const bool same = std::equal(points.begin(), points.end(), points_.begin(), points_.end(),
                               [](const Point& a, const Point& b) { return a.params == b.params; });
  if (same) return true;
  points_ = std::move(points);
  gather();
  asker_.ask(missing());
  update();
  return true;
}

void LiveSweep::stop() {
  if (!experiment_) return;
  experiment_ = nullptr;
  params_.reset();
  points_.clear();
  shown_.clear();
  asker_.forget();
}

LiveSweep::Point* LiveSweep::find(Points& points, const ParamSet& params) {
  const auto found = std::find_if(points.begin(), points.end(),
                                  [&](const Point& point) { return point.params == params; });
  return found == points.end() ? nullptr : &*found;
}

/// The ends come first, then the middle: a few curves show how the family runs.
std::vector<Wish> LiveSweep::missing() const {
  std::vector<Wish> wishes;
  std::vector<bool> listed(points_.size());
  for (std::size_t step = points_.size() - 1;; step = (step + 1) / 2) {
    for (std::size_t i = 0; i < points_.size(); i += step) {
      if (!listed[i] && points_[i].is_missing()) wishes.push_back({experiment_, points_[i].params});
      listed[i] = true;
    }
    if (step == 1) return wishes;
  }
}

void LiveSweep::update() {
  if (!experiment_) return;
  const std::vector<ResultStore::Outcome> outcomes = asker_.take();
  for (const ResultStore::Outcome& outcome : outcomes) {
    Point* point = find(points_, outcome.wish.params);
    if (!point || !point->is_missing()) continue;
    if (outcome.result)
      point->result = std::make_shared<const Result>(kept_of(*outcome.result));
    else
      point->error = outcome.error;
  }
  if (!outcomes.empty()) gather();
}

void LiveSweep::gather() {
  std::vector<std::shared_ptr<const Result>> results;
  for (const Point& point : points_)
    if (point.result) results.push_back(point.result);
  // Enough of the family before stay for the picture to keep its shape.
  for (std::size_t i = 0; !is_complete() && i < shown_.size() && results.size() < sweep_values; ++i)
    if (std::find(results.begin(), results.end(), shown_[i]) == results.end())
      results.push_back(shown_[i]);
  shown_ = std::move(results);
}

std::vector<std::string> LiveSweep::values() const {
  std::vector<std::string> texts;
  for (const Point& point : points_) texts.push_back(point.params.to_text(key_));
  return texts;
}

std::size_t LiveSweep::done() const {
  return static_cast<std::size_t>(std::count_if(
      points_.begin(), points_.end(), [](const Point& point) { return point.result != nullptr; }));
}

bool LiveSweep::is_complete() const {
  return std::none_of(points_.begin(), points_.end(),
                      [](const Point& point) { return point.is_missing(); });
}

std::string LiveSweep::problem() const {
  const auto failed = std::find_if(points_.begin(), points_.end(),
                                   [](const Point& point) { return !point.error.empty(); });
  return failed == points_.end() ? std::string() : failed->error;
}

}  // namespace orrery
