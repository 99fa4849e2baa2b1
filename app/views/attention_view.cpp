#include "app/views/attention_view.h"

#include "app/views/figure_set.h"

namespace orrery {
namespace {

class AttentionView : public View {
 public:
  std::string_view experiment() const override { return "attention_map"; }
  void draw(Session& session, const Result& result, const Rect& area, const Ui& ui) override {
    figures_.draw_tabs(session, result.figures, area, ui);
  }

 private:
  FigureSet figures_{};
};

}  // namespace

std::unique_ptr<View> make_attention_view() { return std::make_unique<AttentionView>(); }

}  // namespace orrery
