#include "app/views/tabs_view.h"

#include "app/views/figure_set.h"

namespace orrery {
namespace {

class TabsView : public View {
 public:
  void draw(Session& session, const Result& result, const Rect& area, const Ui& ui) override {
    figures_.draw_tabs(session, result.figures, area, ui);
  }

 private:
  FigureSet figures_{};
};

}  // namespace

std::unique_ptr<View> make_tabs_view() { return std::make_unique<TabsView>(); }

}  // namespace orrery
