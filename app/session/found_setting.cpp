#include "app/session/found_setting.h"

#include <sstream>
#include <variant>
#include <vector>

namespace orrery::session {

std::string found_setting(const Result& result) {
  for (const Table& table : result.tables) {
    if (table.name != "hypotheses") continue;
    for (const Column& column : table.columns) {
      const auto* words = std::get_if<std::vector<std::string>>(&column.values);
      if (column.name == "setting" && words && !words->empty()) return words->front();
    }
  }
  return {};
}

void run_setting(Session& session, const std::string& words) {
  const auto decay = session.find("long_term_decay");
  if (!decay) return;
  session.select(*decay);
  session.reset_all();
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) session.set(word.substr(0, equals), word.substr(equals + 1));
  }
}

}  // namespace orrery::session
