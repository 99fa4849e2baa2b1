#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session.h"
#include "experiments/figure/layout.h"
#include "experiments/figure/style.h"

namespace orrery {

/// A figure together with what of it is shown.
struct ShownFigure {
  Figure figure{};
  FigureView view{};
};

/// The figures that the view has drawn in this frame, as they are shown.
std::vector<ShownFigure> figures_on_screen(const Session& session);

struct ExportRequest {
  std::vector<ShownFigure> figures{};
  std::string format{"png"};  ///< png, svg, pdf or csv
  Theme theme{Theme::light};
  std::filesystem::path path{};  ///< of several figures each has its id before the extension
  bool replace{false};           ///< whether files that exist are replaced
};

struct ExportOutcome {
  std::vector<std::filesystem::path> written{};
  std::vector<std::filesystem::path> in_the_way{};  ///< when not empty nothing was written
};

/// The bytes of one figure as it is shown. CSV holds the numbers of what is not hidden.
/// Throws UsageError for a format there is not.
std::string export_bytes(const ShownFigure& shown, std::string_view format, Theme theme);
/// Where the figures of a request go.
std::vector<std::filesystem::path> export_paths(const ExportRequest& request);
/// Writes them, each whole or not at all. Throws IoError, UsageError.
ExportOutcome export_figures(const ExportRequest& request);

}  // namespace orrery
