#include "app/views/invariance_view.h"

#include "app/views/figure_set.h"

namespace orrery {
namespace {

class InvarianceView : public View {
 public:
  std::string_view experiment() const override { return "relative_invariance"; }
  void draw(Session& session, const Result& result, const Rect& area, const Ui& ui) override {
    figures_.draw_tabs(session, result.figures, area, ui);
  }

 private:
  FigureSet figures_{};
};

}  // namespace

std::unique_ptr<View> make_invariance_view() { return std::make_unique<InvarianceView>(); }

}  // namespace orrery
