#include "experiments/search/known_ropes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/search/frequency_families.h"
#include "experiments/search/hypothesis_list.h"
#include "experiments/search/known_numbers.h"

namespace orrery {
namespace {

struct Tried {
  double misfit;
  WrittenRope rope;
};

/// fp32 stages, and where pairs turn alone: bf16 positions and angles.
std::vector<StageRounding> likely_roundings(const WrittenRope& way) {
  std::vector<StageRounding> all{fp32_stages()};
  if (way.wiring != Wiring::rotation) return all;
  for (const Stage stage : {Stage::position, Stage::angle}) {
    all.push_back(fp32_stages());
    all.back().set(stage, Precision::bf16);
  }
  return all;
}

void keep_best(std::vector<Tried>& tried, std::size_t most) {
  std::stable_sort(tried.begin(), tried.end(),
                   [](const Tried& a, const Tried& b) { return a.misfit < b.misfit; });
  if (tried.size() > most) tried.resize(most);
}

/// p-RoPE has been released with position interpolation alone.
bool is_usual(const RopeScaling& scaling, const WrittenRope& way) {
  using enum RopeScalingKind;
  if (way.partial == RopePartial::proportional)
    return scaling.kind == none || scaling.kind == linear;
  return scaling.kind != ntk_by_parts && scaling.truncate;
}

}  // namespace

std::vector<WrittenRope> best_known_ropes(const WrittenRope& way, const RotationSample& few_rows,
                                          std::size_t most) {
  std::vector<Tried> tried;
  for (const StageRounding& rounding : likely_roundings(way))
    for (const double base : known_bases())
      for (const RopeScaling& scaling : known_scalings()) {
        if (!is_usual(scaling, way)) continue;
        WrittenRope rope = way;
        rope.rounding = rounding;
        rope.base = base;
        rope.scaling = scaling;
        const double misfit = residual_of(rope, few_rows).capped_sum;
        tried.push_back({misfit, std::move(rope)});
        if (tried.size() > 64 * most) keep_best(tried, most);
      }
  keep_best(tried, most);
  std::vector<WrittenRope> best;
  for (Tried& one : tried) best.push_back(std::move(one.rope));
  return best;
}

}  // namespace orrery
