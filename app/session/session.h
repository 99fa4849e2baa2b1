#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/desktop_state.h"
#include "app/session/references.h"
#include "app/session/result_store.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// More curves than this cannot be told apart by their colours.
inline constexpr std::size_t sweep_values = 6;

/// A number of an experiment swept in place: everything else stays as it is set. The points are
/// computed in the background, one after the other, the ends first.
class LiveSweep {
 public:
  explicit LiveSweep(ResultStore& store) : asker_(store) {}

  /// Sweeps `key` from one number to another around `params`; what was computed already stays.
  /// Returns whether that is several points.
  bool ask(const Experiment& experiment, const ParamSet& params, std::string_view key, double from,
           double to);
  void stop();
  /// Takes what has been computed. Call once per frame; never waits.
  void update();

  /// Null while nothing is swept.
  const Experiment* experiment() const { return experiment_; }
  /// The settings on screen, around which the number is swept.
  const ParamSet& params() const { return *params_; }
  const std::string& key() const { return key_; }
  /// The swept values as text, the smallest first.
  std::vector<std::string> values() const;
  /// The results at these values as far as they are there. Until all are, also those at the values
  /// before, so that nothing blinks while the range is dragged. They hold figures alone, without
  /// maps that are too large to be kept many times.
  const std::vector<std::shared_ptr<const Result>>& results() const { return shown_; }
  /// How many of the values are there.
  std::size_t done() const;
  std::size_t size() const { return points_.size(); }
  bool is_complete() const;
  /// Whether points are being computed.
  bool busy() const { return experiment_ && asker_.status().busy; }
  /// Why a point failed; empty if none did.
  std::string problem() const;

 private:
  /// A value with what was found at it.
  struct Point {
    ParamSet params{{}};
    std::shared_ptr<const Result> result{};
    std::string error{};  ///< why there is none

    bool is_missing() const { return !result && error.empty(); }
  };
  using Points = std::vector<Point>;

  static Point* find(Points& points, const ParamSet& params);
  std::vector<Wish> missing() const;
  void gather();

  const Experiment* experiment_{};
  std::optional<ParamSet> params_{};
  std::string key_{};
  Points points_{};  ///< by value
  std::vector<std::shared_ptr<const Result>> shown_{};
  ResultStore::Asker asker_;
};

/// What the last move of one control did, found by comparing the results before and after it.
struct ObservedMove {
  std::string key{};
  std::string from{}, to{};           ///< its values as text
  ParamSet params{{}};                ///< after it
  std::set<std::string> unchanged{};  ///< ids of the figures that draw the same before and after
};

/// Whether two figures draw the same numbers, words and lines, whatever title and caption say.
bool draws_same(const Figure& a, const Figure& b);

/// Null unless exactly one parameter differs.
std::shared_ptr<const ObservedMove> observed_move(const Result& before, const ParamSet& from,
                                                  const Result& after, const ParamSet& to);

/// The state of one experiment.
struct ExperimentState {
  const Experiment* experiment{};
  ParamSet params;                          ///< as the controls show them
  std::shared_ptr<const Result> result{};   ///< the last successful one; null before the first
  std::optional<ParamSet> result_params{};  ///< what it was computed with
  /// The last one that is whole, with its parameters: `result` may be what a run has found so far.
  std::shared_ptr<const Result> whole{};
  std::optional<ParamSet> whole_params{};
  /// What the last move of a control did to the figures; null unless it was of one alone.
  std::shared_ptr<const ObservedMove> moved{};
  double seconds{};              ///< how long that took
  std::string message{};         ///< the last error; empty without one
  std::exception_ptr failure{};  ///< the exception behind the message, if there was one
  bool run_failed{};             ///< whether the message comes from a computation
  /// The file parameter without which there is nothing to compute yet: k where q is open.
  std::string awaits{};
  std::map<std::string, FigureView> views{};  ///< by figure id
  std::string figure{};                       ///< id of the figure on top; empty: the first
  ViewState shown{};

  /// Whether the parameters differ from those of the result.
  bool is_stale() const { return !result_params || !(*result_params == params); }
  /// The file that the result is of, where another one is named now; empty otherwise.
  std::string other_file() const;
};

/// The state of the desktop, without any drawing. Every change of a parameter asks for a result:
/// one that is kept is there at once, otherwise the last good one stays until the new one is
/// ready, and through any failure.
class Session {
 public:
  /// A result at other parameters than those that are set, for what the mouse points at.
  struct Preview {
    std::shared_ptr<const Result> result{};  ///< the newest; null before the first
    std::optional<ParamSet> params{};        ///< its parameters
  };

  /// `make_loader` gives each experiment a loader of its own, since they are computed side by side.
  /// `wake` is called from other threads when update() has something to take.
  Session(const std::vector<const Experiment*>& experiments,
          std::function<InputLoader()> make_loader, std::function<void()> wake,
          ResultStore::Options options = {});
  ~Session();

  std::size_t size() const { return states_.size(); }
  const ExperimentState& state(std::size_t index) const { return states_.at(index); }
  const ExperimentState& current() const { return states_.at(selected_); }
  std::size_t selected() const { return selected_; }
  /// The index of an experiment by name; empty when there is none.
  std::optional<std::size_t> find(std::string_view name) const;

