#include "app/views/plain_view.h"

#include <utility>

#include "app/views/figure_set.h"

namespace orrery {
namespace {

class PlainView : public View {
 public:
  explicit PlainView(std::string experiment) : experiment_(std::move(experiment)) {}
  std::string_view experiment() const override { return experiment_; }
  void draw(Session& session, const Result& result, const Rect& area, const Ui& ui) override {
    figures_.draw_tabs(session, result.figures, area, ui);
  }

 private:
  std::string experiment_;
  FigureSet figures_{};
};

}  // namespace

std::unique_ptr<View> make_plain_view(std::string experiment) {
  return std::make_unique<PlainView>(std::move(experiment));
}

}  // namespace orrery
