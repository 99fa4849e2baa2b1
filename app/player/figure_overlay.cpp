#include "app/player/figure_overlay.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/imgui_canvas.h"
#include "app/gui/imgui_shim.h"
#include "app/player/figure_marks.h"
#include "app/player/prediction_box.h"
#include "experiments/figure/plot/axes.h"
#include "experiments/lessons/check_lesson.h"

namespace orrery {
namespace {

// A drawn curve has a value at each of these places across the plot.
constexpr int overlay_columns = 160;
// The pen moves by these parts of the plot.
constexpr double pen_across = 1.0 / 32, pen_up = 1.0 / 24;

constexpr ImGuiWindowFlags overlay_flags =
    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse |
    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings;

/// The open question of the step, where it is of this kind.
template <class Kind>
const Kind* asked(const Director& director) {
  const LessonStep& step = director.player().step();
  if (!step.prediction || !director.player().hides()) return nullptr;
  return std::get_if<Kind>(&step.prediction->kind);
}

const DrawCurve* drawing_of(const Director& director, const Figure& figure) {
  const auto* draw = asked<DrawCurve>(director);
  return draw && draw->figure == figure.id ? draw : nullptr;
}

const Heatmap* markable(const Director& director, const Figure& figure) {
  const auto* mark = asked<MarkCells>(director);
  return mark && mark->map == figure.id ? std::get_if<Heatmap>(&figure.content) : nullptr;
}

/// What is guessed of a figure that is covered whole.
const GuessNumber* guess_on(const Director& director, const Figure& figure) {
  return is_covered(director.player().step(), figure.id) ? asked<GuessNumber>(director) : nullptr;
}

/// Steps of the arrow keys while Shift is held.
std::pair<int, int> shifted_arrows() {
  const ImGuiIO& io = ImGui::GetIO();
  if (!io.KeyShift || io.KeyCtrl || io.WantTextInput) return {};
  const auto step = [](int key) { return shim::key_pressed(key, true) ? 1 : 0; };
  return {step(GLFW_KEY_RIGHT) - step(GLFW_KEY_LEFT), step(GLFW_KEY_DOWN) - step(GLFW_KEY_UP)};
}

Point in_plot(const Rect& plot, Point share) {
  return {plot.x + share.x * plot.width, plot.y + share.y * plot.height};
}

/// The symbol under the mouse in the text, and those that the step points at.
std::vector<std::string> lit_symbols(const LessonStep& step, const SymbolLink& shown) {
  std::vector<std::string> names;
  if (!shown.symbol.empty()) names.push_back(shown.symbol);
  for (const Spotlight& light : step.spotlights)
    if (light.kind == Spotlight::Kind::symbol) names.push_back(light.name);
  return names;
}

void frame_controls(const std::vector<std::string>& keys, const Ui& ui) {
  ImGui::SetCursorScreenPos(ImVec2(0, 0));
  if (ImGui::BeginChild("control spotlights", ImGui::GetIO().DisplaySize, false,
                        overlay_flags | ImGuiWindowFlags_NoInputs)) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const std::string& key : keys) {
      const auto rect = ui.item_rects->find("param " + key);
      if (!rect) continue;
      const double gap = 4 * ui.scale;
      shim::add_frame(list, shim::vec({rect->x - gap, rect->y - gap}),
                      shim::vec({rect->right() + gap, rect->bottom() + gap}),
                      shim::packed(ui.style.accent), ui.px(6), ui.px(2));
    }
  }
  ImGui::EndChild();
}

const std::string& question_of(const LessonStep& step) {
  static const std::string veiled = "Hidden until you reveal it";
  return step.prediction ? step.prediction->ask : veiled;
}

}  // namespace

