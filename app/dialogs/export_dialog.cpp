#include "app/dialogs/export_dialog.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <array>
#include <exception>
#include <optional>
#include <utility>

#include "app/gui/imgui_shim.h"
#include "app/gui/theme.h"

namespace orrery {
namespace {

constexpr double dialog_width = 560;

std::string current_folder() {
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

void ExportDialog::ask(std::vector<ShownFigure> figures, const std::string& stem, Theme theme,
                       const std::string& format) {
  if (figures.empty() || task_.is_running()) return;
  request_.figures = std::move(figures);
  on_screen_ = theme;
  if (!format.empty()) request_.format = format;
  suit_theme();
  if (folder_.empty()) folder_ = current_folder();
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
  ImGui::PushFont(ui.fonts.title());
  draw_text(request_.figures.size() > 1 ? fmt::format("Export {} figures", request_.figures.size())
                                        : std::string("Export figure"));
  ImGui::PopFont();
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
