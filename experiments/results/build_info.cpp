#include "experiments/results/build_info.h"

#include "orrery_build_info.h"  // written by cmake/build_info.cmake

namespace orrery {

const BuildInfo& build_info() {
  static const BuildInfo info{.version = ORRERY_BUILD_VERSION,
                              .commit = ORRERY_BUILD_COMMIT,
                              .dirty = ORRERY_BUILD_DIRTY,
                              .compiler = ORRERY_BUILD_COMPILER,
                              .flags = ORRERY_BUILD_FLAGS,
                              .build_type = ORRERY_BUILD_TYPE,
                              .cpu_level = ORRERY_BUILD_CPU_LEVEL};
  return info;
}

}  // namespace orrery
