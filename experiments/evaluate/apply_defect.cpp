#include "experiments/evaluate/apply_defect.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/encodings/rope.h"
#include "core/errors.h"
#include "core/identify/defects.h"
#include "core/identify/written_rope.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/user_tables.h"

namespace orrery::evaluate {
namespace {

constexpr const char* no_defect = "none";

WrittenRope defective_rope(const ParamSet& params, const ApplyInputs& in, Index channels,
                           Index rows) {
  const Tables tables = tables_of(in.tables);
  const auto rope = Rope<double>::make({.d_model = channels,
                                        .d_head = channels,
                                        .params = params,
                                        .tables = in.tables.empty() ? nullptr : &tables});
  const std::string& name = params.text("defect");
  const auto broken = find_rope_defect(name).inject(written_as(rope->config()), rows);
  if (broken) return *broken;
  throw UsageError(fmt::format("defect={}", name),
                   "has no occasion in this rope: " + find_rope_defect(name).description,
                   "choose another scaling, fraction or base, or another defect");
}

void require_exact(const ParamSet& params) {
  if (rounding_of(params).coarsest() == Precision::fp64) return;
  throw UsageError(fmt::format("defect={} with rounded stages", params.text("defect")),
                   "products of a defective rope are not rounded",
                   "leave precision=exact, and round the result");
}

}  // namespace

ParamSpec applied_defect_param() {
  ParamSpec spec{.key = "defect",
                 .description = "Turn x as a program with a known mistake does.",
                 .kind = ParamKind::choice,
                 .default_value = std::string(no_defect),
                 .choices = {{no_defect, "as RoPE is defined"}}};
  for (const RopeDefect& defect : rope_defects())
    spec.choices.push_back({defect.name, defect.description});
  spec.used_when = Condition{"encoding", {"rope"}};
  return spec;
}

bool has_defect(const ParamSet& params) {
  return params.text("encoding") == "rope" && params.text("defect") != no_defect;
}

std::shared_ptr<const Array> apply_defective_rope(const ParamSet& params, const ApplyInputs& in) {
  require_exact(params);
  const Tensor& x = *in.x;
  const auto rows = static_cast<Index>(in.positions.size());
  const WrittenRope rope = defective_rope(params, in, static_cast<Index>(x.shape.back()), rows);
  RowPlaces places{.heads = {0}, .positions = AxisPositions(rows, 1)};
  for (Index n = 0; n < rows; ++n) {
    places.rows.push_back(n);
    places.positions(n, 0) = in.positions[static_cast<std::size_t>(n)];
  }
  const std::size_t heads = x.shape.size() > 2 ? x.shape[x.shape.size() - 3] : 1;
  std::vector<double> values;
  for (std::size_t matrix = 0; matrix < matrices_in(x); ++matrix) {
    places.heads = {static_cast<Index>(matrix % heads)};
    const Matrix<double> turned = apply_written(rope, places, matrix_in<double>(x, matrix));
    values.insert(values.end(), turned.data(), turned.data() + turned.size());
  }
  return encoded_array(x.shape, std::move(values));
}

}  // namespace orrery::evaluate
