#include "experiments/setup/encoding_summary.h"

#include <algorithm>

#include "core/encodings/catalogue.h"

namespace orrery {

const std::vector<EncodingSummary>& encoding_list() {
  static const std::vector<EncodingSummary> summaries = [] {
    std::vector<EncodingSummary> list;
    for (const EncodingEntry& entry : encoding_catalogue()) {
      const EncodingInfo& info = entry.info;
      list.push_back({info.name,
                      info.label,
                      info.title,
                      info.statement,
                      info.source,
                      info.formulas,
                      {},
                      info.params,
                      {}});
      for (const Formula& formula : info.score_formulas) list.back().formulas.push_back(formula);
      for (const Door door : entry.doors) list.back().doors.emplace_back(name(door));
      for (const TableSpec& table : info.tables)
        list.back().tables.push_back({table.name, table.shape, table.description, table.initial});
    }
    return list;
  }();
  return summaries;
}

const EncodingSummary* find_encoding_summary(std::string_view name) {
  const auto& list = encoding_list();
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const EncodingSummary& e) { return e.name == name; });
  return found == list.end() ? nullptr : &*found;
}

std::string label_of_encoding(const std::string& name) {
  const EncodingSummary* summary = find_encoding_summary(name);
  return summary ? summary->label : name;
}

}  // namespace orrery
