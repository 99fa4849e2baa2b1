#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/params.h"

namespace orrery {

/// The values that a text lists, each as ParamSet::set reads it. Items are separated by
/// commas; for numbers an item may be one of (NumPy's conventions)
///   range(stop), range(start, stop), range(start, stop, step)   without stop
///   pow2(a..b)            2^a, 2^(a+1), …, 2^b
///   linspace(a, b, n)     n numbers from a to b, both included
///   logspace(a, b, n)     10^a … 10^b
///   geomspace(a, b, n)    a … b, equal ratios
/// Computed numbers are rounded to 15 significant digits, so that steps of 0.1 give 0.3 and not
/// 0.30000000000000004. The name of a file and free
/// text are never split. At most 1,000,000 values.
/// Throws UsageError naming key=text.
std::vector<std::string> value_list(const ParamSpec& spec, std::string_view text);

}  // namespace orrery
