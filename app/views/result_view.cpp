#include "app/views/result_view.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/views/figure_stage.h"
#include "app/views/gestures.h"
#include "app/views/stacked_figures.h"
#include "app/views/view_bar.h"

namespace orrery {
namespace {

constexpr const char* all_figures = "all";
constexpr double figure_gap = 8;
constexpr double widest_projected_map = 2.5;
// Figures beside each other that are not as high have smaller titles and keys of colours.
constexpr double small_height = 480;
// A figure with its labels is about so many times as wide as high where it looks best.
constexpr double map_aspect = 1.15, plot_aspect = 1.5;
constexpr int any_lines = std::numeric_limits<int>::max();
// With more of a kind than this, a row of each would be of stamps.
constexpr std::size_t max_in_row = 4;

bool is_equation(const Figure& figure) {
  return std::holds_alternative<MapEquation>(figure.content);
}

std::size_t place_of(const Figures& figures, const std::string& id) {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const FigurePtr& f) { return f->id == id; });
  return found == figures.end() ? 0 : static_cast<std::size_t>(found - figures.begin());
}

std::optional<std::size_t> first_named(const Figures& figures, const std::string& name) {
  for (std::size_t i = 0; i < figures.size(); ++i)
    if (name_of(*figures[i]) == name) return i;
  return std::nullopt;
}

/// A row a kind where that lines up one encoding below the other, else what makes them largest.
std::size_t columns_of(const Figures& figures, const Rect& room, bool lines_up_kinds) {
  if (figures.empty()) return 1;
  const auto first_kind = static_cast<std::size_t>(
      std::count_if(figures.begin(), figures.end(),
                    [&](const FigurePtr& f) { return name_of(*f) == name_of(*figures.front()); }));
  const bool lines_up = lines_up_kinds && first_kind > 1 && first_kind <= max_in_row &&
                        first_kind < figures.size() && figures.size() % first_kind == 0;
  if (lines_up) return first_kind;
  const bool maps = std::all_of(figures.begin(), figures.end(), [](const FigurePtr& f) {
    return std::holds_alternative<Heatmap>(f->content);
  });
  return best_columns(figures.size(), room.width, room.height, maps ? map_aspect : plot_aspect);
}

bool flips() {
  const ImGuiIO& io = ImGui::GetIO();
  return shim::key_down(GLFW_KEY_R) && !io.WantTextInput && !io.KeyCtrl && !io.KeyShift &&
         !io.KeyAlt && !io.KeySuper;
}

/// The groups of small multiples, in the order in which they first come.
class Groups {
 public:
  Groups(const Figures& figures, Grouping grouping) : grouping_(grouping) {
    if (grouping_ == Grouping::none) return;
    for (const FigurePtr& figure : figures)
      if (std::find(names_.begin(), names_.end(), of(*figure)) == names_.end()) {
        names_.push_back(of(*figure));
        if (is_equation(*figure)) ++equations_;
      }
  }
  const std::vector<std::string>& names() const { return names_; }
  /// Terms are seen beside their sum, not beside those of another; and an equation of maps, which
  /// needs the room, beside none.
  bool offers_all() const {
    return grouping_ == Grouping::by_kind && (equations_ == 0 || names_.size() > equations_ + 1);
  }
  /// With one encoding there is nothing to choose; figures of one or two kinds all fit.
  bool offers_choice() const {
    return names_.size() > (grouping_ == Grouping::by_kind && equations_ == 0 ? 2 : 1);
  }
  static std::vector<std::string> titles(std::vector<std::string> names,
                                         const ExperimentView& view) {
    for (std::string& name : names) name = group_title(name, view);
    return names;
  }
  std::string of(const Figure& figure) const {
    if (grouping_ != Grouping::by_encoding) return name_of(figure);
    const std::string encoding = figure.role.encoding();
    return encoding.empty() ? name_of(figure) : encoding;
  }
  Figures sorted(Figures figures) const {
    if (grouping_ == Grouping::none) return figures;
    const auto place = [this](const FigurePtr& figure) {
      return std::find(names_.begin(), names_.end(), of(*figure));
    };
    std::stable_sort(figures.begin(), figures.end(),
                     [&](const FigurePtr& a, const FigurePtr& b) { return place(a) < place(b); });
    return figures;
  }

 private:
  Grouping grouping_;
  std::size_t equations_{0};  ///< kinds of them
  std::vector<std::string> names_{};
};

// A figure this high has two lines for its title, of which words fill this part.
constexpr double two_line_height = 190, title_fill = 0.85;

