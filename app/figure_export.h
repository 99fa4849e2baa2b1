#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session.h"
#include "experiments/figure/equation/catalogue.h"
#include "experiments/figure/layout.h"
#include "experiments/figure/style.h"

namespace orrery {

/// A figure together with what of it is shown.
struct ShownFigure {
  Figure figure{};
  FigureView view{};
  std::vector<SetEquation> formulas{};  ///< that it is about
};

/// A figure of the result on screen, with the formulas of its experiment.
ShownFigure shown_figure(const Session& session, const Figure& figure, const FigureView& view);

/// The figures that the view has drawn in this frame, as they are shown.
std::vector<ShownFigure> figures_on_screen(const Session& session);

struct ExportRequest {
  std::vector<ShownFigure> figures{};
  std::string format{"png"};  ///< png, svg, pdf or csv
  Theme theme{Theme::light};
  bool formulas{true};           ///< whether pictures show them beneath the title
  std::filesystem::path path{};  ///< of several figures each has its id before the extension
  bool replace{false};           ///< whether files that exist are replaced
};

struct ExportOutcome {
  std::vector<std::filesystem::path> written{};
  std::vector<std::filesystem::path> in_the_way{};  ///< when not empty nothing was written
};

/// The bytes of one figure as it is shown, with or without its formulas. CSV holds the numbers of
/// what is not hidden. Throws UsageError for a format there is not.
std::string export_bytes(const ShownFigure& shown, std::string_view format, Theme theme,
                         bool formulas = false);
/// Where the figures of a request go.
std::vector<std::filesystem::path> export_paths(const ExportRequest& request);
/// Writes them, each whole or not at all. Throws IoError, UsageError.
ExportOutcome export_figures(const ExportRequest& request);

}  // namespace orrery
