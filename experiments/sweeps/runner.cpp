#include "experiments/sweeps/runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>

#include "experiments/results/figure_options.h"
#include "experiments/results/manifest.h"
#include "experiments/results/memory.h"
#include "experiments/results/result_folder.h"
#include "experiments/sweeps/sweep_results.h"

namespace orrery {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto tick_interval = std::chrono::milliseconds(100);
constexpr std::size_t most_ready = 64;  // each has a folder open
constexpr std::size_t most_ready_bytes = std::size_t{64} << 20;

/// The progress of one worker at its point.
class PointProgress : public Progress {
 public:
  PointProgress(std::function<bool()> stop, std::function<void()> updated)
      : stop_(std::move(stop)), updated_(std::move(updated)) {}
  void update(double fraction, std::string_view) override {
    fraction_ = fraction;
    if (updated_) updated_();
  }
  bool stop_requested() const override { return stop_(); }
  double fraction() const { return fraction_; }
  void reset() { fraction_ = 0; }

 private:
  std::function<bool()> stop_;
  std::function<void()> updated_;
  std::atomic<double> fraction_{0};
};

JournalEntry failure_of(const PlanPoint& point, std::string error) {
  return {.id = point.id,
          .status = PointStatus::failed,
          .manifest_sha256 = {},
          .group_sha256 = {},
          .error = std::move(error)};
}

class Workers {
 public:
  Workers(const Plan& plan, SweepFolder& folder, const RunnerOptions& options)
      : plan_(plan), folder_(folder), options_(options), pending_(folder.pending(plan)) {
    progress_.total = plan.points.size();
    progress_.before = progress_.total - pending_.size();
  }

  SweepOutcome run(SweepObserver& observer) {
    if (options_.threads <= 1)
      work_here(observer);
    else
      work_in_threads(observer);
    if (fatal_) std::rethrow_exception(fatal_);
    return {.progress = now(), .stopped = stop_requested(), .points = {}};
  }

 private:
  bool stop_requested() const { return options_.stop_requested && options_.stop_requested(); }
  bool is_halted() const { return halted_ || stop_requested(); }

  /// With one thread, works on the calling thread: the order of system calls is then always the
  /// same, as fault injection needs it.
  void work_here(SweepObserver& observer) {
    lends_ = false;
    SteadyClock::time_point last{};
    at_work_.clear();
    at_work_.push_back(std::make_unique<PointProgress>([this] { return is_halted(); },
                                                       [&] {
                                                         if (SteadyClock::now() - last <
                                                             tick_interval)
                                                           return;
                                                         last = SteadyClock::now();
                                                         observer.tick(now());
                                                       }));
    SteadyClock::time_point committed = SteadyClock::now();
    while (const PlanPoint* point = next_point()) {
      take(*point, *at_work_.front());
      // A pack waits for the disk once for all points of a moment.
      if (packs_points(plan_) && has_room() && SteadyClock::now() - committed < tick_interval)
        continue;
      commit_ready();
      committed = SteadyClock::now();
      report(observer);
    }
    commit_ready();
    report(observer);
  }

  void work_in_threads(SweepObserver& observer) {
    const std::size_t wanted = static_cast<std::size_t>(options_.threads);
    for (std::size_t i = 0; i < std::min(wanted, pending_.size()); ++i)
      at_work_.push_back(std::make_unique<PointProgress>([this] { return is_halted(); }, nullptr));
    active_ = at_work_.size() + 1;
    working_ = at_work_.size();
    lends_ = true;
    if (!start_thread([this] { commit_all(); })) return work_here(observer);
    for (const auto& progress : at_work_)
      if (!start_thread([this, &mine = *progress] { work(mine); })) leave_work();
    if (threads_.size() == 1) return work_alone(observer);
    watch(observer);
    threads_.clear();  // joins
  }

  /// With no thread but the one that waits for the disk.
  void work_alone(SweepObserver& observer) {
    threads_.clear();  // joins: nobody is at work
    work_here(observer);
  }

