#include "app/shell/overlays.h"

#include <fmt/format.h>

namespace orrery {

ExportRequester::ExportRequester(Workspace& workspace, ExportDialog& dialog)
    : workspace_(workspace), dialog_(dialog) {
  const auto export_one = [this](const Figure& figure, const FigureView& view,
                                 const std::string& extension) {
    ask_for(figure, view, extension);
  };
  workspace.live().export_figure = export_one;
  workspace.browser().session().export_figure = export_one;
}

ExportRequester::~ExportRequester() {
  workspace_.live().export_figure = nullptr;
  workspace_.browser().session().export_figure = nullptr;
}

void ExportRequester::update() {
  const std::optional<std::string> format = std::exchange(requested_, std::nullopt);
  if (!format) return;
  Session& live = workspace_.live();
  std::vector<ShownFigure> figures = figures_on_screen(workspace_.shown());
  if (figures.empty()) return live.note("There is no figure to export yet.");
  const std::string experiment = workspace_.shown().current().experiment->info.name;
  const std::string stem = figures.size() == 1
                               ? fmt::format("{}-{}", experiment, figures.front().figure.id)
                               : experiment;
  dialog_.ask(std::move(figures), stem, live.look.theme, *format);
}

void ExportRequester::ask_for(const Figure& figure, const FigureView& view,
                              const std::string& extension) {
  const std::string experiment = workspace_.shown().current().experiment->info.name;
  dialog_.ask({shown_figure(workspace_.shown(), figure, view)}, experiment + "-" + figure.id,
              workspace_.live().look.theme, extension);
}

}  // namespace orrery
