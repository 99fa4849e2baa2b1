#include "app/app.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
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
constexpr double kGripWidth = 36;
// Below a list of points the figure needs the room more.
constexpr double kFindingsBelowList = 84;
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
bool list_entry(const std::string& title, std::string_view about, bool chosen, const Ui& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const bool fits = ImGui::CalcTextSize(title.c_str()).x <= room;
  const std::string label = (fits ? title : shortened(title, room)) + "##" + title;
  const float height = ImGui::GetFrameHeight() + ui.px(4);
  const bool pressed = ImGui::Selectable(label.c_str(), chosen, 0, ImVec2(0, height));
  if (chosen)
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(at.x - ui.px(8), at.y),
                                              ImVec2(at.x - ui.px(5), at.y + height),
                                              shim::packed(ui.style.accent), ui.px(2));
  tooltip(ui, fits ? std::string(about) : title + "\n" + std::string(about));
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
/// `asked` is the height at scale 1 that somebody chose.
double height_for_findings(const Result& result, const Rect& inner, double room,
                           const std::optional<double>& asked, const Ui& ui) {
  const double margins = 2 * kMargin * ui.scale;
  const double wanted = findings_height(result, inner.width - margins, ui) + margins;
  const double suits = asked ? *asked * ui.scale : kMostFindings * inner.height;
  const double most = std::min(suits, room - kLeastPlot * ui.scale);
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
      files_(session.wake()),
      browser_(session.wake()) {
  for (std::size_t i = 0; i < session.size(); ++i)
    views_.push_back(make_view(session.state(i).experiment->info().name));
  const auto export_one = [this](const Figure& figure, const FigureView& view,
                                 const std::string& extension) {
    export_.ask({shown_figure(shown(), figure, view)},
                shown().current().experiment->info().name + "-" + figure.id, session_.theme,
                extension);
  };
  session.export_figure = export_one;
  browser_.session().export_figure = export_one;
  if (!session_.saved.folder.empty()) bring_saved_back();
}

App::~App() {
  session_.export_figure = nullptr;
  if (keeper_) keeper_->finish();
}

double App::shown_scale() const {
  return session_.scale * screen_scale_ * (session_.projector ? kProjectorScale : 1.0);
}

/// Looks for what was drawn and has no glyph, and for the rest of the text that it is of, so that
/// this happens once a text. Returns whether there is something new to load.
bool App::find_glyphs() {
  if (!fonts_ || session_.size() == 0) return false;
  for (const ParamSpec& spec : session_.current().params.specs())
    if (spec.kind == ParamKind::file)
      fonts_->note_lacking(session_.current().params.text(spec.key));
  const auto is_known = [this](char32_t c) { return foreign_.contains(c); };
  if (std::all_of(fonts_->lacking().begin(), fonts_->lacking().end(), is_known)) return false;
  foreign_.insert(fonts_->lacking().begin(), fonts_->lacking().end());
  if (const std::shared_ptr<const Result> result = shown().current().result)
    for (const Figure& figure : result->figures)
      if (const auto* map = std::get_if<Heatmap>(&figure.content))
        for (const std::vector<std::string>* labels : {&map->row_labels, &map->column_labels})
          for (const std::string& label : *labels) fonts_->note_lacking(label);
  foreign_.insert(fonts_->lacking().begin(), fonts_->lacking().end());
  const Characters missing_before = std::move(glyphs_.missing);
  glyphs_ = plan_glyphs(foreign_, find_fonts_());
  Characters news;
  std::set_difference(glyphs_.missing.begin(), glyphs_.missing.end(), missing_before.begin(),
                      missing_before.end(), std::inserter(news, news.end()));
  std::erase_if(news, [this](char32_t c) { return !said_.insert(package_for(c)).second; });
  if (!news.empty()) shown().say(missing_text(glyphs_.missing));
  return true;
}

bool App::prepare() {
  const double scale = shown_scale();
  const bool new_glyphs = find_glyphs();
  const bool new_fonts = !fonts_ || scale != scale_ || new_glyphs;
  if (new_fonts) fonts_ = Fonts::load(scale, glyphs_);
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
  places_.clear();
  shown().on_screen.clear();
  session_.update();
  browser_.update();
  fade_note();
  take_opened();
  press_keys();
  link_ = std::exchange(next_link_, {});
  if (!link_.clicked.empty()) params_.focus(link_.clicked);
  const Ui ui{*fonts_, textures_, style_, scale_, &places_};
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("orrery", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNavFocus);
  ImGui::PopStyleVar();
  const Regions r = regions();
  places_.mark("status", r.status);
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
    if (const std::optional<ActionId> clicked =
            draw_status(shown(), {is_browsing() ? "read" : "computed", session_.note()}, ui))
      perform(*clicked);
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
  checks_.draw(shown(), ui);
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
    const bool chosen = !is_browsing() && i == session_.selected();
    if (list_entry(info.title, info.question, chosen, ui)) show_view(i);
    mark_item(ui, "view " + info.name);
  }
  ImGui::Dummy(ImVec2(0, ui.px(4)));
  const ExperimentInfo& saved = browser_.session().current().experiment->info();
  if (list_entry(saved.title, saved.question, is_browsing(), ui)) perform(ActionId::saved_results);
  mark_item(ui, "view saved_results");
  const float bottom = ImGui::GetWindowHeight() - ImGui::GetFrameHeight() - ui.px(kMargin);
  if (bottom > ImGui::GetCursorPosY()) {
    ImGui::SetCursorPosY(bottom);
    choose_look(session_, ui);
  }
  ImGui::EndChild();
}