  /// Returns false when the system has no room for another thread; the others do its work.
  template <class Work>
  bool start_thread(Work work) {
    try {
      threads_.emplace_back(std::move(work));
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    --active_;
    news_.notify_one();
  }

  void leave_work() {
    {
      const std::lock_guard lock(mutex_);
      --working_;
      ready_news_.notify_all();
    }
    leave();
  }

  const PlanPoint* next_point() {
    if (is_halted() || drained_) return nullptr;
    const std::size_t index = next_++;
    return index < pending_.size() ? pending_[index] : nullptr;
  }

  void work(PointProgress& mine) {
    while (const PlanPoint* point = next_point()) take(*point, mine);
    leave_work();
  }

  void take(const PlanPoint& point, PointProgress& mine) {
    Ready ready{.point = &point};
    try {
      ready.staged = stage_point(plan_, point, folder_.point(point.id), mine,
                                 [this](const Result& result, WriteOptions options) {
                                   return drawn(result, std::move(options));
                                 });
      ready.entry = done_entry(point.id, ready.staged.group, ready.staged.written.manifest_sha256);
    } catch (const Stopped&) {
      return;
    } catch (const CannotWrite& failure) {
      return halt(failure.cause());
    } catch (const std::bad_alloc&) {
      reserve_memory_for_errors();
      ready.entry =
          failure_of(point, memory_shortage("; or compute fewer points at once with --threads"));
    } catch (const std::exception& error) {
      ready.entry = failure_of(point, error.what());
    }
    if (options_.fail_fast && ready.entry.status == PointStatus::failed) drained_ = true;
    hand_over(std::move(ready), mine);
  }

  /// Threads that have no point left draw figures of the points that are still at work.
  WriteOptions drawn(const Result& result, WriteOptions options) {
    const std::size_t borrowed = borrow();
    if (borrowed == 0) return options;
    WriteOptions done = drawn_on(1 + borrowed, result, std::move(options));
    const std::lock_guard lock(mutex_);
    lent_ -= borrowed;
    return done;
  }

  std::size_t borrow() {
    const std::lock_guard lock(mutex_);
    const std::size_t all = static_cast<std::size_t>(options_.threads);
    if (!lends_ || working_ + lent_ >= all) return 0;
    const std::size_t idle = all - working_ - lent_;
    lent_ += idle;
    return idle;
  }

  /// A point that is computed and has to reach the disk.
  struct Ready {
    const PlanPoint* point{};
    StagedResult staged{};  ///< empty for one that failed
    JournalEntry entry{};
  };

  /// A point is at every moment either part of the work of `mine`, or ready, or finished.
  void hand_over(Ready ready, PointProgress& mine) {
    std::unique_lock lock(mutex_);
    ready_news_.wait(lock, [this] { return has_room() || halted_; });
    ready_bytes_ += ready.staged.group.size();
    ready_.push_back(std::move(ready));
    mine.reset();
    ready_news_.notify_all();
  }

  /// Whether one more may be ready.
  bool has_room() const { return ready_.size() < most_ready && ready_bytes_ < most_ready_bytes; }

  /// Brings points to the disk while others are computed, until nobody is at work.
  void commit_all() {
    for (bool working = true; working;) {
      {
        std::unique_lock lock(mutex_);
        ready_news_.wait(lock, [this] { return !ready_.empty() || working_ == 0; });
        working = working_ > 0;
      }
      commit_ready();
    }
    leave();
  }

  /// All that are ready, in one wait for their folders and one for the journal.
  void commit_ready() {
    std::vector<Ready> batch;
    {
      const std::lock_guard lock(mutex_);
      batch.swap(ready_);
      ready_bytes_ = 0;
      committing_ = batch.size();
      ready_news_.notify_all();
    }
    if (batch.empty()) return;
    try {
      commit(batch);
    } catch (const std::exception&) {
      halt(std::current_exception());
    }
    const std::lock_guard lock(mutex_);
    committing_ = 0;
  }

  void commit(std::vector<Ready>& batch) {
    std::vector<StagedResult> done;
    std::vector<JournalEntry> entries;
    for (Ready& ready : batch) {
      if (ready.entry.status == PointStatus::done) done.push_back(std::move(ready.staged));
      entries.push_back(ready.entry);
    }
    folder_.keep(done);
    folder_.record(entries);
    const std::lock_guard lock(mutex_);
    for (Ready& ready : batch) {
      if (ready.entry.status == PointStatus::failed) ++progress_.failed;
      ++progress_.finished;
      finished_.emplace_back(ready.point, std::move(ready.entry));
    }
    committing_ = 0;
    news_.notify_one();
  }

  void halt(std::exception_ptr cause) {
    const std::lock_guard lock(mutex_);
    if (!fatal_) fatal_ = std::move(cause);
    halted_ = true;
    ready_news_.notify_all();
  }

  SweepProgress now() const {
    const std::lock_guard lock(mutex_);
    SweepProgress progress = progress_;
    progress.running = static_cast<double>(ready_.size() + committing_);
    for (const auto& one : at_work_) progress.running += one->fraction();
    progress.seconds = std::chrono::duration<double>(SteadyClock::now() - start_).count();
    return progress;
  }

  using Finished = std::pair<const PlanPoint*, JournalEntry>;

  std::optional<Finished> next_finished() {
    const std::lock_guard lock(mutex_);
    if (finished_.empty()) return std::nullopt;
    std::optional<Finished> first(std::move(finished_.front()));
    finished_.pop_front();
    return first;
  }

  void report(SweepObserver& observer) {
    while (const auto news = next_finished()) observer.finished(*news->first, news->second, now());
  }

  bool wait_for_news() {
    std::unique_lock lock(mutex_);
    if (finished_.empty() && active_ > 0) news_.wait_for(lock, tick_interval);
    return active_ > 0 || !finished_.empty();
  }

  /// Reports to the observer until the last worker has finished.
  void watch(SweepObserver& observer) {
    do {
      report(observer);
      observer.tick(now());
    } while (wait_for_news());
  }

  const Plan& plan_;
  SweepFolder& folder_;
  const RunnerOptions& options_;
  std::vector<const PlanPoint*> pending_;
  SteadyClock::time_point start_{SteadyClock::now()};

  std::atomic<std::size_t> next_{0};
  std::atomic<bool> halted_{false};   ///< drop the running points
  std::atomic<bool> drained_{false};  ///< finish the running points, start no other
  std::vector<std::unique_ptr<PointProgress>> at_work_{};

  mutable std::mutex mutex_{};  ///< guards the members up to fatal_
  std::condition_variable news_{};
  std::condition_variable ready_news_{};
  SweepProgress progress_{};
  std::size_t active_{0};   ///< threads
  std::size_t working_{0};  ///< those of them that compute
  std::size_t lent_{0};     ///< idle ones that draw for others
  bool lends_{false};       ///< whether there are threads at all; set before they begin
  std::vector<Ready> ready_{};
  std::size_t ready_bytes_{0};  ///< of their groups
  std::size_t committing_{0};   ///< points that are no longer ready and not yet finished
  std::deque<Finished> finished_{};
  std::exception_ptr fatal_{};

  std::vector<std::jthread> threads_{};  ///< declared last, so joined before the rest is destroyed
};

nlohmann::ordered_json call_json(const RunnerOptions& options, const SweepProgress& progress,
                                 RunTimes times) {
  return {{"argv", options.argv},
          {"threads", options.threads},
          {"started", iso8601_utc(times.started)},
          {"finished", iso8601_utc(times.finished)},
          {"wall_seconds", times.wall_seconds},
          {"points_computed", progress.finished - progress.failed},
          {"points_failed", progress.failed}};
}

}  // namespace

SweepOutcome run_sweep(const Plan& plan, SweepFolder& folder, const RunnerOptions& options,
                       SweepObserver& observer) {
  RunTimes times{.started = std::chrono::system_clock::now()};
  SweepOutcome outcome = Workers(plan, folder, options).run(observer);
  times.finished = std::chrono::system_clock::now();
  times.wall_seconds = outcome.progress.seconds;
  const bool worked = outcome.progress.finished > 0;
  outcome.points = folder.finish(
      plan, worked ? call_json(options, outcome.progress, times) : nlohmann::ordered_json(nullptr));
  return outcome;
}

}  // namespace orrery