/// Whether all titles fit into at most so many lines.
bool titles_fit(const std::vector<PlacedFigure>& placed, int most_lines, const Ui& ui) {
  return std::all_of(placed.begin(), placed.end(), [&](const PlacedFigure& one) {
    const double lines = one.area.height >= two_line_height * ui.scale ? most_lines : 1;
    const double width = text_width(one.figure->title);
    return width <= title_fill * lines * one.area.width;
  });
}

}  // namespace

class ResultView::Arrangement {
 public:
  Arrangement(ExperimentView view, bool live) : view_(std::move(view)), live_(live) {}

  void draw(Session& session, const Rect& bar, const Rect& area, const Ui& ui) {
    session.links.begin_frame(ImGui::GetFrameCount());
    before_.update(session);
    swept_.update(session);
    staged_ = stage_.figures(stage_request(session, flips(), before_.result()));
    if (staged_.figures.empty()) return;
    in_panels_ = false;
    draw_figures(session, staged_.figures, {bar, area}, ui);
    dim_other(session.current().other_file(), area, ui);
    tell_of_family(session);
  }

 private:
  using Captions = FigureStage::Captions;

  /// A picture of one file that stands while another is computed, or could not be.
  static void dim_other(const std::string& file, const Rect& area, const Ui& ui) {
    if (file.empty()) return;
    constexpr std::uint8_t veil = 150;
    Color color = ui.style.background;
    color.a = veil;
    ImGui::SetCursorScreenPos(shim::vec({area.x, area.y}));
    constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoScrollbar;
    // A window of its own lies over those of the figures.
    if (ImGui::BeginChild("veil", shim::vec({area.width, area.height}), false, flags)) {
      ImDrawList& list = *ImGui::GetWindowDrawList();
      list.AddRectFilled(shim::vec({area.x, area.y}), shim::vec({area.right(), area.bottom()}),
                         shim::packed(color));
      const std::string words = "still of " + file;
      list.AddText(
          shim::vec({area.x + (area.width - text_width(words)) / 2, area.y + area.height / 2}),
          shim::packed(ui.style.text), words.c_str());
    }
    ImGui::EndChild();
    if (ui.item_rects) ui.item_rects->mark("still of another file", area);
  }

  ViewLayout layout_of(const Session& session) const {
    return session.current().shown.layout.value_or(view_.layout);
  }

  /// The line of choices, which may have no height, and the room of the figures.
  struct Room {
    Rect bar{};
    Rect figures{};
  };

  static bool is_low(const Room& room, const Ui& ui) {
    return room.figures.height < small_height * ui.scale;
  }

  void draw_figures(Session& session, const Figures& figures, Room room, const Ui& ui) {
    const ViewLayout layout = figures.size() > 1 ? layout_of(session) : ViewLayout::single;
    if (room.bar.height > 0)
      room.bar.width -= draw_view_bar(session, layout, staged_.origin, room.bar, ui);
    std::vector<PlacedFigure> placed;
    if (layout == ViewLayout::single) placed = single(session, figures, room, ui);
    if (layout == ViewLayout::side_by_side) placed = pair(session, figures, room, ui);
    if (layout == ViewLayout::small_multiples) placed = multiples(session, figures, room, ui);
    if (staged_.origin == FigureOrigin::result) stage_.zoom(session, placed);
    Ui quiet = ui;
    // Beside others a title is a name, not a headline.
    const bool small = placed.size() > 1 && is_low(room, ui);
    if (placed.size() > 2 || small) quiet.style.title_size = ui.style.text_size;
    // Many maps, those of a lecture and arrows need the room of their colour bars.
    const bool arrows = std::all_of(placed.begin(), placed.end(), [](const PlacedFigure& one) {
      return std::holds_alternative<VectorPlot>(one.figure->content);
    });
    quiet.style.small_keys = placed.size() > 6 || view_.grouping == Grouping::stacked || small ||
                             arrows || room.bar.height <= 0;
    if (room.bar.height <= 0) quiet.style.widest_map = widest_projected_map;
    set_.draw(session, placed, *staged_.read, live_, quiet);
    if (layout == ViewLayout::small_multiples && view_.grouping == Grouping::stacked)
      stacked_.draw_beside(session, *staged_.read, set_, live_, quiet);
  }

  std::vector<PlacedFigure> single(Session& session, const Figures& figures, const Room& room,
                                   const Ui& ui) {
    std::size_t chosen = place_of(figures, session.current().figure);
    if (figures.size() > 1) tabs(figures, chosen, room.bar, ui);
    if (figures[chosen]->id != session.current().figure && figures.size() > 1)
      session.select_figure(figures[chosen]->id);
    if (const Figures panels = panels_of(*figures[chosen]); !panels.empty())
      return in_panels(panels, room, ui);
    return {{with_caption(session, figures[chosen], room), room.figures}};
  }

