#include "app/app.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/imgui_shim.h"
#include "app/status_line.h"
#include "app/theme.h"
#include "app/views/catalogue.h"
#include "app/views/findings.h"

namespace orrery {
namespace {

// Lengths of the design, at scale 1.
constexpr double kListWidth = 216;
constexpr double kParamsWidth = 300;
constexpr double kStatusHeight = 36;
constexpr double kMargin = 14;
// Narrower than these the side columns give way: first the list, then the parameters.
constexpr double kWidthWithList = 980;
constexpr double kWidthWithParams = 480;
// Findings take at most this part of the middle, and leave the plot at least this height; with less
// than this for themselves they are left out, and the status line sums them up.
constexpr double kMostFindings = 0.32;
constexpr double kLeastPlot = 240;
constexpr double kLeastFindings = 56;
// Formulas stand above a plot that keeps at least this height.
constexpr double kLeastPlotBelowFormulas = 380;

constexpr std::array kScales{1.0, 1.25, 1.5, 2.0, 3.0};
// Projector mode: type that is read from the back row, and lines to match.
constexpr double kProjectorScale = 1.5, kProjectorLines = 1.4;
// What a click or a key changes shows in the same frame or the next.
constexpr int kHandFrames = 3;

constexpr ImGuiWindowFlags kPanelFlags = ImGuiWindowFlags_NoSavedSettings;

ImVec2 panel_size(const Rect& area) {
  return {static_cast<float>(std::max(1.0, area.width)),
          static_cast<float>(std::max(1.0, area.height))};
}

/// A child window over `area`, on a ground of its own. End with ImGui::EndChild().
void begin_area(const char* id, const Rect& area, Color ground, ImGuiWindowFlags flags = 0) {
  ImGui::SetCursorScreenPos(shim::vec({area.x, area.y}));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, shim::floats(ground));
  shim::begin_panel(id, panel_size(area), kPanelFlags | flags);
  ImGui::PopStyleColor();
}

/// begin_area with square corners, for what reaches the edge of the window.
void begin_column(const char* id, const Rect& area, Color ground, ImGuiWindowFlags flags = 0) {
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0.0f);
  begin_area(id, area, ground, flags);
  ImGui::PopStyleVar();
}

Rect inset(const Rect& r, double by) {
  return {r.x + by, r.y + by, std::max(0.0, r.width - 2 * by), std::max(0.0, r.height - 2 * by)};
}

/// One line of the list: the whole width, with a bar in the accent colour when chosen.
bool list_entry(const char* title, bool chosen, const Ui& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetFrameHeight() + ui.px(4);
  const bool pressed = ImGui::Selectable(title, chosen, 0, ImVec2(0, height));
  if (chosen)
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x - ui.px(8), at.y),
                                              ImVec2(at.x - ui.px(5), at.y + height),
                                              shim::packed(ui.style.accent), ui.px(2));
  return pressed;
}

void choose_look(Session& session, const Ui& ui) {
  constexpr std::array names{"Dark", "Light", "Print"};
  ImGui::SetNextItemWidth(ui.px(82));
  int theme = static_cast<int>(session.theme);
  if (ImGui::Combo("##theme", &theme, names.data(), static_cast<int>(names.size())))
    session.theme = static_cast<Theme>(theme);
  tooltip(ui, "colours");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  const auto percent = [](double scale) { return std::to_string(std::lround(100 * scale)) + "%"; };
  if (ImGui::BeginCombo("##scale", percent(session.scale).c_str())) {
    for (const double scale : kScales)
      if (ImGui::Selectable(percent(scale).c_str(), scale == session.scale)) session.scale = scale;
    ImGui::EndCombo();
  }
  tooltip(ui, "size of everything: 150% or more for a projector");
}

/// The height of the findings below a plot, of `room` that both have; 0 when there is too little.
double height_for_findings(const Result& result, const Rect& inner, double room, const Ui& ui) {
  const double margins = 2 * kMargin * ui.scale;
  const double wanted = findings_height(result, inner.width - margins, ui) + margins;
  const double most = std::min(kMostFindings * inner.height, room - kLeastPlot * ui.scale);
  if (wanted <= margins || most < kLeastFindings * ui.scale) return 0.0;
  return std::min(wanted, most);
}

void draw_centered(const char* words, const Rect& area) {
  const ImVec2 size = ImGui::CalcTextSize(words);
  ImGui::SetCursorScreenPos(
      shim::vec({area.x + std::max(0.0, (area.width - static_cast<double>(size.x)) / 2),
                 area.y + area.height / 2}));
  text_muted(words);
}

}  // namespace