  /// Shows an experiment, computing it if it never was.
  void select(std::size_t index);
  void select_figure(std::string id) { states_.at(selected_).figure = std::move(id); }
  FigureView& view(const std::string& figure_id) { return states_.at(selected_).views[figure_id]; }
  ViewState& shown() { return states_.at(selected_).shown; }

  /// The place that the mouse points at, shared by all views.
  LinkedCursor links{};
  /// The figures that the view has drawn in this frame; they live as long as the frame.
  std::vector<const Figure*> on_screen{};
  /// Writes a figure as it is shown, in the format of an extension ("svg"); empty: not offered.
  std::function<void(const Figure&, const FigureView&, const std::string& extension)>
      export_figure{};

  /// Where results are computed and kept.
  ResultStore& results() { return store_; }

  /// What the current experiment is computed for beside its result.
  enum class Beside { at_distance, part_of_map };
  /// Asks for other parameters. Returns the newest that is there, which may be of parameters asked
  /// for before; a failure is not told. busy() does not count it.
  const Preview& preview(Beside beside, const ParamSet& params);
  const Preview& previewed(Beside beside) const;
  bool is_previewing(Beside beside) const { return slot(beside).asker.status().busy; }
  bool is_previewing() const;

  /// Sweeps a number of the current experiment in place, from one value to another; everything else
  /// stays as it is set. Returns whether that is several points. busy() does not count them.
  bool sweep(std::string_view key, double from, double to);
  void end_sweep() { sweep_.stop(); }
  /// The sweep of the current experiment around its present settings; null where there is none.
  const LiveSweep* swept() const;
  bool is_sweeping() const { return sweep_.busy(); }

  // Changes of the current experiment's parameters. What a ParamSpec refuses leaves everything as
  // it was, and the message explains why; these return whether it was accepted.
  bool set(std::string_view key, std::string_view text);
  bool set_value(std::string_view key, ParamValue value);
  void reset(std::string_view key);
  void reset_all();
  /// Sets a text, the default one where it is empty. A view that has it among its first controls
  /// shares it with all others that do; those compute it when they are shown.
  bool set_text(std::string_view key, const std::string& text);
  /// Back to the parameters of the result on screen.
  void restore();

  /// Computes the current parameters again, after a stop.
  void recompute();
  /// Stops the current experiment's computation and drops its result and settings.
  void forget();
  /// Stops the current experiment's computation and shows a message.
  void stop() { stop(selected_); }
  void stop(std::size_t index);
  /// Lets the computation of an experiment wait, or go on. A paused one is not busy.
  void pause(std::size_t index);
  void say(std::string message) { say(selected_, std::move(message)); }
  void dismiss() { say({}); }

  /// The state to keep, without results.
  DesktopState snapshot() const;
  /// Restores a snapshot, computing what is on screen and what was computed before. Experiments
  /// are found by name; those that the state does not have stay as they are.
  void apply(const DesktopState& state);

  /// Shows a note about something that went well in the status line for a while.
  void note(std::string words) {
    note_ = std::move(words);
    ++notes_;
  }
  /// The number of notes so far: the same note again is a new one.
  std::uint64_t notes() const { return notes_; }
  const std::string& note() const { return note_; }

  /// Makes the window draw a frame; callable from any thread.
  const std::function<void()>& wake() const { return wake_; }

  /// Takes what has been computed. Call once per frame; never waits.
  void update();
  /// The status of the current experiment's computation.
  ResultStore::Status status() const { return status(selected_); }
  ResultStore::Status status(std::size_t index) const;
  /// Whether any experiment is being computed or is about to.
  bool busy() const;

  Look look{};
  SavedShown saved{};                               ///< state of the browser of saved results
  std::vector<std::string> recent{};                ///< files and folders, the newest first
  std::map<std::string, LessonProgress> lessons{};  ///< by a lesson's name: "08-decay"
  /// Puts a path at the head of `recent`.
  void remember_path(const std::string& path);

 private:
  /// A file that cannot be read leaves nothing of its name: the ones of the result stand again.
  static void take_back_files(ExperimentState& state, const ParamSet& failed);
  void say(std::size_t index, std::string message);
  bool change(const std::function<void(ParamSet&)>& edit);
  void submit(std::size_t index);
  void take(std::size_t index);

  struct PreviewSlot {
    explicit PreviewSlot(ResultStore& store) : asker(store) {}
    ResultStore::Asker asker;
    std::shared_ptr<const Result> beside{};  ///< the result that it is asked for beside
    std::optional<ParamSet> asked{};         ///< the newest that was asked for
    Preview shown{};

    void take();
  };
  PreviewSlot& slot(Beside beside) { return previews_.at(static_cast<std::size_t>(beside)); }
  const PreviewSlot& slot(Beside beside) const {
    return previews_.at(static_cast<std::size_t>(beside));
  }

  std::vector<ExperimentState> states_{};
  std::size_t selected_{0};
  std::string note_{};
  std::uint64_t notes_{0};
  std::function<void()> wake_;
  ResultStore store_;
  std::array<PreviewSlot, 2> previews_{PreviewSlot(store_), PreviewSlot(store_)};
  LiveSweep sweep_{store_};
  std::vector<ResultStore::Asker> askers_{};  ///< one per experiment
};

}  // namespace orrery