  /// A figure at each of the values that are swept.
  std::vector<PlacedFigure> in_panels(const Figures& panels, const Room& room, const Ui& ui) {
    return placed_in_grid(captioned(panels), columns_of(panels, room.figures, false), room.figures,
                          figure_gap * ui.scale);
  }

  /// Figures beside each other.
  Figures captioned(const Figures& figures) { return stage_.captioned(figures, staged_.read, {}); }

  /// The same with short titles where their own do not fit into so many lines: those of tabs tell
  /// figures apart better than the beginnings of their own.
  void caption(std::vector<PlacedFigure>& placed, int most_lines, const Ui& ui, bool once = false) {
    Captions captions;
    if (!titles_fit(placed, most_lines, ui))
      captions = {.titles = Captions::Titles::short_ones,
                  .view = &view_,
                  .keep_titles = staged_.subtracted};
    captions.once = once;
    Figures figures;
    for (const PlacedFigure& one : placed) figures.push_back(one.figure);
    figures = stage_.captioned(std::move(figures), staged_.read, std::move(captions));
    for (std::size_t i = 0; i < placed.size(); ++i) placed[i].figure = figures[i];
  }

  /// A figure that stands alone.
  FigurePtr with_caption(const Session& session, const FigurePtr& figure, const Room& room) {
    if (staged_.origin != FigureOrigin::result) return figure;
    const Captions captions =
        room.bar.height <= 0 ? Captions{} : Captions{.alone = &session.current().experiment->info};
    return stage_.captioned({figure}, staged_.read, captions).front();
  }

  /// Figures at each value that is swept, where the figure cannot show all of them.
  Figures panels_of(const Figure& figure) {
    const auto found = staged_.family.panels.find(figure.id);
    if (found == staged_.family.panels.end()) return {};
    in_panels_ = true;
    return found->second;
  }

  /// Says once why what is on screen is no family.
  void tell_of_family(Session& session) {
    if (!session.swept() || !session.swept()->is_complete()) {
      told_ = false;
      return;
    }
    if (staged_.origin != FigureOrigin::result || session.swept()->results().size() < 2) return;
    if (std::exchange(told_, true)) return;
    const std::string& key = session.swept()->key();
    if (staged_.family.empty())
      session.note(fmt::format("No curve or map of this view depends on {}", key));
    else if (staged_.family.in_place.empty() && !in_panels_)
      session.note(fmt::format(
          "Maps cannot be laid over one another: press 1 for a map per value of {}", key));
  }

  void tabs(const Figures& figures, std::size_t& chosen, const Rect& line, const Ui& ui) const {
    if (line.height <= 0) return;
    std::vector<std::string> titles;
    for (const FigurePtr& figure : figures) titles.push_back(tab_title(*figure, view_));
    draw_tab_row(titles, chosen, line, ui);
  }

  /// Two halves, one above the other where the area is upright; a choice for each.
  std::vector<PlacedFigure> pair(Session& session, const Figures& figures, const Room& room,
                                 const Ui& ui) {
    const auto halves = [&](Rect whole, bool beside) {
      const double gap = figure_gap * ui.scale;
      Rect first = whole;
      (beside ? first.width : first.height) = ((beside ? whole.width : whole.height) - gap) / 2;
      Rect second = first;
      (beside ? second.x : second.y) += (beside ? first.width : first.height) + gap;
      return std::pair(first, second);
    };
    const auto places = halves(room.figures, room.figures.width > room.figures.height);
    const auto bars = halves(room.bar, true);
    ViewState& shown = session.shown();
    const std::size_t first = left_of(session, figures);
    std::size_t chosen = first;
    const std::size_t other = right_of(shown, figures, chosen);
    std::size_t second = other;
    ImGui::PushID("left");
    tabs(figures, chosen, bars.first, ui);
    ImGui::PopID();
    ImGui::PushID("right");
    tabs(figures, second, bars.second, ui);
    ImGui::PopID();
    if (chosen != first) session.select_figure(figures[chosen]->id);
    // One figure cannot stand in two places: choosing the other's swaps them.
    if (second == chosen) second = chosen != first ? first : other;
    if (chosen == second) second = (chosen + 1) % figures.size();
    if (second != other) shown.second_figure = figures[second]->id;
    std::vector<PlacedFigure> placed{{figures[chosen], places.first},
                                     {figures[second], places.second}};
    caption(placed, is_low(room, ui) ? 1 : any_lines, ui);
    return placed;
  }

