#include "app/session/result_store.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace orrery {
namespace {

// How often progress redraws the window.
constexpr auto progress_interval = std::chrono::milliseconds(60);
// How often work shows what it has found so far: figures are made for it.
constexpr auto sight_interval = std::chrono::milliseconds(100);

std::string key_of(const Wish& wish) {
  std::string key = wish.experiment->info.name;
  for (const ParamSpec& spec : wish.params.specs()) key += '\n' + wish.params.to_text(spec.key);
  return key;
}

/// Whether what is computed depends on files, which may have changed since.
bool names_files(const ParamSet& params) {
  return std::any_of(params.specs().begin(), params.specs().end(), [&](const ParamSpec& spec) {
    return spec.kind == ParamKind::file && !params.text(spec.key).empty();
  });
}

}  // namespace

/// What an asker wishes for and what it got.
struct ResultStore::Asker::Queue {
  struct Waiting {
    Wish wish{};
    std::string key{};
  };
  std::vector<Waiting> waiting{};  ///< the next one first
  std::optional<Waiting> running{};
  std::uint64_t running_ticket{};  ///< of the call that asked for it last
  std::uint64_t newest{0};         ///< the ticket of the last call; tickets grow in the whole store
  std::uint64_t stopped{0};        ///< this and older ones are to stop at once
  std::uint64_t delivered{0};      ///< the ticket of the last outcome
  std::vector<Outcome> outcomes{};
  std::optional<Outcome> so_far{};  ///< of what is running
  bool paused{false};

  bool runs(const std::string& key) const { return running && running->key == key; }
  bool wishes_for(const std::string& key) const {
    if (runs(key) && running_ticket == newest && newest > stopped) return true;
    return std::any_of(waiting.begin(), waiting.end(),
                       [&](const Waiting& one) { return one.key == key; });
  }
  void deliver(Outcome outcome, std::uint64_t ticket) {
    if (ticket > delivered) outcomes.clear();
    delivered = ticket;
    outcomes.push_back(std::move(outcome));
  }
};

/// What threads and askers share. Everything but what is constant is guarded by its mutex.
class ResultStore::Shared {
 public:
  using Queue = Asker::Queue;
  using Waiting = Queue::Waiting;

  Shared(std::function<InputLoader()> make_loader, std::function<void()> wake, Options options)
      : make_loader_(std::move(make_loader)),
        wake_(std::move(wake)),
        options_(options),
        memo_(options.max_bytes) {}

