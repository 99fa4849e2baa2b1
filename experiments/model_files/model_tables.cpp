#include "experiments/model_files/model_tables.h"

#include <fmt/format.h>

#include <mutex>
#include <string>

#include "core/errors.h"
#include "experiments/files/assets.h"
#include "experiments/files/file.h"

namespace orrery {
namespace {

constexpr std::uintmax_t max_table_bytes = std::uintmax_t{1} << 20;

}  // namespace

const nlohmann::ordered_json& model_table(std::string_view file) {
  static std::mutex reading;
  static std::map<std::string, nlohmann::ordered_json> tables;
  const std::lock_guard lock(reading);
  const auto known = tables.find(std::string(file));
  if (known != tables.end()) return known->second;
  const std::string text = read_file(asset_path(fmt::format("families/{}", file)), max_table_bytes);
  try {
    return tables[std::string(file)] = nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::ordered_json::exception& error) {
    throw DataError(file, error.what(), "take the file that comes with Orrery");
  }
}

void refuse_table_value(std::string_view file, std::string_view key, std::string_view reason) {
  throw DataError(fmt::format("{}, {}", file, key), reason,
                  "see README.md beside the file for what a row has");
}

}  // namespace orrery
