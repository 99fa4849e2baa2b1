#include "experiments/sweeps/tidy_json.h"

#include <nlohmann/json.hpp>

#include "experiments/results/params_json.h"
#include "experiments/results/result_json.h"

namespace orrery {

std::string tidy_jsonl(const TidyTable& table, std::span<const ParamSpec> specs) {
  std::string text;
  for (const TidyRow& row : table.rows) {
    const PointRecord& point = *row.point;
    nlohmann::ordered_json json{
        {"id", point.id}, {"status", name_of(point.status)}, {"repeat", point.repeat}};
    json.update(params_json(point.params, specs));
    if (table.has_encodings) json["encoding"] = row.encoding;
    for (std::size_t m = 0; m < table.measures.size(); ++m)
      if (!json.contains(table.measures[m])) json[table.measures[m]] = number_json(row.values[m]);
    for (std::size_t c = 0; c < table.checks.size(); ++c)
      if (row.checks[c]) json["check." + table.checks[c]] = check_numbers_json(*row.checks[c]);
    text += json_line(json);
  }
  return text;
}

}  // namespace orrery
