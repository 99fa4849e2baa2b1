#include "app/session/live_sweep.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

#include "app/session/number_scale.h"

namespace orrery::session {
namespace {

constexpr std::size_t max_side = 512, max_cells = max_side * max_side;
// Work that is not wanted any more may still take this long.
constexpr auto patience = std::chrono::milliseconds(150);

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

/// What the thread and the window share.
struct LiveSweep::Shared {
  explicit Shared(std::function<void()> wake_window) : wake(std::move(wake_window)) {}

  const std::function<void()> wake;
  std::mutex mutex{};
  // Everything below is guarded by mutex.
  const Experiment* experiment{};
  std::vector<Point> points{};
  bool working{};
  bool changed{};  ///< since the window took the points

  bool wants(const ParamSet& params) {
    const std::lock_guard lock(mutex);
    return find(points, params) != nullptr;
  }
};

/// Of one point. Where its value is not wanted any more, short work ends and long work makes room.
class LiveSweep::PointProgress : public Progress {
 public:
  PointProgress(Progress& all, Shared& shared, const ParamSet& params)
      : all_(all), shared_(shared), params_(params) {}
  void update(double fraction, std::string_view stage) override { all_.update(fraction, stage); }
  bool stop_requested() const override {
    if (all_.stop_requested()) return true;
    return Job::Clock::now() - began_ >= patience && !shared_.wants(params_);
  }

 private:
  Progress& all_;
  Shared& shared_;
  const ParamSet& params_;
  const Job::Clock::time_point began_{Job::Clock::now()};
};

LiveSweep::LiveSweep() = default;
LiveSweep::~LiveSweep() = default;

/// Computes what is missing until nothing is.
void LiveSweep::work(Shared& shared, const InputLoader& load, Progress& progress) {
  for (;;) {
    Point made;
    const Experiment* experiment = nullptr;
    {
      const std::lock_guard lock(shared.mutex);
      const Point* next = progress.stop_requested() ? nullptr : missing(shared.points);
      shared.working = next != nullptr;
      if (!next) return;
      made.params = next->params;
      experiment = shared.experiment;
    }
    try {
      PointProgress of_point(progress, shared, made.params);
      made.result = std::make_shared<const Result>(
          kept_of(experiment->run(made.params, *load(made.params), of_point)));
    } catch (const Stopped&) {
      continue;
    } catch (const std::exception& failure) {
      made.error = failure.what();
    } catch (...) {
      made.error = "the computation failed for an unknown reason";
    }
    {
      const std::lock_guard lock(shared.mutex);
      if (Point* point = find(shared.points, made.params); point && point->is_missing()) {
        *point = std::move(made);
        shared.changed = true;
      }
    }
    if (shared.wake) shared.wake();
  }
}

bool LiveSweep::ask(const Experiment& experiment, const ParamSet& params, std::string_view key,
                    double from, double to, const MakeLoader& make_loader,
                    const std::function<void()>& wake) {
  // What was computed around other settings is of another family.
  ParamSet around = params;
  const bool continues = experiment_ == &experiment && key_ == key;
  if (continues) around.set_value(key, params_->value(key));
  if (!continues || !(around == *params_)) stop();
  std::vector<Point> points;
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
  points_ = std::move(points);
  gather();
  if (!job_) {
    shared_ = std::make_shared<Shared>(wake);
    load_ = make_loader();
    job_ = std::make_unique<Job>(wake);
  }
  const std::lock_guard lock(shared_->mutex);
  shared_->experiment = &experiment;
  shared_->points = points_;
  if (!std::exchange(shared_->working, true))
    job_->submit([shared = shared_, load = load_](Progress& progress) {
      work(*shared, load, progress);
      return Result{};
    });
  return true;
}

void LiveSweep::stop() {
  if (!experiment_) return;
  experiment_ = nullptr;
  params_.reset();
  points_.clear();
  shown_.clear();
  const std::lock_guard lock(shared_->mutex);
  shared_->points.clear();
}

LiveSweep::Point* LiveSweep::find(std::vector<Point>& points, const ParamSet& params) {
  const auto found = std::find_if(points.begin(), points.end(),
                                  [&](const Point& point) { return point.params == params; });
  return found == points.end() ? nullptr : &*found;
}

/// The ends come first, then the middle: a few curves show how the family runs.
LiveSweep::Point* LiveSweep::missing(std::vector<Point>& points) {
  const std::size_t count = points.size();
  if (count < 2) return nullptr;
  for (std::size_t step = count - 1;; step = (step + 1) / 2) {
    for (std::size_t i = 0; i < count; i += step)
      if (points[i].is_missing()) return &points[i];
    if (step == 1) return nullptr;
  }
}

void LiveSweep::offer(const ParamSet& params, const std::shared_ptr<const Result>& result) {
  Point* mine = experiment_ && result ? find(points_, params) : nullptr;
  if (!mine || !mine->is_missing()) return;
  mine->result = std::make_shared<const Result>(kept_of(*result));
  {
    const std::lock_guard lock(shared_->mutex);
    if (Point* point = find(shared_->points, params)) *point = *mine;
  }
  gather();
}

void LiveSweep::update() {
  if (!experiment_) return;
  {
    const std::lock_guard lock(shared_->mutex);
    if (!std::exchange(shared_->changed, false)) return;
    points_ = shared_->points;
  }
  gather();
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

bool LiveSweep::busy() const {
  if (!experiment_) return false;
  const std::lock_guard lock(shared_->mutex);
  return shared_->working;
}

std::string LiveSweep::problem() const {
  const auto failed = std::find_if(points_.begin(), points_.end(),
                                   [](const Point& point) { return !point.error.empty(); });
  return failed == points_.end() ? std::string() : failed->error;
}

}  // namespace orrery::session
