#include "experiments/heads/defect_turn.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/errors.h"
#include "experiments/search/defects.h"

namespace orrery {
namespace {

/// A layer's rope as it is written; empty where it has none.
std::vector<std::optional<WrittenRope>> written_ropes(const RopeDefect& defect, const Edit& edit,
                                                      const std::vector<LayerPlan>& layers,
                                                      Index tokens) {
  std::vector<std::optional<WrittenRope>> ropes;
  bool any = false;
  for (const LayerPlan& layer : layers) {
    if (layer.encoding != "rope" || !edit.acts_in(layer.layer)) {
      ropes.emplace_back();
      continue;
    }
    const WrittenRope sound{completed(layer.rope)};
    std::optional<WrittenRope> broken = defect.inject(sound, tokens);
    any = any || broken;
    ropes.push_back(broken ? std::move(broken) : sound);
  }
  if (!any)
    throw UsageError("edit " + edit_text(edit),
                     "cannot be made in the ropes of these layers: " + defect.description,
                     "choose another defect, or layers that can have it");
  return ropes;
}

}  // namespace

template <class T>
Turn<T> defect_turn(const Edit& edit, const std::vector<LayerPlan>& layers, Index tokens) {
  const RopeDefect& defect = find_rope_defect(edit.key);
  auto ropes = std::make_shared<std::vector<std::optional<WrittenRope>>>(
      written_ropes(defect, edit, layers, tokens));
  return [ropes](int layer, int head, PositionsIn positions, MatrixOut<T> x) {
    const auto& rope = (*ropes)[static_cast<std::size_t>(layer)];
    check_invariant(rope.has_value(), "only layers with RoPE turn q and k");
    RowPlaces places{.heads = {head}, .positions = AxisPositions(x.rows(), 1)};
    for (Index n = 0; n < x.rows(); ++n) {
      places.rows.push_back(n);
      places.positions(n, 0) = positions[static_cast<std::size_t>(n)];
    }
    const Matrix<double> before = x.template cast<double>();
    x = apply_written(*rope, places, before).template cast<T>();
  };
}

template Turn<float> defect_turn(const Edit&, const std::vector<LayerPlan>&, Index);
template Turn<double> defect_turn(const Edit&, const std::vector<LayerPlan>&, Index);

}  // namespace orrery
