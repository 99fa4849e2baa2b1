#include "app/views/result_view.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/views/before_drag.h"
#include "app/views/comparison.h"
#include "app/views/figure_set.h"
#include "app/views/hover_preview.h"
#include "app/views/map_zoom.h"
#include "app/views/view_bar.h"

namespace orrery::views {
namespace {

constexpr const char* all_figures = "all";
constexpr double figure_gap = 10;
// A figure with its labels is about so many times as wide as high where it looks best.
constexpr double map_aspect = 1.15, plot_aspect = 1.5;
// A figure this high has two lines for its title, of which words fill this part.
constexpr double two_line_height = 190, title_fill = 0.85;
// With more of a kind than this, a row of each would be of stamps.
constexpr std::size_t max_in_row = 4;

using Figures = std::vector<const Figure*>;

/// A figure that is one of a kind is called by its id.
const std::string& kind_of(const Figure& figure) {
  return figure.role.kind.empty() ? figure.id : figure.role.kind;
}

/// "decay_bound" as "Decay bound": the figure's own title is long, and stands above it anyway.
std::string tab_title(std::string id) {
  std::replace(id.begin(), id.end(), '_', ' ');
  if (!id.empty() && id[0] >= 'a' && id[0] <= 'z') id[0] = static_cast<char>(id[0] - 'a' + 'A');
  return id;
}

std::size_t place_of(const Figures& figures, const std::string& id) {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const Figure* f) { return f->id == id; });
  return found == figures.end() ? 0 : static_cast<std::size_t>(found - figures.begin());
}

std::optional<std::size_t> first_of_kind(const Figures& figures, const std::string& kind) {
  for (std::size_t i = 0; i < figures.size(); ++i)
    if (kind_of(*figures[i]) == kind) return i;
  return std::nullopt;
}

/// A row a kind where that lines up one encoding below the other, else what makes them largest.
std::size_t columns_of(const Figures& figures, const Rect& room, bool lines_up_kinds) {
  if (figures.empty()) return 1;
  const auto first_kind =
      static_cast<std::size_t>(std::count_if(figures.begin(), figures.end(), [&](const Figure* f) {
        return kind_of(*f) == kind_of(*figures.front());
      }));
  const bool lines_up = lines_up_kinds && first_kind > 1 && first_kind <= max_in_row &&
                        first_kind < figures.size() && figures.size() % first_kind == 0;
  if (lines_up) return first_kind;
  const bool maps = std::all_of(figures.begin(), figures.end(), [](const Figure* f) {
    return std::holds_alternative<Heatmap>(f->content);
  });
  return best_columns(figures.size(), room.width, room.height, maps ? map_aspect : plot_aspect);
}

Rect below(const Rect& area, double height) {
  return {area.x, area.y + height, area.width, std::max(0.0, area.height - height)};
}

bool flips() {
  const ImGuiIO& io = ImGui::GetIO();
  return shim::key_down(GLFW_KEY_R) && !io.WantTextInput && !io.KeyCtrl && !io.KeyShift &&
         !io.KeyAlt && !io.KeySuper;
}

/// The results that figures come from, held so that their addresses stay theirs.
using Stamp = std::vector<std::shared_ptr<const Result>>;

/// Figures without their captions: beside each other these would say the same many times.
class Captionless {
 public:
  /// `stamp` is what the figures are made of: an address alone may be another figure's by now.
  Figures of(const Figures& figures, const Stamp& stamp) {
    if (sources_ != figures || stamp_ != stamp) copy(figures);
    stamp_ = stamp;
    Figures bare;
    for (const Figure& figure : *copies_) bare.push_back(&figure);
    return bare;
  }
  /// Where titles find no room, the figures' ids tell them apart better than their beginnings.
  void fit_titles(const std::vector<PlacedFigure>& placed, const Ui& ui) {
    if (placed.size() != copies_->size()) return;
    bool all_fit = true;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const Rect& area = placed[i].area;
      const double lines = area.height >= two_line_height * ui.scale ? 2 : 1;
      const ImVec2 size = ImGui::CalcTextSize(sources_[i]->title.c_str());
      all_fit = all_fit && static_cast<double>(size.x) <= title_fill * lines * area.width;
    }
    for (std::size_t i = 0; i < copies_->size(); ++i) {
      Figure& copy = (*copies_)[i];
      copy.title = all_fit ? sources_[i]->title : tab_title(copy.id);
    }
  }
  /// Keeps the copies made last.
  std::shared_ptr<const void> owner() const { return copies_; }

 private:
  void copy(const Figures& figures) {
    sources_ = figures;
    // The old ones may still be held, with the pictures made of them.
    copies_ = std::make_shared<std::vector<Figure>>();
    for (const Figure* figure : figures) {
      copies_->push_back(*figure);
      copies_->back().caption.clear();
    }
  }
  Figures sources_{};
  Stamp stamp_{};
  std::shared_ptr<std::vector<Figure>> copies_ = std::make_shared<std::vector<Figure>>();
};

