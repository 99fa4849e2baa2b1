#include "app/shell/app.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <span>

#include "app/gui/imgui_shim.h"
#include "app/panels/status_line.h"
#include "app/player/prediction_box.h"
#include "app/session/file_targets.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

// Of the width of the bar below the figure.
constexpr double projected_controls_share = 0.9;
constexpr double most_board_share = 0.4;  // of the height of the window
constexpr double checks_room = 140;       ///< "5 checks hold", and the gaps around it

/// A button that leads to what the desktop has: its label and its action.
struct Door {
  const char* label;
  std::string_view action;
};
constexpr std::array doors{Door{"Questions", "questions"}, Door{"Course", "lessons"},
                           Door{"Open …", "open"}};
constexpr double door_gap = 6;
constexpr double least_with_all_doors = 1000;  // narrower bars leave the last to the menu

/// Of the first doors.
double doors_width(std::size_t count, const Ui& ui) {
  if (count == 0) return 0.0;
  double width = area_margin * ui.scale;
  for (const Door& door : std::span(doors).first(count))
    width += static_cast<double>(ImGui::CalcTextSize(door.label).x +
                                 2 * ImGui::GetStyle().FramePadding.x) +
             door_gap * ui.scale;
  return width;
}

/// Begins the one window of Dear ImGui that everything is drawn into.
void begin_window() {
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("orrery", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNavFocus);
  ImGui::PopStyleVar();
}

/// Whether a key is pressed, a button is down or an item is being used.
bool is_used() {
  const ImGuiIO& io = ImGui::GetIO();
  return ImGui::IsAnyMouseDown() || ImGui::IsAnyItemActive() || shim::any_key_pressed(io);
}

Size display_size() {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  return {static_cast<double>(display.x), static_cast<double>(display.y)};
}

}  // namespace

App::App(Session& session, std::unique_ptr<TextureBackend> textures)
    : textures_(std::move(textures)),
      workspace_(session),
      overlays_(session.wake()),
      opener_(workspace_, overlays_, params_, undo_),
      exports_(workspace_, overlays_.exports),
      director_(session),
      actions_(
          {workspace_, overlays_, params_, undo_, opener_, exports_, growing_distance_, director_}),
      view_pane_(workspace_, actions_, formulas_) {
  if (!session.saved.folder.empty()) opener_.restore_saved();
  guide_first();
}

/// A window that shows the first view as it comes says what can be moved there.
void App::guide_first() {
  if (live().size() == 0 || live().selected() != 0) return;
  const ExperimentState& first = live().current();
  const std::vector<Question>& questions = first.experiment->info.questions;
  const bool fresh = first.params == ParamSet(first.experiment->info.params);
  if (fresh && !questions.empty()) workspace_.guide(0, questions.front());
}

App::~App() {
  // What is kept is the reader's own state, not a step of a lesson.
  director_.leave();
  if (keeper_) keeper_->finish();
}

double App::due_in() const {
  if (growing_distance_.is_turning() || director_.is_moving()) return 0.0;
  const double now = ImGui::GetTime();
  double first = -1.0;
  for (const double due : {keeper_ && !director_.is_open() ? keeper_->due_in(now) : -1.0,
                           note_timer_.due_in(now), projects_ ? rest_.due_in(now) : -1.0})
    if (due >= 0) first = first < 0 ? due : std::min(first, due);
  return first;
}

void App::frame() {
  update();
  const Ui ui{*appearance_.fonts(), textures_, appearance_.style(), appearance_.scale(),
              &item_rects_};
  begin_window();
  if (live().size() > 0) {
    draw(ui);
  } else {
    const Size size = display_size();
    draw_centered("This build contains no experiments.", {0, 0, size.width, size.height});
  }
  ImGui::End();
  record();
}

void App::update() {
  textures_.collect();
  item_rects_.clear();
  workspace_.shown().on_screen.clear();
  workspace_.update();
  director_.update(static_cast<double>(ImGui::GetIO().DeltaTime));
  announce();
  note_timer_.update(live(), ImGui::GetTime());
  projects_ = live().size() > 0 && live().look.projector;
  rest_.update(shim::point(ImGui::GetIO().MousePos), is_used(), ImGui::GetTime());
  opener_.update();
  undo_.begin_frame();
  actions_.press_keys();
  growing_distance_.update(workspace_.shown(), static_cast<double>(ImGui::GetIO().DeltaTime));
  formulas_.begin_frame();
  if (!formulas_.shown.clicked.empty()) params_.focus(formulas_.shown.clicked);
}

