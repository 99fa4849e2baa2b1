#pragma once

namespace orrery::test {

/// What the functions that this program replaces return while one is alive. Only one at a time.
enum class Nan {
  everywhere,      ///< every number of every drawn matrix, frequency, cosine, sine and map is NaN
  first_of_drawn,  ///< the first entry of every drawn matrix
  last_of_drawn,   ///< the last entry of every drawn matrix
};

/// The linker gives this program the functions of nan_injection.cpp for those of the core, see
/// tests/CMakeLists.txt. They are the core's own until one of these exists.
class NanInjection {
 public:
  explicit NanInjection(Nan where);
  ~NanInjection();
  NanInjection(const NanInjection&) = delete;
  NanInjection& operator=(const NanInjection&) = delete;
};

}  // namespace orrery::test