/// The groups of small multiples, in the order in which they first come.
class Groups {
 public:
  Groups(const Figures& figures, Grouping grouping) : grouping_(grouping) {
    if (grouping_ == Grouping::none) return;
    for (const Figure* figure : figures)
      if (std::find(names_.begin(), names_.end(), of(*figure)) == names_.end())
        names_.push_back(of(*figure));
  }
  const std::vector<std::string>& names() const { return names_; }
  /// Terms are seen beside their sum, not beside those of another.
  bool offers_all() const { return grouping_ == Grouping::by_kind; }
  std::vector<std::string> titles(std::vector<std::string> names) const {
    if (grouping_ == Grouping::by_page)
      std::transform(names.begin(), names.end(), names.begin(), tab_title);
    return names;
  }
  std::string of(const Figure& figure) const {
    if (grouping_ != Grouping::by_encoding) return kind_of(figure);
    const std::string encoding = figure.role.encoding();
    return encoding.empty() ? kind_of(figure) : encoding;
  }
  Figures sorted(Figures figures) const {
    if (grouping_ == Grouping::none) return figures;
    const auto place = [this](const Figure* figure) {
      return std::find(names_.begin(), names_.end(), of(*figure));
    };
    std::stable_sort(figures.begin(), figures.end(),
                     [&](const Figure* a, const Figure* b) { return place(a) < place(b); });
    return figures;
  }

 private:
  Grouping grouping_;
  std::vector<std::string> names_{};
};

/// Keeps every figure of a frame alive.
struct Owners {
  Stamp results{};
  std::shared_ptr<const void> copies{};
  std::shared_ptr<const void> parts{};
};

}  // namespace

class ResultView::Arrangement {
 public:
  explicit Arrangement(ViewPlan plan) : plan_(std::move(plan)), turned_(plan_.preview_overrides) {}

  void draw(Session& session, const Rect& area, const Ui& ui) {
    session.links.begin_frame(ImGui::GetFrameCount());
    const std::shared_ptr<const Result> held = session.current().result;
    turned_.update(session);
    before_.update(session);
    Figures figures;
    for (const Figure& figure : comparison_.figures(session.current(), flips(), before_.result()))
      // A reference is of other settings, a difference of two.
      figures.push_back(comparison_.kind() == Comparison::Kind::result ? &turned_.of(figure)
                                                                       : &figure);
    if (figures.empty()) return;
    const bool flipped = comparison_.kind() == Comparison::Kind::reference;
    const auto read = flipped ? session.current().shown.references.back() : held;
    stamp_ = {held, read, comparison_.made(), turned_.result()};
    draw_figures(session, figures, *read, area, ui);
  }

 private:
  ViewLayout layout_of(const Session& session) const {
    return session.current().shown.layout.value_or(plan_.layout);
  }

  void draw_figures(Session& session, const Figures& figures, const Result& result,
                    const Rect& area, const Ui& ui) {
    const ViewLayout layout = figures.size() > 1 ? layout_of(session) : ViewLayout::single;
    const double bar = draw_view_bar(session, layout, comparison_.kind(), area, ui);
    Rect head = area;
    head.width -= bar;
    const double least = bar > 0 ? static_cast<double>(ImGui::GetFrameHeight()) + 4 * ui.scale : 0;
    std::vector<PlacedFigure> placed;
    if (layout == ViewLayout::single) placed = single(session, figures, head, area, least, ui);
    if (layout == ViewLayout::side_by_side) placed = pair(session, figures, area, least, ui);
    if (layout == ViewLayout::small_multiples)
      placed = multiples(session, figures, head, area, least, ui);
    if (comparison_.kind() == Comparison::Kind::result) {
      zoom_.update(session, placed);
      zoom_.show(session, placed);
    }
    Ui quiet = ui;
    // Beside others a title is a name, not a headline.
    if (placed.size() > 2) quiet.style.title_size = ui.style.text_size;
    set_.draw(session, placed, {result, owner()}, plan_.rules, quiet);
  }

  /// A row of titles, the chosen figure below.
  std::vector<PlacedFigure> single(Session& session, const Figures& figures, const Rect& head,
                                   const Rect& area, double least, const Ui& ui) const {
    std::size_t chosen = place_of(figures, session.current().figure);
    const double height = figures.size() > 1 ? tabs(figures, chosen, head, ui) : 0.0;
    if (figures[chosen]->id != session.current().figure && figures.size() > 1)
      session.select_figure(figures[chosen]->id);
    return {{figures[chosen], below(area, std::max(height, least))}};
  }

  double tabs(const Figures& figures, std::size_t& chosen, const Rect& head, const Ui& ui) const {
    std::vector<std::string> titles;
    for (const Figure* figure : figures) titles.push_back(tab_title(figure->id));
    return draw_tab_row(titles, chosen, head, ui);
  }

