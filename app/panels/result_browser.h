#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/saved_results.h"
#include "app/session/session.h"
#include "app/session/task.h"
#include "app/views/result_view.h"

namespace orrery {

/// Browses the folders of saved runs and sweeps: lists the points of a sweep and shows the chosen
/// one with its figures, checks and origin.
class ResultBrowser {
 public:
  explicit ResultBrowser(std::function<void()> wake);

  /// Shows a folder that was read: its point in the folder `point`; else a sweep with all points
  /// together, where that can be drawn, or the first finished one.
  void open(SweepIndex folder, const std::string& point = {});
  /// Closes the folder.
  void close();
  /// Chooses the point whose result is in that folder; nothing happens when there is none.
  void choose_folder(const std::string& point);
  const std::optional<SweepIndex>& folder() const { return folder_; }
  /// Its path; empty when none is open.
  std::string path() const { return folder_ ? folder_->folder.string() : std::string(); }
  /// Chooses a point. Without a result it shows a message and leaves the figures.
  void choose(std::size_t point);
  /// Chooses all points of a sweep, drawn together.
  void choose_all();
  /// Chooses what colours and panels of all points tell; empty for what suits them.
  void tell_by(const std::string& hue, const std::string& facet);
  const std::string& hue() const { return look(saved_hue_key); }
  const std::string& facet() const { return look(saved_facet_key); }
  bool shows_all() const { return folder_ && folder_->is_sweep && chosen() == path(); }
  /// The chosen point's folder, or the sweep's for all of them; empty before there is one.
  std::string chosen() const { return session_.current().params.text(saved_folder_key); }

  /// Holds the chosen result, with its views, marks and messages.
  Session& session() { return session_; }
  const Session& session() const { return session_; }
  /// The view that draws a result, arranged as its experiment is.
  ResultView& view(const Result& result);
  /// Takes what has been loaded. Call once per frame.
  void update();
  bool busy() const { return session_.busy() || facts_task_.is_running(); }

  /// The experiment and the numbers of finished, failed and pending points.
  std::string summary() const;
  /// The height of the list when `room` is available; 0 for a single result.
  double list_height(double room, const Ui& ui) const;
  /// The list, with its filter, into the current window.
  void draw_list(const Ui& ui);

  enum class Request { none, open_live, pin };
  /// The buttons, settings and origin of the chosen result.
  Request draw_facts(const Ui& ui);

 private:
  std::optional<std::size_t> place_of(const std::string& point) const;
  const std::string& look(const char* key) const { return session_.current().params.text(key); }
  void choose_first();
  void draw_all_button(const Ui& ui);
  void draw_look(const Ui& ui);
  std::optional<std::string> draw_setting(const char* label, const std::string& chosen,
                                          const Ui& ui) const;
  void draw_folder() const;
  void draw_row(std::size_t point, std::size_t scalars, const Ui& ui);
  void take_sorting();

  Experiment source_{saved_source()};
  Session session_;
  std::function<void()> wake_;
  std::optional<SweepIndex> folder_{};
  std::vector<std::string> settings_{};  ///< those that differ between its points
  bool may_fall_back_{};                 ///< whether all points were chosen without being asked for
  PointOrder order_{};
  std::optional<PointOrder> listed_by_{};  ///< order of listed_
  std::vector<std::size_t> listed_{};
  std::map<std::string, ResultView> views_{};  ///< by experiment
  std::shared_ptr<const Result> described_{};  ///< result that facts_ describe
  FolderFacts facts_{};
  BackgroundTask<FolderFacts> facts_task_{};
};

}  // namespace orrery
