#include "app/views/decay_view.h"

#include "app/views/figure_set.h"

namespace orrery {
namespace {

class DecayView : public View {
 public:
  std::string_view experiment() const override { return "long_term_decay"; }
  void draw(Session& session, const Result& result, const Rect& area, const Ui& ui) override {
    figures_.draw_tabs(session, result.figures, area, ui);
  }

 private:
  FigureSet figures_{};
};

}  // namespace

std::unique_ptr<View> make_decay_view() { return std::make_unique<DecayView>(); }

}  // namespace orrery