  /// Two halves, each with a row of titles; one above the other where the area is upright.
  std::vector<PlacedFigure> pair(Session& session, const Figures& figures, const Rect& area,
                                 double least, const Ui& ui) {
    const double gap = figure_gap * ui.scale;
    const Rect room = below(area, least);
    const bool beside = room.width > room.height;
    Rect left = room, right = room;
    (beside ? left.width : left.height) = ((beside ? room.width : room.height) - gap) / 2;
    right.width = left.width;
    right.height = left.height;
    (beside ? right.x : right.y) += (beside ? left.width : left.height) + gap;
    ViewState& shown = session.shown();
    const std::size_t first = left_of(session, figures);
    std::size_t chosen = first;
    const std::size_t other = right_of(shown, figures, chosen);
    std::size_t second = other;
    ImGui::PushID("left");
    const double left_tabs = tabs(figures, chosen, left, ui);
    ImGui::PopID();
    ImGui::PushID("right");
    const double right_tabs = tabs(figures, second, right, ui);
    ImGui::PopID();
    if (chosen != first) session.select_figure(figures[chosen]->id);
    // One figure cannot stand in two places: choosing the other's swaps them.
    if (second == chosen) second = chosen != first ? first : other;
    if (chosen == second) second = (chosen + 1) % figures.size();
    if (second != other) shown.second_figure = figures[second]->id;
    const double height = std::max(left_tabs, right_tabs);
    const Figures bare = captionless_.of({figures[chosen], figures[second]}, stamp_);
    return {{bare[0], below(left, height)}, {bare[1], below(right, height)}};
  }

  std::size_t left_of(const Session& session, const Figures& figures) const {
    const std::string& id = session.current().figure;
    const bool chosen =
        std::any_of(figures.begin(), figures.end(), [&](const Figure* f) { return f->id == id; });
    if (chosen) return place_of(figures, id);
    return first_of_kind(figures, plan_.left).value_or(0);
  }

  std::size_t right_of(const ViewState& shown, const Figures& figures, std::size_t left) const {
    std::size_t right = first_of_kind(figures, plan_.right).value_or(left + 1);
    if (!shown.second_figure.empty()) right = place_of(figures, shown.second_figure);
    right %= figures.size();
    return right != left ? right : (left + 1) % figures.size();
  }

  /// All of them, or all of a group, without captions.
  std::vector<PlacedFigure> multiples(Session& session, const Figures& figures, const Rect& head,
                                      const Rect& area, double least, const Ui& ui) {
    const Groups groups(figures, plan_.grouping);
    Figures shown = groups.sorted(figures);
    double height = 0.0;
    // With one encoding there is nothing to choose; figures of one or two kinds all fit.
    const bool choose = groups.names().size() > (groups.offers_all() ? 2 : 1);
    if (choose) {
      const std::string group = choose_group(session, groups, head, height, ui);
      if (group != all_figures)
        std::erase_if(shown, [&](const Figure* f) { return groups.of(*f) != group; });
    }
    const Rect room = below(area, std::max(height, least));
    const bool several = shown.size() > 1;
    if (several) shown = captionless_.of(shown, stamp_);
    const bool lined_up = plan_.grouping == Grouping::by_kind;
    auto placed =
        placed_in_grid(shown, columns_of(shown, room, lined_up), room, figure_gap * ui.scale);
    if (several) captionless_.fit_titles(placed, ui);
    return placed;
  }

  static std::string choose_group(Session& session, const Groups& groups, const Rect& head,
                                  double& height, const Ui& ui) {
    std::vector<std::string> names = groups.names();
    if (groups.offers_all()) names.insert(names.begin(), all_figures);
    const auto kept = std::find(names.begin(), names.end(), session.current().figure);
    auto chosen = kept == names.end() ? 0 : static_cast<std::size_t>(kept - names.begin());
    const std::size_t before = chosen;
    height = draw_tab_row(groups.titles(names), chosen, head, ui);
    if (chosen != before) session.select_figure(names[chosen]);
    return names[chosen];
  }

  /// Keeps alive everything that this frame draws.
  std::shared_ptr<const void> owner() const {
    return std::make_shared<const Owners>(Owners{stamp_, captionless_.owner(), zoom_.owner()});
  }

  ViewPlan plan_;
  Stamp stamp_{};
  BeforeDrag before_{};
  Comparison comparison_{};
  HoverPreview turned_;
  MapZoom zoom_{};
  Captionless captionless_{};
  FigureSet set_{};
};

ResultView::ResultView(ViewPlan plan)
    : arrangement_(std::make_unique<Arrangement>(std::move(plan))) {}

ResultView::ResultView(ResultView&&) noexcept = default;
ResultView& ResultView::operator=(ResultView&&) noexcept = default;
ResultView::~ResultView() = default;

void ResultView::draw(Session& session, const Rect& area, const Ui& ui) {
  arrangement_->draw(session, area, ui);
}

}  // namespace orrery::views