  void quit() {
    {
      const std::lock_guard lock(mutex_);
      quitting_ = true;
      for (const std::shared_ptr<Queue>& queue : queues_) queue->waiting.clear();
    }
    wanted_.notify_all();
    resumed_.notify_all();
    // No thread is added any more.
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  friend Asker;
  /// Work in progress, by its key.
  struct Running {
    double fraction{};
    std::string stage{};
    Clock::time_point began{Clock::now()};
    Clock::time_point woken{};
    Clock::time_point seen{};                   ///< when it last showed what it has found
    std::optional<Clock::time_point> halted{};  ///< when its present pause began
    Clock::duration paused{};                   ///< its pauses before

    double seconds() const {
      return std::chrono::duration<double>(halted.value_or(Clock::now()) - began - paused).count();
    }
  };
  /// Reads the files of one experiment, for one thread at a time.
  struct Loader {
    std::mutex mutex{};
    InputLoader load{};
  };

  /// The store as the work sees it.
  class WorkProgress : public Progress {
   public:
    WorkProgress(Shared& shared, const std::string& key) : shared_(shared), key_(key) {}
    void update(double fraction, std::string_view stage) override {
      shared_.report(key_, fraction, stage);
    }
    bool stop_requested() const override {
      shared_.wait_while_paused(key_);
      return shared_.should_stop(key_);
    }
    bool wants_to_see() const override { return shared_.wants_to_see(key_); }
    void see(std::shared_ptr<Result> so_far) override { shared_.see(key_, so_far); }

   private:
    Shared& shared_;
    const std::string& key_;
  };

  // These are called with the mutex held.
  /// The first wish of an asker that is not being computed for another one.
  std::vector<Waiting>::iterator next_of(Queue& queue) const {
    if (queue.running) return queue.waiting.end();
    return std::find_if(queue.waiting.begin(), queue.waiting.end(),
                        [&](const Waiting& one) { return !running_.contains(one.key); });
  }
  /// The asker whose wish is the newest; null where there is nothing to begin.
  Queue* next_queue() {
    Queue* newest = nullptr;
    for (const std::shared_ptr<Queue>& queue : queues_)
      if (next_of(*queue) != queue->waiting.end() && (!newest || queue->newest > newest->newest))
        newest = queue.get();
    return newest;
  }
  /// Sees to it that there is a thread for every asker that has something to begin.
  void grow() {
    if (quitting_) return;
    std::size_t ready = 0;
    for (const std::shared_ptr<Queue>& queue : queues_)
      ready += next_of(*queue) != queue->waiting.end() ? 1U : 0U;
    for (; idle_ < ready; ++idle_) threads_.emplace_back([this] { loop(); });
    wanted_.notify_all();
  }
  Loader& loader_of(const Experiment& experiment) {
    Loader& loader = loaders_[&experiment];
    if (!loader.load) loader.load = make_loader_();
    return loader;
  }
  void finish(Queue& queue, const Waiting& waiting, Outcome outcome) {
    if (!outcome.result) outcome.seconds = running_.at(waiting.key).seconds();
    running_.erase(waiting.key);
    queue.running.reset();
    queue.so_far.reset();
    queue.paused = false;
    const std::uint64_t ticket = queue.running_ticket;
    const bool newest = ticket == queue.newest;
    if (ticket <= queue.stopped || ticket < queue.delivered) return;
    if (outcome.result || (outcome.failure && newest))
      queue.deliver(std::move(outcome), ticket);
    else if (newest && !outcome.failure)
      // It was asked for again after it had been told to stop.
      queue.waiting.insert(queue.waiting.begin(), waiting);
  }
  /// By all for whom it runs, while nobody else wishes for it.
  bool is_paused(const std::string& key) const {
    bool paused = false;
    for (const std::shared_ptr<Queue>& queue : queues_) {
      const bool runs_for_it = queue->runs(key);
      if (queue->wishes_for(key) && !(runs_for_it && queue->paused)) return false;
      paused = paused || (runs_for_it && queue->paused);
    }
    return paused && !quitting_;
  }
  // These lock it.
  /// A thread of the pool; it is idle when it begins.
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Queue* next = nullptr;
      wanted_.wait(lock, [&] { return quitting_ || (next = next_queue()) != nullptr; });
      if (quitting_) return;
      --idle_;
      const auto queue = *std::find_if(queues_.begin(), queues_.end(),
                                       [&](const auto& one) { return one.get() == next; });
      const auto chosen = next_of(*queue);
      const Waiting work = *chosen;
      queue->waiting.erase(chosen);
      queue->running = work;
      queue->running_ticket = queue->newest;
      running_.emplace(work.key, Running{});
      Loader& loader = loader_of(*work.wish.experiment);
      lock.unlock();
      Outcome outcome = compute(work, loader);
      lock.lock();
      finish(*queue, work, std::move(outcome));
      ++idle_;
      grow();
      lock.unlock();
      if (wake_) wake_();
      lock.lock();
    }
  }
  /// Neither result nor failure: it was stopped.
  Outcome compute(const Waiting& waiting, Loader& loader) {
    WorkProgress progress(*this, waiting.key);
    Outcome outcome;
    try {
      outcome = found_or_computed(waiting, loader, progress);
    } catch (const Stopped&) {
      // Those who asked it to stop need no message.
    } catch (const std::exception& failure) {
      outcome.failure = std::current_exception();
      outcome.error = failure.what();
    } catch (...) {
      outcome.failure = std::current_exception();
      outcome.error = "the computation failed for an unknown reason";
    }
    outcome.wish = waiting.wish;
    return outcome;
  }
  Outcome found_or_computed(const Waiting& waiting, Loader& loader, Progress& progress) {
    progress.update(0.0, "reading");
    const ParamSet& params = waiting.wish.params;
    std::shared_ptr<const Inputs> inputs;
    {
      const std::lock_guard lock(loader.mutex);
      inputs = loader.load(params);
    }
    // Without files, inputs are the same however often they are loaded.
    const auto of_files = names_files(params) ? inputs : nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (const ResultMemo::Entry* kept = memo_.find(waiting.key, of_files))
        return {.result = kept->result, .seconds = kept->seconds};
    }
    auto result =
        std::make_shared<const Result>(waiting.wish.experiment->run(params, *inputs, progress));
    const std::lock_guard lock(mutex_);
    const double seconds = running_.at(waiting.key).seconds();
    memo_.keep(waiting.key, {result, of_files, seconds});
    return {.result = std::move(result), .seconds = seconds};
  }
  void report(const std::string& key, double fraction, std::string_view stage) {
    bool due = false;
    {
      const std::lock_guard lock(mutex_);
      Running& work = running_.at(key);
      work.fraction = std::clamp(fraction, 0.0, 1.0);
      work.stage = stage;
      const auto now = Clock::now();
      due = now - work.woken > progress_interval;
      if (due) work.woken = now;
    }
    if (due && wake_) wake_();
  }
  void wait_while_paused(const std::string& key) {
    std::unique_lock lock(mutex_);
    if (!is_paused(key)) return;
    Running& work = running_.at(key);
    work.halted = Clock::now();
    resumed_.wait(lock, [&] { return !is_paused(key); });
    work.paused += Clock::now() - *work.halted;
    work.halted.reset();
  }
  bool should_stop(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    if (quitting_) return true;
    bool stopped = true;  // by all who wished for it
    for (const std::shared_ptr<Queue>& queue : queues_) {
      if (queue->wishes_for(key)) return false;
      if (queue->runs(key) && queue->running_ticket > queue->stopped) stopped = false;
    }
    return stopped || Clock::now() - running_.at(key).began >= options_.patience;
  }
  bool wants_to_see(const std::string& key) const {
    if (should_stop(key)) return false;
    const std::lock_guard lock(mutex_);
    return Clock::now() - running_.at(key).seen > sight_interval;
  }
  void see(const std::string& key, const std::shared_ptr<const Result>& so_far) {
    {
      const std::lock_guard lock(mutex_);
      Running& work = running_.at(key);
      work.seen = Clock::now();
      for (const std::shared_ptr<Queue>& queue : queues_)
        if (queue->runs(key) && queue->running_ticket > queue->stopped)
          queue->so_far =
              Outcome{.wish = queue->running->wish, .result = so_far, .seconds = work.seconds()};
    }
    if (wake_) wake_();
  }

  const std::function<InputLoader()> make_loader_;
  const std::function<void()> wake_;
  const Options options_;
  mutable std::mutex mutex_{};
  std::condition_variable wanted_{}, resumed_{};
  ResultMemo memo_;
  std::vector<std::shared_ptr<Queue>> queues_{};
  std::map<std::string, Running> running_{};
  std::map<const Experiment*, Loader> loaders_{};
  std::uint64_t last_ticket_{0};
  std::size_t idle_{0};  ///< threads that wait for work
  bool quitting_{false};
  std::vector<std::thread> threads_{};
};

