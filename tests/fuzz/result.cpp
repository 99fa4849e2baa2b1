// Reads a saved result.json, and writes what was read.
#include "experiments/results/result_json.h"

#include "tests/fuzz/support/json_input.h"

using namespace orrery;

namespace {

std::optional<Result> result_in(const fuzz::Json& json) {
  return fuzz::accepted_json([&] {
    return result_from_json(
        json, [](const std::string&) { return std::optional<Figure>(); },
        [](Array described) { return std::make_shared<const Array>(std::move(described)); },
        [](const Table&, const std::string&, std::size_t) { return std::optional<Table>(); });
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = fuzz::parsed(fuzz::text_of(data, size));
  if (!json) return 0;
  const std::optional<Result> result = result_in(*json);
  if (!result) return 0;
  for (const Check& check : result->checks) (void)(check.holds() && check.excess() > 0);
  const std::string written = json_text(to_json(*result));
  const auto again = result_in(*fuzz::parsed(written));
  fuzz::require(again.has_value(), "a result that was written is read");
  fuzz::require(json_text(to_json(*again)) == written, "a result is read as it was written");
  return 0;
}
