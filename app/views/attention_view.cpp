#include "app/views/attention_view.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/views/figure_set.h"

namespace orrery {
namespace {

constexpr const char* kAll = "all";

/// What kind of map an id names: "weights" of "weights_rope".
std::string kind_of(const Figure& figure) { return figure.id.substr(0, figure.id.find('_')); }

// With more encodings than this a row of each kind would be of stamps.
constexpr std::size_t kMostInRow = 4;

/// A row a kind where that lines up one encoding below the other, else what makes them largest.
std::size_t columns_of(const std::vector<const Figure*>& maps, const Rect& room) {
  if (maps.empty()) return 1;
  const auto first_kind =
      static_cast<std::size_t>(std::count_if(maps.begin(), maps.end(), [&](const Figure* map) {
        return kind_of(*map) == kind_of(*maps.front());
      }));
  const bool lines_up = first_kind > 1 && first_kind <= kMostInRow && first_kind < maps.size() &&
                        maps.size() % first_kind == 0;
  return lines_up ? first_kind : best_columns(maps.size(), room.width, room.height);
}

/// Maps side by side, one an encoding and kind, that pan and zoom together.
class AttentionView : public View {
 public:
  void draw(Session& session, const Result& result, const Rect& area, const Ui& ui) override {
    take(session.current().result, result);
    Rect room = area;
    const std::string kind = kinds_.size() > 2 ? choose_kind(session, room, ui) : kAll;
    std::vector<const Figure*> shown;
    for (const Figure& map : maps_)
      if (kind == kAll || kind_of(map) == kind) shown.push_back(&map);
    figures_.draw_grid(session, shown, columns_of(shown, room), room, ui);
  }

 private:
  /// Keeps the maps of a new result, without the captions if there are several: they are the same.
  void take(const std::shared_ptr<const Result>& held, const Result& result) {
    if (held == result_ && held) return;
    result_ = held;
    maps_ = result.figures;
    if (maps_.size() > 1)
      for (Figure& map : maps_) map.caption.clear();
    kinds_ = {kAll};
    for (const Figure& map : maps_)
      if (std::find(kinds_.begin(), kinds_.end(), kind_of(map)) == kinds_.end())
        kinds_.push_back(kind_of(map));
    const auto place = [this](const Figure& map) {
      return std::find(kinds_.begin(), kinds_.end(), kind_of(map));
    };
    std::stable_sort(maps_.begin(), maps_.end(),
                     [&](const Figure& a, const Figure& b) { return place(a) < place(b); });
  }

  /// The row of kinds, taken from the top of `room`.
  std::string choose_kind(Session& session, Rect& room, const Ui& ui) const {
    const auto kept = std::find(kinds_.begin(), kinds_.end(), session.current().figure);
    auto chosen = kept == kinds_.end() ? 0 : static_cast<std::size_t>(kept - kinds_.begin());
    const double height = draw_tab_row(kinds_, chosen, room, ui);
    session.select_figure(kinds_[chosen]);
    room = {room.x, room.y + height, room.width, room.height - height};
    return kinds_[chosen];
  }

  std::shared_ptr<const Result> result_{};
  std::vector<Figure> maps_{};
  std::vector<std::string> kinds_{kAll};  ///< "all", then each kind there is
  FigureSet figures_{};
};

}  // namespace

std::unique_ptr<View> make_attention_view() { return std::make_unique<AttentionView>(); }

}  // namespace orrery
