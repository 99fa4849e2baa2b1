#include "app/dialogs/figure_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "experiments/figure/export.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/results/csv.h"

namespace orrery {
namespace {

/// The figure without its hidden curves.
Figure without_hidden(const ShownFigure& shown) {
  Figure figure = shown.figure;
  if (auto* plot = std::get_if<LinePlot>(&figure.content))
    std::erase_if(plot->series,
                  [&](const Series& series) { return shown.view.hidden.contains(series.name); });
  return figure;
}

/// A file that a request writes: of one figure, or of all as panels.
struct File {
  std::filesystem::path path;
  std::string format;
  const ShownFigure* figure{};  ///< null: all
};

bool is_picture(const ExportRequest& request) { return request.format != "csv"; }

std::vector<File> files_of(const ExportRequest& request) {
  std::filesystem::path stem = request.path;
  if (stem.extension() == "." + request.format) stem.replace_extension();
  std::vector<std::string> formats{request.format};
  if (request.latex && is_picture(request)) formats.emplace_back(latex_format);
  std::vector<File> files;
  const auto add = [&](const std::string& suffix, const ShownFigure* figure) {
    for (const std::string& format : formats)
      files.push_back({stem.string() + suffix + "." + format, format, figure});
  };
  if (request.panels && request.figures.size() > 1 && is_picture(request)) {
    add("", nullptr);
    return files;
  }
  for (const ShownFigure& shown : request.figures)
    add(request.figures.size() > 1 ? "-" + shown.figure.id : "", &shown);
  return files;
}

/// All figures on one page; their zooms stay, as ranges of their axes.
Panels panels_of(const ExportRequest& request, const std::string& id) {
  std::vector<Figure> figures;
  for (const ShownFigure& shown : request.figures) {
    figures.push_back(without_hidden(shown));
    auto* plot = std::get_if<LinePlot>(&figures.back().content);
    if (plot && shown.view.x) plot->x.range = shown.view.x;
    if (plot && shown.view.y) plot->y.range = shown.view.y;
  }
  return lettered_panels(id, "", std::move(figures));
}

std::string bytes_of(const File& file, const ExportRequest& request) {
  const auto of = [&](const ShownFigure& shown) {
    return export_bytes(shown, file.format, request.theme, request.formulas, request.page);
  };
  if (file.figure && file.format != latex_format) return of(*file.figure);
  // LaTeX finds the picture by the name of its file.
  const std::string stem = file.path.stem().string();
  if (file.figure) {
    ShownFigure named = *file.figure;
    named.figure.id = stem;
    return of(named);
  }
  return figure_file(panels_of(request, stem), file.format, theme_name(request.theme),
                     {.page = request.page});
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
                         bool formulas, const Page& page) {
  if (format == "csv") return csv_text(table_of(without_hidden(shown)));
  ExportOptions options{.page = page, .view = shown.view};
  if (formulas) options.formulas = shown.formulas;
  return figure_file(shown.figure, format, theme_name(theme), options);
}

std::vector<std::filesystem::path> export_paths(const ExportRequest& request) {
  std::vector<std::filesystem::path> paths;
  for (const File& file : files_of(request)) paths.push_back(file.path);
  return paths;
}

ExportOutcome export_figures(const ExportRequest& request) {
  if (request.path.filename().empty() || request.path.filename() == "." ||
      request.path.filename() == "..")
    throw UsageError(request.path.string(), "does not name a file",
                     "add a name such as figure.png");
  const std::vector<File> files = files_of(request);
  ExportOutcome outcome;
  std::error_code unknown;
  for (const File& file : files)
    if (!request.replace && std::filesystem::exists(file.path, unknown))
      outcome.existing.push_back(file.path);
  if (!outcome.existing.empty()) return outcome;
  for (const File& file : files) {
    atomic_write(file.path, bytes_of(file, request));
    outcome.written.push_back(file.path);
  }
  return outcome;
}

}  // namespace orrery