ImGuiSession::ImGuiSession() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
}

ImGuiSession::~ImGuiSession() { ImGui::DestroyContext(); }

App::App(Session& session, std::unique_ptr<TextureBackend> textures)
    : session_(session),
      textures_(std::move(textures)),
      export_(session.wake()),
      files_(session.wake()) {
  for (std::size_t i = 0; i < session.size(); ++i)
    views_.push_back(make_view(session.state(i).experiment->info().name));
  session.export_figure = [this](const Figure& figure, const FigureView& view,
                                 const std::string& extension) {
    export_.ask({{figure, view}}, session_.current().experiment->info().name + "-" + figure.id,
                session_.theme, extension);
  };
}

App::~App() {
  session_.export_figure = nullptr;
  if (keeper_) keeper_->finish();
}

double App::shown_scale() const {
  return session_.scale * screen_scale_ * (session_.projector ? kProjectorScale : 1.0);
}

bool App::prepare() {
  const double scale = shown_scale();
  const bool new_fonts = !fonts_ || scale != scale_;
  if (new_fonts) fonts_ = Fonts::load(scale);
  if (new_fonts || theme_ != session_.theme || projected_ != session_.projector) {
    projected_ = session_.projector;
    style_ = desktop_style(session_.theme, scale);
    if (projected_) style_.line_width *= kProjectorLines;
    apply_theme(style_, scale);
    theme_ = session_.theme;
    scale_ = scale;
  }
  return new_fonts;
}

App::Regions App::regions() const {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const double width = static_cast<double>(display.x), height = static_cast<double>(display.y);
  const double status = std::min(kStatusHeight * scale_, height);
  const bool columns = !session_.projector;
  const bool with_list = columns && session_.show_list && width >= kWidthWithList * scale_;
  const bool with_params = columns && session_.show_panel && width >= kWidthWithParams * scale_;
  const double list = with_list ? kListWidth * scale_ : 0.0;
  const double params = with_params ? std::min(kParamsWidth * scale_, 0.45 * (width - list)) : 0.0;
  const double body = height - status;
  return {.list = {0, 0, list, body},
          .view = {list, 0, width - list - params, body},
          .params = {width - params, 0, params, body},
          .status = {0, body, width, status}};
}

void App::frame() {
  textures_.collect();
  session_.on_screen.clear();
  session_.update();
  take_opened();
  press_keys();
  link_ = std::exchange(next_link_, {});
  if (!link_.clicked.empty()) params_.focus(link_.clicked);
  const Ui ui{*fonts_, textures_, style_, scale_};
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("orrery", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNavFocus);
  ImGui::PopStyleVar();
  const Regions r = regions();
  if (session_.size() == 0) {
    draw_centered("no experiments are built in", {0, 0, r.status.width, r.status.y});
  } else {
    if (r.list.width > 0) draw_list(r.list, ui);
    draw_view(r.view, ui);
    if (export_wanted_) ask_export();
    if (r.params.width > 0) draw_params(r.params, ui);
    begin_column("status", r.status, raised_color(ui.style), ImGuiWindowFlags_NoScrollbar);
    ImGui::SetCursorPos(
        ImVec2(ui.px(kMargin), (ImGui::GetWindowHeight() - ImGui::GetFrameHeight()) / 2));
    if (const std::optional<ActionId> clicked = draw_status(session_, ui)) perform(*clicked);
    ImGui::EndChild();
    draw_overlays(ui);
  }
  ImGui::End();
  remember();
}

void App::draw_overlays(const Ui& ui) {
  if (const std::optional<PaletteEntry> entry = palette_.draw(session_, ui)) take(*entry);
  sheet_.draw(ui);
  export_.draw(session_, ui);
  if (const auto path = files_.draw(session_, ui)) open_path(*path);
  if (const std::optional<FileTarget> target = target_.draw(session_, ui)) {
    set_file(session_, *target, target_.path());
    hand_frames_ = kHandFrames;
  }
  jobs_.draw(session_, export_.is_writing(), ui);
  checks_.draw(session_, ui);
}

void App::draw_menu(const Ui& ui) {
  ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0, 0, 0, 0));
  if (ImGui::Button("☰")) ImGui::OpenPopup("menu");
  ImGui::PopStyleColor();
  tooltip(ui, "everything that can be done");
  if (!ImGui::BeginPopup("menu")) return;
  std::string_view group;
  for (const Action& known : action_table()) {
    if (!group.empty() && group != known.group) ImGui::Separator();
    group = known.group;
    const std::string keys =
        known.shortcuts.empty() ? std::string() : shortcut_text(known.shortcuts.front());
    if (ImGui::MenuItem(std::string(known.title).c_str(), keys.c_str())) perform(known.id);
    tooltip(ui, known.about);
  }
  ImGui::EndPopup();
}