void FigureOverlay::draw(Director& director, Session& session, const SymbolLink& shown,
                         SymbolLink& next, const Ui& ui) {
  if (!director.shows_step() || !ui.item_rects) return;
  const LessonStep& step = director.player().step();
  const std::vector<std::string> lit = lit_symbols(step, shown);
  if (step_ != director.player().at()) {
    step_ = director.player().at();
    pen_.reset();
    cell_ = {};
    by_keys_ = false;
  }
  for (const Figure* figure : session.on_screen) {
    const FigureLayout* layout = ui.item_rects->figure(figure->id);
    if (!layout || layout->area.width < 1) continue;
    ImGui::PushID(figure->id.c_str());
    draw_on({*figure, *layout, director, session, lit, ui});
    ImGui::PopID();
    const Point mouse = shim::point(ImGui::GetIO().MousePos);
    if (layout->area.contains(mouse))
      for (std::string& name : symbols_at(*figure, *layout, mouse, symbols_of(step)))
        next.named.push_back(std::move(name));
  }
}

void FigureOverlay::draw_on(const Place& place) {
  const Player& player = place.director.player();
  const bool draws = drawing_of(place.director, place.figure) != nullptr;
  const bool marks = markable(place.director, place.figure) != nullptr;
  const GuessNumber* guess = guess_on(place.director, place.figure);
  const bool hides = player.hides();
  const bool covered = hides && is_covered(player.step(), place.figure.id);
  const Rect& plot = place.layout.plot;
  const Rect& area = place.layout.area;
  const Rect surface = plot.width > 1 ? plot : area;
  const bool takes = draws || marks || covered;
  ImGui::SetCursorScreenPos(shim::vec({area.x, area.y}));
  if (ImGui::BeginChild("over figure", area_size(area), false,
                        overlay_flags | ImGuiWindowFlags_NoInputs)) {
    ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), place.ui.fonts, place.ui.textures);
    if (hides)
      draw_cover(canvas, place.layout, player.step(), place.figure.id, question_of(player.step()),
                 place.ui);
    draw_spotlights(canvas, place.figure, place.layout, place.director, place.session, place.ui);
    if (!covered) light_symbols(canvas, place);
    draw_answers(canvas, place.figure, place.layout, place.director, place.ui);
    // A note may tell where the task leads.
    const bool to_do = player.step().task && !player.work().done;
    if (!hides && !to_do) draw_notes(canvas, place.figure, place.layout, place.director, place.ui);
    if (draws || marks) draw_pen(canvas, place);
    if (guess) draw_guess_line(canvas, surface, *guess, player.work(), place.ui);
  }
  ImGui::EndChild();
  if (!takes) return;
  // A window on top of the figure, so that the mouse draws there instead of moving it.
  ImGui::SetCursorScreenPos(shim::vec({surface.x, surface.y}));
  if (ImGui::BeginChild("takes mouse", area_size(surface), false, overlay_flags)) {
    ImGui::InvisibleButton("surface", area_size(surface));
    mark_item(place.ui, "prediction " + place.figure.id);
    if (draws) take_drawing(place);
    if (marks) take_cells(place);
    if (guess) take_guess(place, *guess, surface);
  }
  ImGui::EndChild();
}

void FigureOverlay::light_symbols(Canvas& canvas, const Place& place) {
  const FigureView view = view_in(place.session.current().views, place.figure.id);
  for (const std::string& symbol : place.lit)
    light_parts(canvas, place.figure, place.layout, view, parts_named(place.figure, symbol),
                place.ui);
}

void FigureOverlay::stroke(const Place& place, Point from, Point to) {
  const Rect& plot = place.layout.plot;
  const auto column_of = [&](double x) {
    return std::clamp(static_cast<int>((x - plot.x) / plot.width * overlay_columns), 0,
                      overlay_columns - 1);
  };
  if (to.x < from.x) std::swap(from, to);
  const int first = column_of(from.x), last = column_of(to.x);
  for (int column = first; column <= last; ++column) {
    const double x = plot.x + (column + 0.5) / overlay_columns * plot.width;
    const double share = last == first ? 1.0 : static_cast<double>(column - first) / (last - first);
    const double y = std::clamp(from.y + share * (to.y - from.y), plot.y, plot.bottom());
    const double data_x = place.layout.x.to_data(x), data_y = place.layout.y.to_data(y);
    if (std::isfinite(data_x) && std::isfinite(data_y))
      place.director.player().draw(data_x, data_y);
  }
}

