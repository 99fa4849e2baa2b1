#include "app/dialogs/figure_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "experiments/figure/export.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/results/csv.h"

namespace orrery::dialogs {
namespace {

/// The figure without its hidden curves.
Figure without_hidden(const ShownFigure& shown) {
  Figure figure = shown.figure;
  if (auto* plot = std::get_if<LinePlot>(&figure.content))
    std::erase_if(plot->series,
                  [&](const Series& series) { return shown.view.hidden.contains(series.name); });
  return figure;
}

}  // namespace

ShownFigure shown_figure(const Session& session, const Figure& figure, const FigureView& view) {
  ShownFigure shown{.figure = figure, .view = view};
  if (const auto& result = session.current().result)
    shown.formulas =
        formulas_of({result->provenance.experiment, result->provenance.params, figure.role});
  return shown;
}

std::vector<ShownFigure> figures_on_screen(const Session& session) {
  std::vector<ShownFigure> shown;
  for (const Figure* figure : session.on_screen) {
    const auto& views = session.current().views;
    const auto view = views.find(figure->id);
    shown.push_back(
        shown_figure(session, *figure, view == views.end() ? FigureView{} : view->second));
  }
  return shown;
}

std::string export_bytes(const ShownFigure& shown, std::string_view format, Theme theme,
                         bool formulas) {
  if (format == "csv") return csv_text(table_of(without_hidden(shown)));
  ExportOptions options{.theme = theme, .view = shown.view};
  if (formulas) options.formulas = shown.formulas;
  return export_figure(shown.figure, figure_format_named(format), options);
}

std::vector<std::filesystem::path> export_paths(const ExportRequest& request) {
  std::filesystem::path stem = request.path;
  if (stem.extension() == "." + request.format) stem.replace_extension();
  std::vector<std::filesystem::path> paths;
  for (const ShownFigure& shown : request.figures) {
    const std::string id = request.figures.size() > 1 ? "-" + shown.figure.id : std::string();
    paths.emplace_back(stem.string() + id + "." + request.format);
  }
  return paths;
}

ExportOutcome export_figures(const ExportRequest& request) {
  if (request.path.filename().empty() || request.path.filename() == "." ||
      request.path.filename() == "..")
    throw UsageError(request.path.string(), "does not name a file",
                     "add a name such as figure.png");
  const std::vector<std::filesystem::path> paths = export_paths(request);
  ExportOutcome outcome;
  std::error_code unknown;
  for (const std::filesystem::path& path : paths)
    if (!request.replace && std::filesystem::exists(path, unknown))
      outcome.existing.push_back(path);
  if (!outcome.existing.empty()) return outcome;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    atomic_write(paths[i],
                 export_bytes(request.figures[i], request.format, request.theme, request.formulas));
    outcome.written.push_back(paths[i]);
  }
  return outcome;
}

}  // namespace orrery::dialogs
