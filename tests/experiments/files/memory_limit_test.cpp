#include "experiments/files/memory_limit.h"

#include <catch2/catch.hpp>

#include "core/errors.h"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("What takes more memory than there is, is refused with both numbers") {
  CHECK_NOTHROW(require_memory(1, "one byte", "take less"));
  CHECK_NOTHROW(require_memory(static_cast<double>(memory_limit()), "all of it", "take less"));
  CHECK_THROWS_AS(require_memory(1e18, "maps", "lower map_size"), IoError);
  CHECK_THROWS_WITH(require_memory(0x1p60, "5 maps of 8192 tokens", "lower map_size"),
                    Contains("5 maps of 8192 tokens: 1048576 TiB of memory is needed, and ") &&
                        Contains(" may be used; lower map_size"));
}
