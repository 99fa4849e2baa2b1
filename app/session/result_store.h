#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "experiments/model/experiment.h"

namespace orrery {

/// The memory that a result takes, without what is small: its arrays, curves, tables and arrows.
std::size_t bytes_of(const Result& result);

/// Results by experiment and settings, those used last, as many as fit. Not thread-safe.
class ResultMemo {
 public:
  struct Entry {
    std::shared_ptr<const Result> result{};
    std::shared_ptr<const Inputs> inputs{};  ///< that it was computed with; null without files
    double seconds{};                        ///< that it took
  };

  explicit ResultMemo(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Null where the result is not kept, or is of other inputs: of a file as it was before.
  const Entry* find(const std::string& key, const std::shared_ptr<const Inputs>& inputs);
  /// Keeps it in place of what was kept under this key, unless it is larger than all that fits.
  void keep(const std::string& key, Entry entry);

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Kept {
    std::string key{};
    Entry entry{};
    std::size_t bytes{};
  };
  void drop(std::list<Kept>::iterator kept);

  const std::size_t max_bytes_;
  std::size_t bytes_{0};
  std::list<Kept> entries_{};  ///< the one used last comes first
  std::unordered_map<std::string, std::list<Kept>::iterator> by_key_{};
};

/// Reads the files that parameters name; called in a thread of the store.
using InputLoader = std::function<std::shared_ptr<const Inputs>(const ParamSet&)>;

/// An experiment at some parameters, to be computed.
struct Wish {
  const Experiment* experiment{};
  ParamSet params{{}};
};

/// Computes results in the background and keeps them, as many as fit: what was computed before is
/// there at once, and two who wish for the same share one computation. Experiments are pure, so a
/// result is of its parameters and of its files as they were when it was computed. No call waits
/// for work but the destructor, which asks it to stop first.
class ResultStore {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    std::size_t max_bytes{std::size_t{512} << 20};  ///< of the results that are kept; 0: none is
    /// Work that nobody wishes for any more is asked to stop once it has run for so long: short
    /// work finishes, so that a picture follows a dragged slider; long work makes room.
    Clock::duration patience{std::chrono::milliseconds(150)};
  };
  struct Outcome {
    Wish wish{};
    std::shared_ptr<const Result> result{};  ///< null when it failed
    std::exception_ptr failure{};            ///< null unless it failed
    std::string error{};                     ///< its message
    double seconds{};                        ///< that it took when it was computed
  };
  struct Status {
    bool busy{};  ///< running, or about to
    double fraction{};
    std::string stage{};
    double seconds{};  ///< that the running work has taken, without its pauses
    bool paused{};
  };
  class Asker;

  /// `make_loader` gives each experiment a loader of its own. `wake` is called from other threads
  /// whenever there is something new to show.
  ResultStore(std::function<InputLoader()> make_loader, std::function<void()> wake,
              Options options);
  ResultStore(std::function<InputLoader()> make_loader, std::function<void()> wake)
      : ResultStore(std::move(make_loader), std::move(wake), Options{}) {}
  ~ResultStore();
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

 private:
  class Shared;
  std::shared_ptr<Shared> shared_;
};

/// One who asks the store: a view, a preview, a sweep. What it asked for last replaces what it
/// asked for before; its wishes are computed one after the other, those of several askers side by
/// side, the newest first. It may outlive the store, and gets nothing then.
class ResultStore::Asker {
 public:
  explicit Asker(ResultStore& store);
  ~Asker();
  Asker(Asker&&) noexcept;
  Asker& operator=(Asker&&) noexcept;

  void ask(Wish wish) { ask(std::vector<Wish>{std::move(wish)}); }
  void ask(std::vector<Wish> wishes);
  /// Withdraws all wishes; a computation that no other asker wants stops at once.
  void stop();
  /// Lets the work that runs for it wait, or go on: it waits where it would report its progress,
  /// unless another asker wishes for it too. Asking and stopping let it go on.
  void pause(bool paused);
  /// Stops, and drops the outcomes that were not taken.
  void forget();
  bool has_asked() const;

  /// The outcomes since the last call, the oldest first. A result that was overtaken by newer
  /// wishes is among them; failures and stops of overtaken work are not.
  std::vector<Outcome> take();
  /// The newest of them; the others are dropped.
  std::optional<Outcome> take_newest();
  /// What its work has found so far, where it shows that and has found more since the last call.
  std::optional<Outcome> take_so_far();
  Status status() const;

 private:
  struct Queue;
  friend Shared;

  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Queue> queue_;
};

}  // namespace orrery
