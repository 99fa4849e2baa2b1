#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::setup {

// Where several pipelines are compared, names of scalars, checks and columns contain the
// pipeline's: "rope_eager_fp32_largest_ulp". A name without one is of the only pipeline there is.

/// subject_pipeline_what.
std::string pipelined_name(std::string_view subject, std::string_view pipeline,
                           std::string_view what);

/// The pipeline that such a name contains, if any.
std::optional<std::string> pipeline_in(std::string_view name);

}  // namespace orrery::setup
