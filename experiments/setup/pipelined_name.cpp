#include "experiments/setup/pipelined_name.h"

#include <fmt/format.h>

#include "core/pipelines.h"

namespace orrery::setup {

std::string pipelined_name(std::string_view subject, std::string_view pipeline,
                           std::string_view what) {
  return fmt::format("{}_{}_{}", subject, pipeline, what);
}

std::optional<std::string> pipeline_in(std::string_view name) {
  std::optional<std::string> longest;  // exact_fp32 contains exact
  for (const Pipeline& pipeline : pipeline_catalogue())
    if (name.find(fmt::format("_{}_", pipeline.name)) != std::string_view::npos &&
        (!longest || pipeline.name.size() > longest->size()))
      longest = pipeline.name;
  return longest;
}

}  // namespace orrery::setup
