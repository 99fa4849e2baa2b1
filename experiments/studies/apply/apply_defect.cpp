#include "experiments/studies/apply/apply_defect.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/encodings/axis_layout.h"
#include "core/encodings/axis_rope.h"
#include "core/encodings/rope_settings.h"
#include "core/errors.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/identify/defects.h"
#include "experiments/identify/written_rope.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"

namespace orrery {
namespace {

constexpr const char* no_defect = "none";

/// The rope as it should be, and where its tokens lie.
struct SoundRope {
  WrittenRope rope{};
  AxisPositions positions{};
};

SoundRope sound_rope(const EncodingSettings& settings, const Positions& at) {
  if (settings.params.text("encoding") == "axis_rope") {
    const auto rope = AxisRope<double>::make(settings);
    const AxisDesign design = rope->convention().design;
    if (design == AxisDesign::time_still || design == AxisDesign::axial)
      throw UsageError("a design of axes with frequencies of its own",
                       "is not one of those that defects were reported of",
                       "take chunked, interleaved or time_last sections");
    return {WrittenRope{rope->convention()}, axis_positions(rope->options().layout, at)};
  }
  SoundRope sound{WrittenRope{rope_convention_of(settings)},
                  AxisPositions(static_cast<Index>(at.size()), 1)};
  for (Index n = 0; n < sound.positions.rows(); ++n)
    sound.positions(n, 0) = at[static_cast<std::size_t>(n)];
  return sound;
}

WrittenRope broken_rope(const std::string& name, const WrittenRope& sound, Index rows) {
  if (const auto broken = find_rope_defect(name).inject(sound, rows)) return *broken;
  throw UsageError(fmt::format("defect={}", name),
                   "cannot be made in this rope: " + plain_text(find_rope_defect(name).description),
                   "choose another scaling, fraction, base or design, or another defect");
}

void require_exact(const ParamSet& params) {
  if (rounding_of(params).coarsest() == Precision::fp64) return;
  throw UsageError(fmt::format("defect={} with rounded stages", params.text("defect")),
                   "products of a defective rope are not rounded",
                   "leave precision=exact, and round the result");
}

}  // namespace

std::shared_ptr<const Array> encoded_array(
    const std::vector<std::size_t>& shape,
    std::variant<std::vector<double>, std::vector<float>> values) {
  Array out{.name = "encoded", .shape = shape};
  out.axes = {"batch", "head", "position", "channel"};
  out.axes.erase(out.axes.begin(), out.axes.end() - static_cast<std::ptrdiff_t>(shape.size()));
  out.values = std::move(values);
  return std::make_shared<const Array>(std::move(out));
}

ParamSpec applied_defect_param() {
  ParamSpec spec = choice_param("defect", "Turn x as a program with a known mistake does.",
                                std::string(no_defect), {{no_defect, "as RoPE is defined"}});
  for (const RopeDefect& defect : rope_defects())
    spec.choices.push_back({defect.name, defect.description});
  spec.used_when = Condition{"encoding", {"rope", "axis_rope"}};
  return spec;
}

bool has_defect(const ParamSet& params) {
  return params.is_used("defect") && params.text("defect") != no_defect;
}

std::shared_ptr<const Array> apply_defective_rope(const EncodingSettings& settings, const Tensor& x,
                                                  const Positions& at) {
  require_exact(settings.params);
  const auto rows = static_cast<Index>(at.size());
  SoundRope sound = sound_rope(settings, at);
  const WrittenRope rope = broken_rope(settings.params.text("defect"), sound.rope, rows);
  RowPlaces places{.heads = {0}, .positions = std::move(sound.positions)};
  for (Index n = 0; n < rows; ++n) places.rows.push_back(n);
  const std::size_t heads = x.shape.size() > 2 ? x.shape[x.shape.size() - 3] : 1;
  std::vector<double> values;
  for (std::size_t matrix = 0; matrix < matrices_in(x); ++matrix) {
    places.heads = {static_cast<Index>(matrix % heads)};
    const Matrix<double> turned = apply_written(rope, places, matrix_in<double>(x, matrix));
    values.insert(values.end(), turned.data(), turned.data() + turned.size());
  }
  return encoded_array(x.shape, std::move(values));
}

}  // namespace orrery