void App::draw(const Ui& ui) {
  const Regions regions = this->regions(ui);
  const bool with_list = regions.list.width > 0, with_params = regions.params.width > 0;
  actions_.note_columns(with_list, with_params);
  const bool lesson = director_.is_open();
  if (with_list && lesson) draw_lesson(regions.list, ui);
  if (with_list && !lesson) draw_list_pane(workspace_, actions_, regions.list, ui);
  view_pane_.draw(regions.view, with_list && !(lesson && director_.player().explores()), busy(),
                  ui);
  figure_overlay_.draw(director_, live(), formulas_.shown, formulas_.next, ui);
  exports_.update();
  if (with_params) draw_params(regions.params, ui);
  draw_bar(regions.bar, regions.with_controls, ui);
  draw_control_spotlights(director_, live(), formulas_.shown, formulas_.next, ui);
  draw_overlays(ui);
}

void App::draw_params(const Rect& area, const Ui& ui) {
  begin_column("parameters", area, raised_color(ui.style));
  if (workspace_.is_browsing())
    workspace_.perform(workspace_.browser().draw_facts(ui));
  else
    params_.draw(live(), formulas_.view, formulas_.shown, formulas_.next, ui);
  ImGui::EndChild();
}

void App::draw_bar(const Rect& area, bool with_controls, const Ui& ui) {
  item_rects_.mark("status", area);
  if (area.height <= 0) return;
  if (const auto board = projected_board()) return draw_projected_board(*board, area, ui);
  // Its room stays: the figure does not move.
  if (projects_ && rest_.is_resting()) return;
  begin_column("status", area, raised_color(ui.style), ImGuiWindowFlags_NoScrollbar);
  const float top = (ImGui::GetWindowHeight() - ImGui::GetFrameHeight()) / 2;
  ImGui::SetCursorPos(ImVec2(ui.px(area_margin), top));
  if (with_controls) {
    draw_controls(area.width, ui);
    if (live().look.projector) return ImGui::EndChild();
  }
  draw_next_step(with_controls, ui);
  const std::size_t shown_doors = doors_in(area.width, ui);
  const StatusWords words{.verb = workspace_.is_browsing() ? "Loaded" : "Computed",
                          .note = live().note(),
                          .brief = with_controls,
                          .leads = with_controls && step_has_no_controls(),
                          .right = doors_width(shown_doors, ui)};
  if (draw_status(workspace_.shown(), words, ui)) actions_.perform("checks");
  draw_doors(shown_doors, top, ui);
  ImGui::EndChild();
}

std::size_t App::doors_in(double width, const Ui& ui) const {
  // The controls of a lesson take the room.
  if (workspace_.live().look.projector || director_.is_open()) return 0;
  return width >= least_with_all_doors * ui.scale ? doors.size() : doors.size() - 1;
}

/// What a newcomer looks for, at the right end of the line.
void App::draw_doors(std::size_t count, float top, const Ui& ui) {
  const double end = static_cast<double>(ImGui::GetWindowWidth());
  ImGui::SetCursorPos(ImVec2(static_cast<float>(end - doors_width(count, ui)), top));
  for (const Door& door : std::span(doors).first(count)) {
    const Action& action = *find_action(actions(), door.action);
    const bool pressed = ImGui::Button(door.label);
    mark_item(ui, "button " + std::string(door.label));
    tooltip(ui, fmt::format("{} ({})", action.about, shortcut_text(action.shortcuts.front())));
    ImGui::SameLine(0, ui.px(door_gap));
    if (pressed) actions_.perform(action);
  }
}

/// What the result suggests to look at next.
std::optional<NextStep> App::next_step() const {
  if (workspace_.is_browsing() || director_.is_open() || !workspace_.live().current().result)
    return std::nullopt;
  return workspace_.live().current().result->next;
}

double App::next_step_width(const Ui& ui) const {
  const std::optional<NextStep> next = next_step();
  if (!next) return 0;
  return text_width(next->title) + 2 * static_cast<double>(ImGui::GetStyle().FramePadding.x) +
         32 * ui.scale;
}

void App::draw_next_step(bool behind_controls, const Ui& ui) {
  const std::optional<NextStep> next = next_step();
  if (!next) return;
  if (behind_controls) ImGui::SameLine(0, ui.px(16));
  const bool pressed = ImGui::Button(next->title.c_str());
  mark_item(ui, "button " + next->title);
  tooltip(ui, next->about + " " + as_marked(next->words + next->file));
  ImGui::SameLine(0, ui.px(16));
  if (!pressed) return;
  take_next_step(live(), *next);
  undo_.note_input();
}

