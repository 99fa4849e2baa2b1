#include "app/session/job.h"

#include <algorithm>
#include <utility>

namespace orrery::session {
namespace {

// How often progress redraws the window.
constexpr auto progress_interval = std::chrono::milliseconds(60);

double seconds_since(Job::Clock::time_point begin) {
  return std::chrono::duration<double>(Job::Clock::now() - begin).count();
}

}  // namespace

/// The Job as the work sees it.
class Job::JobProgress : public Progress {
 public:
  JobProgress(Job& job, std::uint64_t ticket) : job_(job), ticket_(ticket) {}
  void update(double fraction, std::string_view stage) override { job_.report(fraction, stage); }
  bool stop_requested() const override { return job_.should_stop(ticket_); }

 private:
  Job& job_;
  std::uint64_t ticket_;
};

Job::Job(std::function<void()> wake, Clock::duration patience)
    : wake_(std::move(wake)), patience_(patience), thread_([this] { loop(); }) {}

Job::~Job() {
  {
    const std::lock_guard lock(mutex_);
    quitting_ = true;
    pending_.reset();
  }
  wanted_.notify_one();
  thread_.join();
}

std::uint64_t Job::submit(Work work) {
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = ++last_ticket_;
    pending_ = Request{ticket, std::move(work)};
  }
  wanted_.notify_one();
  return ticket;
}

void Job::stop() {
  const std::lock_guard lock(mutex_);
  pending_.reset();
  stopped_ticket_ = last_ticket_;
}

Job::Status Job::status() const {
  const std::lock_guard lock(mutex_);
  Status status;
  status.busy = running_ || pending_.has_value();
  if (running_) {
    status.fraction = fraction_;
    status.stage = stage_;
    status.seconds = seconds_since(began_);
  }
  return status;
}

std::optional<Job::Outcome> Job::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(outcome_, std::nullopt);
}

void Job::loop() {
  for (;;) {
    Request request;
    {
      std::unique_lock lock(mutex_);
      wanted_.wait(lock, [this] { return quitting_ || pending_.has_value(); });
      if (quitting_) return;
      request = *std::exchange(pending_, std::nullopt);
      running_ = true;
      fraction_ = 0.0;
      stage_.clear();
      began_ = Clock::now();
    }
    run(request);
  }
}

void Job::run(const Request& request) {
  Outcome outcome;
  outcome.ticket = request.ticket;
  const auto began = Clock::now();
  JobProgress progress(*this, request.ticket);
  try {
    outcome.result = std::make_shared<const Result>(request.work(progress));
  } catch (const Stopped&) {
    // The caller asked to stop and needs no message.
  } catch (const std::exception& failure) {
    outcome.failure = std::current_exception();
    outcome.error = failure.what();
  } catch (...) {
    outcome.failure = std::current_exception();
    outcome.error = "the computation failed for an unknown reason";
  }
  outcome.seconds = seconds_since(began);
  publish(std::move(outcome));
}

void Job::publish(Outcome outcome) {
  {
    const std::lock_guard lock(mutex_);
    running_ = false;
    const bool newest = outcome.ticket == last_ticket_;
    const bool wanted = outcome.ticket > stopped_ticket_ && (outcome.result || newest);
    if (wanted) outcome_ = std::move(outcome);
  }
  if (wake_) wake_();
}

void Job::report(double fraction, std::string_view stage) {
  bool due = false;
  {
    const std::lock_guard lock(mutex_);
    fraction_ = std::clamp(fraction, 0.0, 1.0);
    stage_ = stage;
    const auto now = Clock::now();
    due = now - woken_ > progress_interval;
    if (due) woken_ = now;
  }
  if (due && wake_) wake_();
}

bool Job::should_stop(std::uint64_t ticket) const {
  const std::lock_guard lock(mutex_);
  if (quitting_ || ticket <= stopped_ticket_) return true;
  return ticket != last_ticket_ && Clock::now() - began_ >= patience_;
}

}  // namespace orrery::session