void FigureOverlay::take_drawing(const Place& place) {
  const Point mouse = shim::point(ImGui::GetIO().MousePos);
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::IsItemActive()) {
    stroke(place, last_.value_or(mouse), mouse);
    last_ = mouse;
    by_keys_ = false;
  } else {
    last_.reset();
  }
  const auto [across, down] = shifted_arrows();
  if (across == 0 && down == 0) return;
  const Point before = pen_.value_or(Point{0, 0.5});
  const Point after{std::clamp(before.x + across * pen_across, 0.0, 1.0),
                    std::clamp(before.y + down * pen_up, 0.0, 1.0)};
  // Up and down only lift the pen; it draws as it goes on.
  if (across != 0)
    stroke(place, in_plot(place.layout.plot, before), in_plot(place.layout.plot, after));
  pen_ = after;
  by_keys_ = true;
}

void FigureOverlay::take_guess(const Place& place, const GuessNumber& guess, const Rect& cover) {
  if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (!ImGui::IsItemActive()) return;
  const double at = static_cast<double>(ImGui::GetIO().MousePos.x);
  const double number = number_on_line(guess, cover, at);
  place.director.player().guess(std::clamp(number, guess.from, guess.to));
}

void FigureOverlay::take_cells(const Place& place) {
  const Heatmap& map = std::get<Heatmap>(place.figure.content);
  Player& player = place.director.player();
  const Point mouse = shim::point(ImGui::GetIO().MousePos);
  if (ImGui::IsItemActivated())
    if (const auto cell = cell_at(map, place.layout, mouse)) {
      player.toggle_cell(cell->row, cell->column);
      by_keys_ = false;
    }
  const auto [across, down] = shifted_arrows();
  const auto moved = [](std::size_t at, int by, std::size_t count) {
    const auto to = static_cast<std::ptrdiff_t>(at) + by;
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(to, 0, static_cast<std::ptrdiff_t>(count) - 1));
  };
  if (!map.values || map.values->shape.size() != 2) return;
  if (across != 0 || down != 0) {
    cell_ = {moved(cell_.row, down, map.values->shape[0]),
             moved(cell_.column, across, map.values->shape[1])};
    by_keys_ = true;
  }
  if (by_keys_ && ImGui::GetIO().KeyShift && shim::key_pressed(GLFW_KEY_ENTER, false))
    player.toggle_cell(cell_.row, cell_.column);
}

void FigureOverlay::draw_pen(Canvas& canvas, const Place& place) const {
  if (!by_keys_) return;
  const Stroke stroke{.color = place.ui.style.accent, .width = 2 * place.ui.scale};
  Rect box{};
  if (const Heatmap* map = markable(place.director, place.figure)) {
    box = cell_rect(*map, place.layout, cell_);
  } else if (pen_) {
    const Point at = in_plot(place.layout.plot, *pen_);
    const double r = 5 * place.ui.scale;
    box = {at.x - r, at.y - r, 2 * r, 2 * r};
  }
  draw_outline(canvas, box, stroke);
}

void draw_control_spotlights(const Director& director, const Session& session,
                             const SymbolLink& shown, SymbolLink& next, const Ui& ui) {
  if (!director.shows_step() || !ui.item_rects) return;
  const LessonStep& step = director.player().step();
  const ParamSet& params = session.current().params;
  std::vector<std::string> keys;
  for (const Spotlight& light : step.spotlights)
    if (light.kind == Spotlight::Kind::control) keys.push_back(light.name);
  const std::vector<std::string> lit = lit_symbols(step, shown);
  for (const std::string& key : step.controls) {
    if (!params.has(key)) continue;
    const auto names_it = [&](const std::string& symbol) {
      return is_symbol_of(params.spec(key), symbol);
    };
    if (std::any_of(lit.begin(), lit.end(), names_it)) keys.push_back(key);
    const auto rect = ui.item_rects->find("param " + key);
    if (!rect || !rect->contains(shim::point(ImGui::GetIO().MousePos))) continue;
    for (std::string& symbol : symbols_of(step))
      if (names_it(symbol)) next.named.push_back(std::move(symbol));
  }
  frame_controls(keys, ui);
}

}  // namespace orrery
