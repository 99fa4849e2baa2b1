// Reads the table in a CSV file of ours, and writes what was read. The first byte is its number of
// rows, and the line after it its columns: "n" for numbers or "t" for text before each name.
#include "experiments/results/csv.h"

#include <algorithm>
#include <optional>
#include <string>

#include "tests/fuzz/harness.h"
#include "tests/support/same_result.h"

using namespace orrery;

namespace {

Table described(std::string_view line) {
  Table table{.name = "t"};
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    const std::string_view one = line.substr(at, end - at);
    Column column{.name = std::string(one.substr(std::min<std::size_t>(1, one.size())))};
    if (one.starts_with('t')) column.values = std::vector<std::string>{};
    table.columns.push_back(std::move(column));
    at = end + 1;
  }
  return table;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input = fuzz::text_of(data + 1, size - 1);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const Table columns = described(input.substr(0, end));
  const std::string_view csv = input.substr(std::min(end + 1, input.size()));
  const auto table = fuzz::accepted_file([&] { return read_csv(csv, columns, *data, "a file"); });
  if (!table) return 0;
  fuzz::require(test::same(read_csv(csv_text(*table), columns, *data, "a file"), *table),
                "a table is read as it was written");
  return 0;
}