  std::size_t left_of(const Session& session, const Figures& figures) const {
    const std::string& id = session.current().figure;
    const bool chosen = std::any_of(figures.begin(), figures.end(),
                                    [&](const FigurePtr& f) { return f->id == id; });
    if (chosen) return place_of(figures, id);
    return first_named(figures, view_.left).value_or(0);
  }

  std::size_t right_of(const ViewState& shown, const Figures& figures, std::size_t left) const {
    std::size_t right = first_named(figures, view_.right).value_or(left + 1);
    if (!shown.second_figure.empty()) right = place_of(figures, shown.second_figure);
    right %= figures.size();
    return right != left ? right : (left + 1) % figures.size();
  }

  /// All of them, or all of a group, with no more than notices for captions.
  std::vector<PlacedFigure> multiples(Session& session, const Figures& figures, const Room& room,
                                      const Ui& ui) {
    if (view_.grouping == Grouping::stacked)
      return stacked_.place(session, captioned(figures), room.bar, room.figures, *staged_.read,
                            set_, ui);
    if (!view_.together.empty()) return together(figures, room, ui);
    const Groups groups(figures, view_.grouping);
    Figures shown = groups.sorted(figures);
    if (groups.offers_choice()) {
      const std::string group = choose_group(session, groups, room.bar, ui);
      if (group != all_figures)
        std::erase_if(shown, [&](const FigurePtr& f) { return groups.of(*f) != group; });
      else
        std::erase_if(shown, [](const FigurePtr& f) { return is_equation(*f); });
    }
    const Figures panels = shown.size() == 1 ? panels_of(*shown.front()) : Figures{};
    if (!panels.empty()) return in_panels(panels, room, ui);
    if (shown.size() == 1) shown = {with_caption(session, shown.front(), room)};
    const bool lined_up = view_.grouping == Grouping::by_kind;
    auto placed = placed_in_grid(shown, columns_of(shown, room.figures, lined_up), room.figures,
                                 figure_gap * ui.scale);
    if (placed.size() > 1) caption(placed, 2, ui);
    return placed;
  }

  std::vector<PlacedFigure> together(const Figures& figures, const Room& room, const Ui& ui) {
    Figures shown;
    for (const std::string& name : view_.together)
      if (const auto first = first_named(figures, name)) shown.push_back(figures[*first]);
    if (shown.empty()) shown = {figures.front()};
    const double gap = figure_gap * ui.scale;
    Rect half = room.figures;
    if (shown.size() > 1) half.width = (half.width - gap) / 2;
    const Rect right{half.right() + gap, half.y, half.width, half.height};
    std::vector<PlacedFigure> placed =
        placed_in_grid({shown.begin() + 1, shown.end()}, 1, right, gap);
    placed.insert(placed.begin(), {shown.front(), half});
    caption(placed, is_low(room, ui) ? 1 : any_lines, ui, true);
    return placed;
  }

  std::string choose_group(Session& session, const Groups& groups, const Rect& line,
                           const Ui& ui) const {
    std::vector<std::string> names = groups.names();
    if (groups.offers_all()) names.insert(names.begin(), all_figures);
    const auto kept = std::find(names.begin(), names.end(), session.current().figure);
    auto chosen = kept == names.end() ? 0 : static_cast<std::size_t>(kept - names.begin());
    const std::size_t before = chosen;
    if (line.height > 0) draw_tab_row(Groups::titles(names, view_), chosen, line, ui);
    if (chosen != before) session.select_figure(names[chosen]);
    return names[chosen];
  }

  ExperimentView view_;
  bool live_;
  BeforeDrag before_{};
  SweepGesture swept_{};
  FigureStage stage_{};
  StagedFigures staged_{};  ///< of this frame
  bool in_panels_{};        ///< whether a figure is shown at each value that is swept
  bool told_{};             ///< why there is no family
  StackedFigures stacked_{};
  FigureSet set_{};
};

ResultView::ResultView(ExperimentView view, bool live)
    : arrangement_(std::make_unique<Arrangement>(std::move(view), live)) {}

ResultView::ResultView(ResultView&&) noexcept = default;
ResultView& ResultView::operator=(ResultView&&) noexcept = default;
ResultView::~ResultView() = default;

void ResultView::draw(Session& session, const Rect& bar, const Rect& area, const Ui& ui) {
  arrangement_->draw(session, bar, area, ui);
}

}  // namespace orrery
