#pragma once

namespace orrery {

/// What becomes of a matrix that a result is written to.
enum class Into {
  set,  ///< it becomes the result
  add,  ///< it gains it
};

}  // namespace orrery
