#pragma once

#include <cstddef>
#include <string>

namespace orrery::bench {

/// What the processor calls itself; "this processor" where nothing says it.
std::string processor();

/// Seconds on a clock that never runs backwards.
double now();

/// Multiplications and additions per second of one thread that does nothing else, in fp32, with
/// the vectors of the level of the kernels. Takes about 10 ms.
double multiply_add_peak();

/// The same of as many threads at once, together: what their number gains at best on a machine
/// whose cores share power, caches or other guests.
double multiply_add_peak(int threads);

/// Bytes read and written per second by copying this many bytes, again and again for 10 ms.
double copy_speed(std::size_t bytes);

}  // namespace orrery::bench