/// In projector mode a class sees what a step has settled where no control needs the room.
std::optional<Scoreboard> App::projected_board() const {
  if (!workspace_.live().look.projector || !step_has_no_controls()) return std::nullopt;
  Scoreboard board = director_.scoreboard();
  const double room = most_board_share * display_size().height;
  if (!board.has_news() || scoreboard_height(board) > room) return std::nullopt;
  return board;
}

void App::draw_projected_board(const Scoreboard& board, const Rect& area, const Ui& ui) {
  begin_column("status", area, raised_color(ui.style), ImGuiWindowFlags_NoScrollbar);
  const double margin = area_margin * ui.scale;
  ImGui::SetCursorPos(shim::vec({margin, margin}));
  draw_scoreboard(board, area.width - 2 * margin, ui);
  ImGui::EndChild();
}

/// Height of what a lesson has below the figure in projector mode; empty where it has its controls.
std::optional<double> App::projected_height(const Ui& ui) const {
  if (!workspace_.live().look.projector || !step_has_no_controls()) return std::nullopt;
  const auto board = projected_board();
  return board ? scoreboard_height(*board) + 2 * area_margin * ui.scale : 0.0;
}

bool App::step_has_no_controls() const {
  return director_.shows_step() && director_.player().step().controls.empty();
}

void App::draw_controls(double width, const Ui& ui) {
  const bool projector = live().look.projector;
  const double beside = doors_width(doors_in(width, ui), ui) + next_step_width(ui);
  const double room =
      projector ? width * projected_controls_share : width - beside - checks_room * ui.scale;
  if (director_.shows_step()) {
    const std::vector<std::string>& keys = director_.player().step().controls;
    if (!keys.empty() && draw_control_strip(live(), keys, keys.size(), room, ui))
      director_.explore();
    return;
  }
  std::vector<std::string> keys = live().current().experiment->info.view.controls;
  if (const std::string& asked = workspace_.guide().control; !asked.empty()) {
    std::erase(keys, asked);
    keys.insert(keys.begin(), asked);
  }
  if (draw_control_strip(live(), keys, projector ? 2 : 3, room, ui))
    actions_.perform("toggle_panel");
}

Regions App::regions(const Ui& ui) const {
  const Look& look = workspace_.live().look;
  if (director_.is_open())
    return lesson_regions(display_size(), look, ui.scale, director_.player().explores(),
                          projected_height(ui));
  return window_regions(display_size(), look, ui.scale, workspace_.is_browsing());
}

/// In a lesson the prose stands for the question; from the back row one sentence of it is read.
void App::announce() {
  if (!director_.shows_step()) return workspace_.announce({});
  workspace_.announce(live().look.projector ? projected_words(director_) : std::string());
}

void App::draw_lesson(const Rect& area, const Ui& ui) {
  const std::string link = lesson_pane_.draw(director_, area, formulas_.shown, formulas_.next, ui);
  if (!link.empty()) actions_.follow(link);
}

void App::draw_overlays(const Ui& ui) {
  Session& session = live();
  if (const auto entry = overlays_.palette.draw(session, actions(), ui)) actions_.take(*entry);
  overlays_.shortcuts.draw(actions(), ui);
  overlays_.manual.draw(ui);
  if (const auto question = overlays_.questions.draw(ui)) actions_.ask(*question);
  if (const auto chosen = overlays_.lessons.draw(session.lessons, ui))
    actions_.open_lesson(chosen->file.string(), chosen->step);
  if (overlays_.scoreboard.is_open()) overlays_.scoreboard.draw(director_.scoreboard(), ui);
  overlays_.exports.draw(session, ui);
  if (const auto path = overlays_.files.draw(session, ui)) opener_.open(*path);
  if (const auto folder = overlays_.files.take_watched()) opener_.watch(*folder);
  if (const auto target = overlays_.target.draw(session, ui)) {
    set_file(session, *target, overlays_.target.path());
    undo_.note_input();
  }
  if (const auto pair = overlays_.pair.draw(session, ui)) {
    set_pair(session, *pair);
    undo_.note_input();
  }
  overlays_.jobs.draw(session, overlays_.exports.is_writing(), ui);
  overlays_.checks.draw(workspace_.shown(), ui);
}

void App::record() {
  const double now = ImGui::GetTime();
  opener_.store_saved();
  undo_.enter(director_.place());
  if (director_.is_moving()) undo_.ignore_input();
  undo_.record(live(), now);
  if (!keeper_ || director_.is_open()) return;
  const std::string trouble = keeper_->watch(now);
  if (!trouble.empty() && live().size() > 0) live().say(trouble);
}

}  // namespace orrery