void App::draw_list(const Rect& area, const Ui& ui) {
  begin_column("views", area, raised_color(ui.style));
  ImGui::PushFont(ui.fonts.title());
  text("Orrery");
  ImGui::PopFont();
  ImGui::SameLine();
  const float menu = ImGui::CalcTextSize("☰").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - menu);
  draw_menu(ui);
  ImGui::Dummy(ImVec2(0, ui.px(8)));
  for (std::size_t i = 0; i < session_.size(); ++i) {
    const ExperimentInfo& info = session_.state(i).experiment->info();
    if (list_entry(info.title.c_str(), i == session_.selected(), ui)) session_.select(i);
    tooltip(ui, info.question);
  }
  const float bottom = ImGui::GetWindowHeight() - ImGui::GetFrameHeight() - ui.px(kMargin);
  if (bottom > ImGui::GetCursorPosY()) {
    ImGui::SetCursorPosY(bottom);
    choose_look(session_, ui);
  }
  ImGui::EndChild();
}

void App::draw_heading(const Rect& area, const Ui& ui) {
  const ExperimentInfo& info = session_.current().experiment->info();
  // The figure has a title of its own.
  if (session_.projector) return ImGui::Dummy(ImVec2(1, 1));
  const bool list_hidden = regions().list.width == 0.0;
  if (list_hidden) {
    ImGui::SetNextItemWidth(std::max(1.0f, static_cast<float>(area.width)));
    if (ImGui::BeginCombo("##view", info.title.c_str())) {
      for (std::size_t i = 0; i < session_.size(); ++i)
        if (ImGui::Selectable(session_.state(i).experiment->info().title.c_str(),
                              i == session_.selected()))
          session_.select(i);
      ImGui::EndCombo();
    }
    return;
  }
  ImGui::PushFont(ui.fonts.title());
  text(info.title);
  ImGui::PopFont();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + std::max(1.0f, static_cast<float>(area.width)));
  text_muted(info.question);
  ImGui::PopTextWrapPos();
}

void App::draw_view(const Rect& area, const Ui& ui) {
  begin_column("view", area, ui.style.background,
               ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const Rect inner = inset(area, kMargin * ui.scale);
  ImGui::SetCursorScreenPos(shim::vec({inner.x, inner.y}));
  ImGui::BeginGroup();
  draw_heading(inner, ui);
  ImGui::EndGroup();
  double top = static_cast<double>(ImGui::GetItemRectMax().y) + 8 * ui.scale;
  const double formulas = equations_.height(session_, inner.width, ui);
  if (formulas > 0 && inner.bottom() - top - formulas >= kLeastPlotBelowFormulas * ui.scale) {
    equations_.draw(session_, {inner.x, top, inner.width, formulas}, link_, next_link_, ui);
    top += formulas + 8 * ui.scale;
  }
  const double message = std::min(message_height(session_, inner.width, ui), inner.height / 2);
  const std::shared_ptr<const Result> result = session_.current().result;
  const double room = inner.bottom() - top - message;
  const bool with_findings = result && !session_.projector;
  const double findings = with_findings ? height_for_findings(*result, inner, room, ui) : 0.0;
  const double gap = kMargin * ui.scale;
  Rect plot{inner.x, top, inner.width, inner.bottom() - top};
  if (message > 0) plot.height -= message + gap;
  if (findings > 0) plot.height -= findings + gap;
  if (result && plot.height > 0)
    views_[session_.selected()]->draw(session_, *result, plot, ui);
  else if (plot.height > 0)
    draw_centered(session_.busy() ? "computing …" : "nothing to show yet", plot);
  if (findings > 0) {
    begin_area("findings", {inner.x, plot.bottom() + gap, inner.width, findings},
               raised_color(ui.style));
    draw_findings(*result, ui);
    ImGui::EndChild();
  }
  if (message > 0) {
    const Color ground = mix(ui.style.background, fails_color(ui.style), 0.18);
    begin_area("message", {inner.x, inner.bottom() - message, inner.width, message}, ground);
    draw_message(session_);
    ImGui::EndChild();
  }
  ImGui::EndChild();
}

void App::draw_params(const Rect& area, const Ui& ui) {
  begin_column("parameters", area, raised_color(ui.style));
  params_.draw(session_, link_, next_link_, ui);
  ImGui::EndChild();
}

}  // namespace orrery
