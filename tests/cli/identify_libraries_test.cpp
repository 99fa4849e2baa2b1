// orrery run identify names the rotary embeddings of many libraries as their sources have them, and
// refuses what is no rope.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/shell.h"
#include "tests/support/golden_file.h"
#include "tests/support/sampled.h"

// Sources are compiled together, and others have helpers of these names.
namespace identify_libraries {
namespace {

using nlohmann::json;
using orrery::test::content;
using orrery::test::Outcome;
using orrery::test::Shell;

template <class Number>
std::string npy_bytes(const std::string& type, const json& shape,
                      const std::vector<Number>& numbers) {
  std::string sizes;
  for (const json& size : shape) sizes += size.dump() + ",";
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  header.resize((header.size() + 10 + 64) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  std::string data(numbers.size() * sizeof(Number), '\0');
  std::memcpy(data.data(), numbers.data(), data.size());
  return bytes + header + data;
}

std::vector<float> floats_of(const std::string& hex) {
  std::vector<float> values;
  for (std::size_t i = 0; i + 8 <= hex.size(); i += 8)
    values.push_back(std::bit_cast<float>(
        static_cast<std::uint32_t>(std::stoul(hex.substr(i, 8), nullptr, 16))));
  return values;
}

/// [heads, rows, channels] as [rows, heads, channels].
std::vector<float> tokens_first(const std::vector<float>& values, const json& shape) {
  const auto heads = shape.at(0).get<std::size_t>(), rows = shape.at(1).get<std::size_t>(),
             channels = shape.at(2).get<std::size_t>();
  std::vector<float> out;
  for (std::size_t n = 0; n < rows; ++n)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t c = 0; c < channels; ++c)
        out.push_back(values[(h * rows + n) * channels + c]);
  return out;
}

/// The words of a case, whose files are in the shell's folder.
std::string words_of(const Shell& shell, const json& file, const json& entry) {
  const std::string kind = entry.at("kind");
  const std::string after = npy_bytes("<f4", entry.at("shape"), floats_of(entry.at("after")));
  if (kind != "rotation") {
    shell.write(kind + ".npy", after);
    return kind + "=" + kind + ".npy";
  }
  const json& input = file.at("inputs").at(entry.at("before").get<std::string>());
  const bool first = entry.value("tokens_first", false);
  std::vector<float> before = floats_of(input.at("values"));
  if (first) before = tokens_first(before, input.at("shape"));
  shell.write("before.npy", npy_bytes("<f4", entry.at("shape"), before));
  shell.write("after.npy", after);
  std::string words = "before=before.npy after=after.npy";
  if (first) words += " tokens_first=true";
  if (!entry.contains("positions")) return words;
  std::vector<std::int64_t> positions;
  for (const json& row : entry.at("positions"))
    for (const json& position : row) positions.push_back(position.get<std::int64_t>());
  const json shape =
      json::array({entry.at("positions").size(), entry.at("positions").at(0).size()});
  shell.write("positions.npy", npy_bytes("<i8", shape, positions));
  return words + " positions=positions.npy";
}

/// A number to within 1e-3, one of several texts, a text; * is any.
bool is_same(const json& wanted, const std::string& found) {
  if (wanted.is_number())
    return std::abs(std::stod(found) - wanted.get<double>()) <= 1e-3 * wanted.get<double>();
  if (wanted.is_string()) return wanted == "*" || wanted.get<std::string>() == found;
  for (const json& one : wanted)
    if (one.get<std::string>() == found) return true;
  return false;
}

/// What is named otherwise than it is true. Of a rope also what is named beside it, but for the
/// precision of its stages; of a bias what the file says is what counts.
json differences(const json& entry, json found) {
  json differing = json::object();
  for (const auto& fact : entry.at("facts").items()) {
    const json named = found.value(fact.key(), json());
    if (!named.is_string() || !is_same(fact.value(), named.get<std::string>()))
      differing[fact.key()] = named;
    found.erase(fact.key());
  }
  found.erase("precision");
  if (entry.at("kind") != "bias")
    for (const auto& more : found.items()) differing[more.key()] = more.value();
  return differing;
}

void check_refused(const Outcome& outcome, const json& report) {
  CHECK(outcome.status == 1);
  CHECK(report.at("explained") == false);
  CHECK(report.at("deviations").empty());
  for (const json& hypothesis : report.at("hypotheses")) CHECK(hypothesis.at("defect").is_null());
}

void check_named(const json& entry, const Outcome& outcome, const json& report) {
  CHECK(outcome.status == 0);
  CHECK(report.at("explained") == true);
  CHECK(report.at("deviations").empty());
  CHECK(differences(entry, report.at("hypotheses").at(0).at("facts")) == json::object());
  if (entry.contains("rows")) CHECK(report.at("rows") == entry.at("rows"));
}

void check_case(const std::string& name, const json& file, const json& entry) {
  const Shell shell;
  const Outcome outcome =
      shell.run("run identify --format none --force --out found " + words_of(shell, file, entry));
  INFO(name << "\n" << outcome.err << outcome.out);
  CHECK(outcome.status <= 1);
  if (outcome.status > 1) return;
  const json report =
      json::parse(content(shell.folder() / "found/identify.json")).at("tensors").at(0);
  if (entry.contains("refused"))
    check_refused(outcome, report);
  else
    check_named(entry, outcome, report);
}

}  // namespace

TEST_CASE("identify names the ropes of libraries as they are, and refuses what is none") {
  const json file = orrery::test::golden("identify_libraries.json");
  std::size_t cases = 0;
  for (const auto& item : file.at("cases").items())
    if (orrery::test::is_tried(cases++)) check_case(item.key(), file, item.value());
  CHECK(cases == 134);
}

}  // namespace identify_libraries
