#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/session.h"
#include "app/session/task.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/page.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/studies/catalogue.h"

namespace orrery {

/// A figure with its zoom and the formulas of its experiment.
struct ShownFigure {
  Figure figure{};
  FigureView view{};
  std::vector<Formula> formulas{};  ///< of the experiment
};

/// A figure of the result on screen, with the formulas of its experiment.
ShownFigure shown_figure(const Session& session, const Figure& figure, const FigureView& view);

/// The figures that the view has drawn in this frame, as they are shown.
std::vector<ShownFigure> figures_on_screen(const Session& session);

/// A format of files, and what it is for.
struct ExportFormat {
  const char* name;
  const char* about;
};
inline constexpr std::array export_formats{
    ExportFormat{"png", "Pixels at twice the screen resolution, for slides and e-mail"},
    ExportFormat{"svg", "Vector graphics for the web and for editing"},
    ExportFormat{"pdf", "Vector graphics for papers"},
    ExportFormat{"csv", "The numbers in the figure, for spreadsheets and scripts"}};

struct ExportRequest {
  std::vector<ShownFigure> figures{};
  std::string format{"png"};  ///< png, svg, pdf or csv
  Theme theme{Theme::light};
  Page page{};
  bool formulas{true};           ///< whether pictures show them beneath the title
  bool panels{false};            ///< several figures in one file, as (a), (b), (c)
  bool latex{false};             ///< a .tex file beside each picture, with its caption
  std::filesystem::path path{};  ///< with several figures, each adds its id before the extension
  bool replace{false};           ///< whether existing files are replaced
};

struct ExportOutcome {
  std::vector<std::filesystem::path> written{};
  std::vector<std::filesystem::path> existing{};  ///< unless empty, nothing was written
};

/// The bytes of one figure as it is shown, with or without its formulas. CSV holds the numbers of
/// the visible curves. Throws UsageError for an unknown format.
std::string export_bytes(const ShownFigure& shown, std::string_view format, Theme theme,
                         bool formulas = false, const Page& page = {});
/// Writes the files, each whole or not at all. Throws IoError, UsageError.
ExportOutcome export_figures(const ExportRequest& request);

/// Asks for path and format and exports in the background.
class ExportDialog : public Overlay {
 public:
  explicit ExportDialog(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~ExportDialog() { task_.wait(); }

  /// Writes the files: export_figures, unless a test replaces it.
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
  void draw_page(const Ui& ui);
  void draw_look(const Ui& ui);
  void suit_theme();
  void draw_buttons(Session& session);

  std::function<void()> wake_;
  Writer writer_{export_figures};
  ExportRequest request_{};
  Theme on_screen_{Theme::dark};  ///< theme of the window
  std::string width_{};           ///< typed: a length or the name of a page; empty: as on a screen
  std::string path_{};
  std::string folder_{};   ///< folder of the last export
  std::string trouble_{};  ///< why the files could not be written
  bool asks_to_replace_{false};
  BackgroundTask<ExportOutcome> task_{};
};

}  // namespace orrery
