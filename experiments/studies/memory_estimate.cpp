#include "experiments/studies/memory_estimate.h"

#include <fmt/format.h>

namespace orrery::studies {
namespace {

constexpr double program = 60e6;  // of any run, with what its allocator keeps

double count_of(const ParamSet& params, const char* key) {
  return static_cast<double>(params.integer(key));
}

double encodings_in(const ParamSet& params) {
  return static_cast<double>(params.list("encoding").size());
}

/// @param shared, each  bytes per unit: once, and for each encoding
MemoryEstimate growing(const ParamSet& params, const char* key, double units, double shared,
                       double each) {
  return {program + units * (shared + each * encodings_in(params)),
          fmt::format("lower {}, or compare fewer encodings at once", key)};
}

}  // namespace

MemoryEstimate memory_estimate(const std::string& experiment, const ParamSet& params) {
  if (experiment == "long_term_decay")
    return growing(params, "max_distance", count_of(params, "max_distance"), 1000, 200);
  return {};
}

}  // namespace orrery::studies
