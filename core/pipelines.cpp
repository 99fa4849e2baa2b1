#include "core/pipelines.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "core/params.h"
#include "core/unknown_name.h"

namespace orrery {
namespace {

/// Functions of positions are computed in fp32. Stored numbers have one format; results of
/// operations has the same where each returns a tensor (eager), and fp32 within a kernel (fused).
StageRounding stored_and_computed_in(Precision stored, Precision computed) {
  StageRounding rounding(Precision::fp32, {Stage::position, Stage::distance, Stage::log,
                                           Stage::inv_freq, Stage::angle});
  for (const Stage stage : {Stage::cos_sin, Stage::table, Stage::projected, Stage::input, Stage::qk,
                            Stage::value, Stage::rotated_qk, Stage::output})
    rounding.set(stage, stored);
  for (const Stage stage :
       {Stage::products, Stage::term, Stage::scale, Stage::logits, Stage::weights})
    rounding.set(stage, computed);
  return rounding;
}

Pipeline eager_pipeline(Precision format) {
  constexpr const char* of_powers =
      "$θ$ within 2 ulp of PyTorch's, whose powers differ between CPUs";
  const std::string small = fmt::format(
      "as Transformers runs in {0}: angles in fp32, every operation and the weights rounded to "
      "{0}; {1}",
      name(format), of_powers);
  const std::string whole =
      fmt::format("as Transformers runs in fp32: $θ$ and the angles $m θ$ in fp32; {}", of_powers);
  return {fmt::format("eager_{}", name(format)), format == Precision::fp32 ? whole : small,
          Precision::fp32, format, stored_and_computed_in(format, format)};
}

Pipeline fused_pipeline(Precision format) {
  return {fmt::format("fused_{}", name(format)),
          fmt::format("cos and sin as in eager_{0}; then fp32, but for turned $q$ and $k$ and the "
                      "output, each rounded to {0} once",
                      name(format)),
          Precision::fp32, format, stored_and_computed_in(format, Precision::fp32)};
}

}  // namespace

const std::vector<Pipeline>& pipeline_catalogue() {
  static const std::vector<Pipeline> pipelines{
      {"exact", "fp64, with each angle $m θ$ formed without error from the fp64 $θ$",
       Precision::fp64, Precision::fp64, StageRounding()},
      {"exact_fp32",
       "fp32, but for angles in fp64, whose cos and sin are rounded once: a careful kernel",
       Precision::fp32, Precision::fp32, StageRounding()},
      eager_pipeline(Precision::fp32),
      eager_pipeline(Precision::bf16),
      eager_pipeline(Precision::fp16),
      fused_pipeline(Precision::bf16),
      fused_pipeline(Precision::fp16),
  };
  return pipelines;
}

const Pipeline& find_pipeline(std::string_view name) {
  std::vector<std::string> names;
  for (const Pipeline& pipeline : pipeline_catalogue()) {
    if (pipeline.name == name) return pipeline;
    names.push_back(pipeline.name);
  }
  throw_unknown_name(name, "a pipeline", names);
}

}  // namespace orrery
