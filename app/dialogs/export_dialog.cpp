#include "app/dialogs/export_dialog.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <system_error>

#include "app/gui/imgui_shim.h"
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

constexpr double dialog_width = 560;

std::string working_folder() {
  std::error_code failed;
  const std::filesystem::path here = std::filesystem::current_path(failed);
  return failed ? std::string() : here.string();
}

/// Whether Enter is for the sheet: no field has it, and no button that the keyboard is on.
bool enter_pressed() {
  return shim::key_pressed(GLFW_KEY_ENTER, false) && ImGui::IsWindowFocused() &&
         !ImGui::IsAnyItemActive() && !ImGui::GetIO().NavVisible;
}

/// "a.png" or "a.png and 3 more".
std::string names_of(const std::vector<std::filesystem::path>& paths) {
  const std::string first = paths.front().string();
  return paths.size() == 1 ? first : fmt::format("{} and {} more", first, paths.size() - 1);
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
  for (const Figure* figure : session.on_screen)
    shown.push_back(shown_figure(session, *figure, view_in(session.current().views, figure->id)));
  return shown;
}

std::string export_bytes(const ShownFigure& shown, std::string_view format, Theme theme,
                         bool formulas, const Page& page) {
  if (format == "csv") return csv_text(table_of(without_hidden(shown)));
  ExportOptions options{.page = page, .view = shown.view};
  if (formulas) options.formulas = shown.formulas;
  return figure_file(shown.figure, format, theme_name(theme), options);
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

void ExportDialog::ask(std::vector<ShownFigure> figures, const std::string& stem, Theme theme,
                       const std::string& format) {
  if (figures.empty() || task_.is_running()) return;
  request_.figures = std::move(figures);
  on_screen_ = theme;
  if (!format.empty()) request_.format = format;
  suit_theme();
  if (folder_.empty()) folder_ = working_folder();
  path_ = (std::filesystem::path(folder_) / (stem + "." + request_.format)).string();
  trouble_.clear();
  asks_to_replace_ = false;
  open();
}

void ExportDialog::suit_theme() {
  request_.theme = request_.format == "png" ? on_screen_ : Theme::print;
}

void ExportDialog::write(bool replace) {
  request_.path = path_;
  const std::optional<bool> title = request_.page.title, caption = request_.page.caption;
  try {
    request_.page = width_.empty() ? Page{} : page_named("width", width_);
  } catch (const std::exception& refusal) {
    trouble_ = refusal.what();
    return;
  }
  request_.page.title = title;
  request_.page.caption = caption;
  request_.replace = replace;
  trouble_.clear();
  asks_to_replace_ = false;
  task_ = BackgroundTask<ExportOutcome>(
      [request = request_, writer = writer_] { return writer(request); }, wake_);
}

void ExportDialog::take_outcome(Session& session) {
  auto outcome = task_.take();
  if (!outcome) return;
  if (!outcome->value) {
    trouble_ = outcome->error;
  } else if (!outcome->value->existing.empty()) {
    const bool several = outcome->value->existing.size() > 1;
    trouble_ =
        names_of(outcome->value->existing) + (several ? " already exist." : " already exists.");
    asks_to_replace_ = true;
  } else {
    session.note("Wrote " + names_of(outcome->value->written));
    folder_ = std::filesystem::path(path_).parent_path().string();
    close();
  }
}

void ExportDialog::draw_formats(const Ui& ui) {
  for (const ExportFormat& format : export_formats) {
    const bool chosen = request_.format == format.name;
    if (ImGui::RadioButton(format.name, chosen)) {
      std::filesystem::path path = path_;
      if (path.extension() == "." + request_.format) path.replace_extension(format.name);
      path_ = path.string();
      request_.format = format.name;
      suit_theme();
      asks_to_replace_ = false;
    }
    mark_item(ui, fmt::format("format {}", format.name));
    ImGui::SameLine(ui.px(90));
    text_muted(format.about);
  }
}

void ExportDialog::draw_page(const Ui& ui) {
  ImGui::SetNextItemWidth(ui.px(110));
  if (ImGui::InputTextWithHint("##width", "as on screen", &width_)) asks_to_replace_ = false;
  mark_item(ui, "export width");
  tooltip(ui,
          "3.25in, 8.5cm or 240pt: text keeps its size in points, and curves are named at their\n"
          "ends. Empty: as large as on a screen.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  draw_text("width");
  for (const PagePreset& preset : page_presets()) {
    ImGui::SameLine();
    if (ImGui::SmallButton(std::string(preset.name).c_str())) {
      width_ = preset.name;
      request_.page.title.reset();
      request_.page.caption.reset();
      asks_to_replace_ = false;
    }
    tooltip(ui, std::string(preset.about));
  }
  const bool sized = !width_.empty();
  const auto box = [&](const char* label, std::optional<bool>& shown) {
    bool on = shown.value_or(!sized);
    if (ImGui::Checkbox(label, &on)) shown = on;
  };
  box("Title", request_.page.title);
  ImGui::SameLine(0, ui.px(18));
  box("Caption", request_.page.caption);
  ImGui::SameLine(0, ui.px(18));
  ImGui::Checkbox(".tex with the caption", &request_.latex);
  if (request_.figures.size() < 2) return;
  ImGui::SameLine(0, ui.px(18));
  ImGui::Checkbox("One file: (a), (b) …", &request_.panels);
}

void ExportDialog::draw_look(const Ui& ui) {
  constexpr std::array themes{"Dark", "Light", "Print"};
  int theme = static_cast<int>(request_.theme);
  ImGui::SetNextItemWidth(ui.px(110));
  if (ImGui::Combo("colours", &theme, themes.data(), static_cast<int>(themes.size())))
    request_.theme = static_cast<Theme>(theme);
  if (request_.figures.front().formulas.empty()) return;
  ImGui::SameLine(0, ui.px(28));
  ImGui::Checkbox("Show formulas below the title", &request_.formulas);
}

void ExportDialog::draw_buttons(Session& session) {
  if (task_.is_running()) {
    text_muted("Writing …");
    return;
  }
  const bool entered = asks_to_replace_ ? ImGui::Button("Replace") : ImGui::Button("Export");
  if (entered) write(asks_to_replace_);
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) close();
  take_outcome(session);
}

void ExportDialog::draw(Session& session, const Ui& ui) {
  if (!is_open()) return;
  take_outcome(session);
  if (!begin("Export figure", dialog_width, 0, ui)) return;
  draw_heading(ui, request_.figures.size() > 1
                       ? fmt::format("Export {} figures", request_.figures.size())
                       : std::string("Export figure"));
  ImGui::PushTextWrapPos(0.0f);
  rich_muted(ui, request_.figures.front().figure.title);
  ImGui::PopTextWrapPos();
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  draw_formats(ui);
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  if (request_.format != "csv") {
    draw_page(ui);
    draw_look(ui);
  }
  ImGui::SetNextItemWidth(-1);
  if (just_opened()) shim::focus_next_item();
  const std::string before = path_;
  const bool entered = ImGui::InputText(
      "##path", &path_, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  if (path_ != before) asks_to_replace_ = false;
  if ((entered || enter_pressed()) && !task_.is_running()) write(asks_to_replace_);
  if (!trouble_.empty()) {
    ImGui::PushTextWrapPos(0.0f);
    text_colored(fails_color(ui.style), trouble_);
    ImGui::PopTextWrapPos();
  }
  draw_buttons(session);
  end();
}

}  // namespace orrery
