#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace orrery::test {

/// Contents of every file below a folder, by path.
using Tree = std::map<std::string, std::string>;

/// A sweep's folder without the records of when and by whom it was made: the manifest's calls and
/// the content of the lock file.
inline Tree sweep_tree(const std::filesystem::path& folder) {
  Tree tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    std::ifstream in(entry.path(), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    if (name == ".lock") bytes.clear();
    if (name == "manifest.json") {
      auto json = nlohmann::ordered_json::parse(bytes);
      json.erase("calls");
      bytes = json.dump();
    }
    tree.emplace(name, std::move(bytes));
  }
  return tree;
}

/// The id of the point with a label, by the sweep's results.jsonl.
inline std::string point_id(const std::filesystem::path& sweep, const std::string& label) {
  std::ifstream lines(sweep / "results.jsonl");
  for (std::string line; std::getline(lines, line);)
    if (const auto json = nlohmann::json::parse(line); json["label"] == label)
      return json["id"].get<std::string>();
  return "no such point";
}

}  // namespace orrery::test