void App::draw_heading(const Rect& area, const Ui& ui) {
  const ExperimentInfo& info = shown().current().experiment->info();
  // The figure has a title of its own.
  if (session_.projector) return ImGui::Dummy(ImVec2(1, 1));
  if (regions().list.width == 0.0) return draw_view_choice(area);
  ImGui::PushFont(ui.fonts.title());
  text(info.title);
  ImGui::PopFont();
  const bool with_folder = is_browsing() && browser_.folder();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + std::max(1.0f, static_cast<float>(area.width)));
  text_muted(with_folder ? browser_.folder()->folder.string() : info.question);
  ImGui::PopTextWrapPos();
}

/// The list of views where there is no room for its column.
void App::draw_view_choice(const Rect& area) {
  ImGui::SetNextItemWidth(std::max(1.0f, static_cast<float>(area.width)));
  if (!ImGui::BeginCombo("##view", shown().current().experiment->info().title.c_str())) return;
  for (std::size_t i = 0; i < session_.size(); ++i)
    if (ImGui::Selectable(session_.state(i).experiment->info().title.c_str(),
                          !is_browsing() && i == session_.selected()))
      show_view(i);
  if (ImGui::Selectable(browser_.session().current().experiment->info().title.c_str(),
                        is_browsing()))
    perform(ActionId::saved_results);
  ImGui::EndCombo();
}

/// Formulas, or the list of saved points. Returns where the figures begin.
double App::draw_above_figures(const Rect& inner, double top, const Ui& ui) {
  const double gap = 8 * ui.scale;
  if (is_browsing()) {
    const double list = browser_.list_height(inner.height, ui);
    if (list <= 0) return top;
    begin_area("points", {inner.x, top, inner.width, list}, raised_color(ui.style),
               ImGuiWindowFlags_NoScrollbar);
    browser_.draw_list(ui);
    ImGui::EndChild();
    return top + list + gap;
  }
  const double formulas = equations_.height(session_, inner.width, ui);
  const bool fits =
      formulas > 0 && inner.bottom() - top - formulas >= kLeastPlotBelowFormulas * ui.scale;
  if (!fits) return top;
  equations_.draw(session_, {inner.x, top, inner.width, formulas}, link_, next_link_, ui);
  return top + formulas + gap;
}

