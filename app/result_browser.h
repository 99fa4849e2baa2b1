#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/point_list.h"
#include "app/saved_source.h"
#include "app/session.h"
#include "app/task.h"
#include "app/ui.h"
#include "app/views/view.h"

namespace orrery {

/// What earlier runs and sweeps have left in folders: the points of a sweep as a list, the chosen
/// one with its figures, checks and origin.
class ResultBrowser {
 public:
  explicit ResultBrowser(std::function<void()> wake);

  /// Shows a folder that was read, and of its points the one in `point`, or the first that is done.
  void open(BrowsedFolder folder, const std::string& point = {});
  /// Shows nothing any more.
  void close();
  /// Chooses the point whose result is in that folder; nothing happens when there is none.
  void choose_folder(const std::string& point);
  const std::optional<BrowsedFolder>& folder() const { return folder_; }
  /// Its path; empty when none is open.
  std::string path() const { return folder_ ? folder_->folder.string() : std::string(); }
  /// Chooses a point. One that has no result says so and leaves the picture.
  void choose(std::size_t point);
  /// The chosen point's folder; empty before there is one.
  std::string chosen() const { return session_.current().params.text(SavedSource::kFolder); }

  /// Holds the chosen result, with its views, marks and messages.
  Session& session() { return session_; }
  const Session& session() const { return session_; }
  /// What draws a result, arranged as its experiment is.
  View& view(const Result& result);
  /// Takes what has been loaded. Call once a frame.
  void update();
  bool busy() const { return session_.busy() || facts_task_.is_running(); }

  /// Sweep and counts in words.
  std::string summary() const;
  /// The height that the list takes, of so much; 0 for a single result.
  double list_height(double room, const Ui& ui) const;
  /// The list, with its filter, into the current window.
  void draw_list(const Ui& ui);

  enum class Wish { none, open_live, pin };
  /// The buttons, settings and origin of the chosen result.
  Wish draw_facts(const Ui& ui);

 private:
  std::optional<std::size_t> place_of(const std::string& point) const;
  void draw_row(std::size_t point, std::size_t scalars, const Ui& ui);
  void take_sorting();

  SavedSource source_{};
  Session session_;
  std::function<void()> wake_;
  std::optional<BrowsedFolder> folder_{};
  PointOrder order_{};
  std::optional<PointOrder> listed_by_{};  ///< that listed_ is of
  std::vector<std::size_t> listed_{};
  std::map<std::string, std::unique_ptr<View>> views_{};  ///< by experiment
  std::shared_ptr<const Result> described_{};             ///< that facts_ are of
  Facts facts_{};
  Task<Facts> facts_task_{};
};

}  // namespace orrery
