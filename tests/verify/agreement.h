#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "experiments/verify/cases.h"

namespace orrery::test {

/// Checks that a matrix of the library is the literal one, to the relative error `bound`.
template <class T>
void check_agreement(const std::string& what, const Matrix<T>& library, const Rows& expected,
                     double bound) {
  INFO(what << (sizeof(T) == 8 ? " in fp64" : " in fp32"));
  CHECK(relative_error<T>(library, expected) <= bound);
}

/// The seed of what a test draws: it is run with each of them.
inline std::int64_t drawn_seed() { return GENERATE(0, 1, 2); }

}  // namespace orrery::test