void App::draw_empty(const Rect& area, const Ui& ui) {
  if (busy()) return draw_centered(is_browsing() ? "reading …" : "computing …", area);
  if (!is_browsing()) return draw_centered("nothing to show yet", area);
  draw_centered("Open the folder that a run or a sweep wrote, or drop it here", area);
  const float width = ui.px(120);
  ImGui::SetCursorScreenPos(
      shim::vec({area.x + std::max(0.0, (area.width - static_cast<double>(width)) / 2),
                 area.y + area.height / 2 + 30 * ui.scale}));
  if (ImGui::Button("Open …", ImVec2(width, 0))) perform(ActionId::open_file);
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
  top = draw_above_figures(inner, top, ui);
  const double message = std::min(message_height(shown(), inner.width, ui), inner.height / 2);
  const std::shared_ptr<const Result> result = shown().current().result;
  const double room = inner.bottom() - top - message;
  const bool with_findings = result && !session_.projector;
  const bool below_list = is_browsing() && browser_.folder() && browser_.folder()->is_sweep;
  const std::optional<double> asked =
      session_.findings || !below_list ? session_.findings : std::optional(kFindingsBelowList);
  const double findings =
      with_findings ? height_for_findings(*result, inner, room, asked, ui) : 0.0;
  const double gap = kMargin * ui.scale;
  Rect plot{inner.x, top, inner.width, inner.bottom() - top};
  if (message > 0) plot.height -= message + gap;
  const bool with_grip = findings > 0 || (with_findings && session_.findings);
  if (with_grip) plot.height -= findings + gap;
  if (result && plot.height > 0)
    (is_browsing() ? browser_.view(*result) : *views_[session_.selected()])
        .draw(shown(), *result, plot, ui);
  else if (plot.height > 0)
    draw_empty(plot, ui);
  if (with_grip && plot.height > 0)
    drag_findings({inner.x, plot.bottom(), inner.width, gap}, findings, ui);
  if (findings > 0) {
    begin_area("findings", {inner.x, plot.bottom() + gap, inner.width, findings},
               raised_color(ui.style));
    draw_findings(*result, ui);
    ImGui::EndChild();
  }
  if (message > 0) {
    const Color ground = mix(ui.style.background, fails_color(ui.style), 0.18);
    begin_area("message", {inner.x, inner.bottom() - message, inner.width, message}, ground);
    draw_message(shown());
    ImGui::EndChild();
  }
  ImGui::EndChild();
}

/// The gap above the findings, by which they are made higher or lower, or hidden.
void App::drag_findings(const Rect& gap, double shown, const Ui& ui) {
  ImGui::SetCursorScreenPos(shim::vec({gap.x, gap.y}));
  ImGui::InvisibleButton("findings grip", panel_size(gap));
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  if (hovered || held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  const double width = kGripWidth * ui.scale, height = std::round(3 * ui.scale);
  const Point at{gap.x + (gap.width - width) / 2, gap.y + (gap.height - height) / 2};
  ImGui::GetWindowDrawList()->AddRectFilled(
      shim::vec(at), shim::vec({at.x + width, at.y + height}),
      ImGui::GetColorU32(hovered || held ? ImGuiCol_TextDisabled : ImGuiCol_Border), ui.px(2));
  if (!held) tooltip(ui, "drag to resize the checks; double-click to hide or show them");
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    return perform(ActionId::toggle_findings);
  const float by = ImGui::GetIO().MouseDelta.y;
  if (!held || by == 0.0f) return;
  // What lies below the least that can be read is hidden by the layout; the drag may come back.
  const double now = session_.findings.value_or(shown / ui.scale);
  session_.findings = std::max(0.0, now - static_cast<double>(by) / ui.scale);
}

void App::draw_params(const Rect& area, const Ui& ui) {
  begin_column("parameters", area, raised_color(ui.style));
  if (is_browsing())
    grant(browser_.draw_facts(ui));
  else
    params_.draw(session_, equations_, link_, next_link_, ui);
  ImGui::EndChild();
}

}  // namespace orrery
