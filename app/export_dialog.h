#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/figure_export.h"
#include "app/overlay.h"
#include "app/task.h"

namespace orrery {

/// Asks where to and in which format, and writes in the background.
class ExportDialog : public Overlay {
 public:
  explicit ExportDialog(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~ExportDialog() { task_.wait(); }

  /// What writes the files; export_figures unless a test says otherwise.
  using Writer = std::function<ExportOutcome(const ExportRequest&)>;
  void write_with(Writer writer) { writer_ = std::move(writer); }

  /// Opens for these figures of a view, with what was chosen the last time; `stem` is the name
  /// proposed for the file, and `format` the format if it is not that of the last time.
  void ask(std::vector<ShownFigure> figures, const std::string& stem, Theme theme,
           const std::string& format = {});
  void draw(Session& session, const Ui& ui);
  bool is_writing() const { return task_.is_running(); }

 private:
  void write(bool replace);
  void take_outcome(Session& session);
  void draw_formats(const Ui& ui);
  void draw_look(const Ui& ui);
  void draw_buttons(Session& session);

  std::function<void()> wake_;
  Writer writer_{export_figures};
  ExportRequest request_{};
  std::string path_{};
  std::string folder_{};   ///< of the last export
  std::string trouble_{};  ///< what kept the files from being written
  bool in_the_way_{false};
  Task<ExportOutcome> task_{};
};

}  // namespace orrery