ResultStore::ResultStore(std::function<InputLoader()> make_loader, std::function<void()> wake,
                         Options options)
    : shared_(std::make_shared<Shared>(std::move(make_loader), std::move(wake), options)) {}

ResultStore::~ResultStore() { shared_->quit(); }

ResultStore::Asker::Asker(ResultStore& store)
    : shared_(store.shared_), queue_(std::make_shared<Queue>()) {
  const std::lock_guard lock(shared_->mutex_);
  shared_->queues_.push_back(queue_);
}

ResultStore::Asker::~Asker() {
  if (!queue_) return;
  stop();
  const std::lock_guard lock(shared_->mutex_);
  std::erase(shared_->queues_, queue_);
}

ResultStore::Asker::Asker(Asker&&) noexcept = default;

ResultStore::Asker& ResultStore::Asker::operator=(Asker&& other) noexcept {
  std::swap(shared_, other.shared_);
  std::swap(queue_, other.queue_);
  return *this;
}

void ResultStore::Asker::ask(std::vector<Wish> wishes) {
  const std::lock_guard lock(shared_->mutex_);
  queue_->newest = ++shared_->last_ticket_;
  queue_->waiting.clear();
  queue_->paused = false;
  for (Wish& wish : wishes) {
    std::string key = key_of(wish);
    const ResultMemo::Entry* kept =
        names_files(wish.params) ? nullptr : shared_->memo_.find(key, nullptr);
    if (kept)
      queue_->deliver({.wish = std::move(wish), .result = kept->result, .seconds = kept->seconds},
                      queue_->newest);
    else if (queue_->runs(key))
      queue_->running_ticket = queue_->newest;
    else
      queue_->waiting.push_back({std::move(wish), std::move(key)});
  }
  shared_->resumed_.notify_all();
  shared_->grow();
}

void ResultStore::Asker::stop() {
  const std::lock_guard lock(shared_->mutex_);
  queue_->waiting.clear();
  queue_->stopped = queue_->newest;
  queue_->paused = false;
  shared_->resumed_.notify_all();
}

void ResultStore::Asker::pause(bool paused) {
  const std::lock_guard lock(shared_->mutex_);
  queue_->paused = paused && queue_->running;
  shared_->resumed_.notify_all();
}

void ResultStore::Asker::forget() {
  stop();
  take();
}

bool ResultStore::Asker::has_asked() const {
  const std::lock_guard lock(shared_->mutex_);
  return queue_->newest > 0;
}

std::vector<ResultStore::Outcome> ResultStore::Asker::take() {
  const std::lock_guard lock(shared_->mutex_);
  return std::exchange(queue_->outcomes, {});
}

std::optional<ResultStore::Outcome> ResultStore::Asker::take_newest() {
  std::vector<Outcome> outcomes = take();
  if (outcomes.empty()) return std::nullopt;
  return std::move(outcomes.back());
}

std::optional<ResultStore::Outcome> ResultStore::Asker::take_so_far() {
  const std::lock_guard lock(shared_->mutex_);
  return std::exchange(queue_->so_far, std::nullopt);
}

ResultStore::Status ResultStore::Asker::status() const {
  const std::lock_guard lock(shared_->mutex_);
  Status status{.busy = queue_->running || !queue_->waiting.empty()};
  if (!status.busy) return status;
  // What another asker wished for before is waited for.
  const auto work =
      shared_->running_.find(queue_->running ? queue_->running->key : queue_->waiting.front().key);
  if (work == shared_->running_.end()) return status;
  status.fraction = work->second.fraction;
  status.stage = work->second.stage;
  status.paused = shared_->is_paused(work->first);
  status.seconds = work->second.seconds();
  return status;
}

}  // namespace orrery
