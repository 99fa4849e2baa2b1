#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/desktop_state.h"
#include "app/job.h"
#include "app/link_state.h"
#include "app/view_state.h"
#include "experiments/experiment.h"
#include "experiments/figure/layout.h"
#include "experiments/figure/style.h"

namespace orrery {

/// One experiment as its user left it.
struct ExperimentState {
  const Experiment* experiment{};
  ParamSet params;                          ///< what the controls show
  std::shared_ptr<const Result> result{};   ///< the last good one; null before the first
  std::optional<ParamSet> result_params{};  ///< what it was computed with
  double seconds{};                         ///< how long that took
  std::string message{};                    ///< what went wrong last; empty when all is well
  std::exception_ptr failure{};             ///< the exception behind the message, if there was one
  bool job_failed{};                        ///< whether the message is of a job
  std::map<std::string, FigureView> views{};  ///< by figure id
  std::string figure{};                       ///< id of the figure on top; empty: the first
  ViewState shown{};

  /// Whether the controls say something else than the picture.
  bool is_stale() const { return !result_params || !(*result_params == params); }
};

/// All that the desktop remembers, without any drawing. Every change of a parameter starts a job;
/// the last good result stays until the new one is ready, and through any failure.
class Session {
 public:
  /// Reads the files that parameters name; called in a job's thread.
  using InputLoader = std::function<std::shared_ptr<const Inputs>(const ParamSet&)>;

  /// `make_loader` gives each experiment a loader of its own, since their jobs run side by side.
  /// `wake` is called from other threads when update() has something to take.
  Session(const std::vector<const Experiment*>& experiments,
          const std::function<InputLoader()>& make_loader, std::function<void()> wake);
  ~Session();

  std::size_t size() const { return states_.size(); }
  const ExperimentState& state(std::size_t index) const { return states_.at(index); }
  const ExperimentState& current() const { return states_.at(selected_); }
  std::size_t selected() const { return selected_; }
  /// Position of an experiment by name; empty when there is none such.
  std::optional<std::size_t> find(std::string_view name) const;

  /// Shows an experiment, computing it if it never was.
  void select(std::size_t index);
  void select_figure(std::string id) { states_.at(selected_).figure = std::move(id); }
  FigureView& view(const std::string& figure_id) { return states_.at(selected_).views[figure_id]; }
  ViewState& shown() { return states_.at(selected_).shown; }

  /// What is pointed at, shared by all views.
  LinkState links{};
  /// The figures that the view has drawn in this frame; they live as long as the frame.
  std::vector<const Figure*> on_screen{};
  /// Writes a figure as it is shown, in the format of an extension ("svg"); empty: not offered.
  std::function<void(const Figure&, const FigureView&, const std::string& extension)>
      export_figure{};

  /// Computes the current experiment at other parameters beside its result, for what the mouse
  /// points at: the newest wins, failures are nobody's business, and busy() does not count it.
  void preview(const ParamSet& params);
  /// The newest result of preview() and its parameters; null before the first.
  std::shared_ptr<const Result> previewed() const { return preview_.result; }
  bool is_previewing() const;
  const std::optional<ParamSet>& previewed_params() const { return preview_.params; }

  // Changes of the current experiment's parameters. What a ParamSpec refuses leaves everything as
  // it was, and the message says why; these return whether it was accepted.
  bool set(std::string_view key, std::string_view text);
  bool set_value(std::string_view key, ParamValue value);
  void reset(std::string_view key);
  void reset_all();
  /// Back to the parameters of the result on screen.
  void restore();

  /// Computes the current parameters again, after a stop.
  void recompute();
  /// Stops the current experiment's job and drops its result and settings.
  void forget();
  /// Stops the current experiment's job, and says so.
  void stop() { stop(selected_); }
  void stop(std::size_t index);
  void say(std::string message) { say(selected_, std::move(message)); }
  void dismiss() { say({}); }

  /// What is set, to be kept; the results are not part of it.
  DesktopState snapshot() const;
  /// Brings a snapshot back, computing what is on screen and what was computed before. Experiments
  /// are found by name; those that the state does not have stay as they are.
  void apply(const DesktopState& state);

  /// Something that went well, in the status line for a while.
  void note(std::string words) {
    note_ = std::move(words);
    ++notes_;
  }
  /// How many there have been: the same words twice are news twice.
  std::uint64_t notes() const { return notes_; }
  const std::string& note() const { return note_; }

  /// Wakes whoever draws, from any thread.
  const std::function<void()>& wake() const { return wake_; }

  /// Takes what the jobs have finished. Call once a frame; never waits.
  void update();
  /// Of the current experiment's job.
  Job::Status status() const { return status(selected_); }
  Job::Status status(std::size_t index) const;
  /// Whether any job runs or is about to.
  bool busy() const;

  Theme theme{Theme::dark};
  double scale{1.0};
  bool projector{false};  ///< large type, thick lines, nothing but the figure
  bool show_list{true};
  bool show_panel{true};
  std::optional<double> findings{};   ///< height of the checks at scale 1; 0: hidden; none: suits
  SavedShown saved{};                 ///< what the browser of saved results shows
  std::vector<std::string> recent{};  ///< files and folders, the newest first
  /// Puts a path at the head of `recent`.
  void remember_path(const std::string& path);

 private:
  void say(std::size_t index, std::string message);
  bool change(const std::function<void(ParamSet&)>& edit);
  void submit(std::size_t index);
  void update_preview();

  std::vector<ExperimentState> states_{};
  std::size_t selected_{0};
  std::string note_{};
  std::uint64_t notes_{0};
  std::function<void()> wake_;
  std::function<InputLoader()> make_loader_;
  struct Running {
    InputLoader load{};
    std::unique_ptr<Job> job{};
    std::map<std::uint64_t, ParamSet> submitted{};  ///< by ticket
  };
  struct Preview {
    std::size_t index{};              ///< of the experiment
    std::optional<ParamSet> asked{};  ///< the newest that was asked for
    std::optional<ParamSet> params{};
    std::shared_ptr<const Result> result{};
    Running running{};
  };
  Preview preview_{};
  std::vector<Running> running_{};  ///< one an experiment; last, so that jobs end first
};

}  // namespace orrery
