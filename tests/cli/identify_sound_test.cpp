// orrery run identify accuses no tensor that code of Transformers makes,
// and names the fault of a wrong one.
#include <bit>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/shell.h"
#include "tests/support/golden_file.h"
#include "tests/support/sampled.h"

// Sources are compiled together, and others have helpers of these names.
namespace identify_sound {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;
using orrery::test::content;
using orrery::test::Outcome;
using orrery::test::Shell;

std::string npy_bytes(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + ")";
  header += ", }";
  header.resize((header.size() + 10 + 64) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

std::string float_file(const std::vector<float>& values, const std::string& shape) {
  std::string data(values.size() * sizeof(float), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return npy_bytes("<f4", shape, data);
}

/// [heads, rows, channels].
struct Heads {
  std::size_t heads, rows, channels;
  std::vector<float> values;
};

Heads heads_of(const json& entry) {
  const json& shape = entry.at("shape");
  Heads tensor{shape.at(0).get<std::size_t>(),
               shape.at(1).get<std::size_t>(),
               shape.at(2).get<std::size_t>(),
               {}};
  const std::string hex = entry.at("values");
  for (std::size_t i = 0; i + 8 <= hex.size(); i += 8)
    tensor.values.push_back(std::bit_cast<float>(
        static_cast<std::uint32_t>(std::stoul(hex.substr(i, 8), nullptr, 16))));
  return tensor;
}

std::vector<float> side_by_side(const Heads& tensor) {
  std::vector<float> values;
  for (std::size_t n = 0; n < tensor.rows; ++n)
    for (std::size_t h = 0; h < tensor.heads; ++h)
      for (std::size_t c = 0; c < tensor.channels; ++c)
        values.push_back(tensor.values[(h * tensor.rows + n) * tensor.channels + c]);
  return values;
}

std::string laid_out(Heads tensor, const std::string& layout) {
  if (layout == "one head") {
    tensor.heads = 1;
    tensor.values.resize(tensor.rows * tensor.channels);
  }
  const std::string rows = std::to_string(tensor.rows) + ", ";
  if (layout == "heads" || layout == "one head")
    return float_file(tensor.values,
                      std::to_string(tensor.heads) + ", " + rows + std::to_string(tensor.channels));
  std::vector<float> values = side_by_side(tensor);
  const std::string matrix = rows + std::to_string(tensor.heads * tensor.channels);
  if (layout == "side") return float_file(values, matrix);
  if (layout == "batch") return float_file(values, "1, " + matrix);
  REQUIRE(layout == "two sequences");
  const std::vector<float> once = values;
  values.insert(values.end(), once.begin(), once.end());
  return float_file(values, "2, " + matrix);
}

/// The words of a case, whose files are in the shell's folder.
std::string words_of(const Shell& shell, const json& file, const json& entry) {
  const auto tensor = [&](const char* key) {
    return laid_out(heads_of(file.at("tensors").at(entry.at(key).get<std::string>())),
                    entry.at("layout"));
  };
  shell.write("before.npy", tensor("before"));
  shell.write("after.npy", tensor("after"));
  shell.write("config.json", file.at("configs").at(entry.at("expect").get<std::string>()).dump());
  std::string words = "before=before.npy after=after.npy expect=config.json";
  std::string positions;
  for (const json& position : entry.value("positions", json::array()))
    positions += (positions.empty() ? " positions=" : "+") + position.dump();
  for (const char* key : {"length", "layer"})
    if (entry.contains(key)) words += " " + std::string(key) + "=" + entry.at(key).dump();
  return words + positions;
}

Outcome identified(const Shell& shell, const std::string& words) {
  return shell.run("run identify --format none --force --out found " + words);
}

json report_of(const Shell& shell) {
  return json::parse(content(shell.folder() / "found/identify.json")).at("tensors").at(0);
}

/// The names of what deviates. A wrong tensor has one fault, and whatever else is named is not one.
json fields_of(const json& report) {
  json fields = json::array();
  for (const json& deviation : report.at("deviations")) fields.push_back(deviation.at("field"));
  return fields;
}

std::string joined(const json& numbers, const std::string& between) {
  std::string text;
  for (const json& number : numbers) text += (text.empty() ? "" : between) + number.dump();
  return text;
}

/// What a note must say of a mask.
std::string mask_words(const json& entry) {
  const std::string rule = entry.at("rule"), ahead = "hides keys ahead of the query";
  if (rule == "causal" && entry.contains("left"))
    return ahead + ", and the first " + entry.at("left").dump() + " keys: left padding";
  if (rule == "causal") return ahead + " (";
  if (rule == "texts")
    return ahead + " and those of other texts: " + std::to_string(entry.at("starts").size()) +
           " are packed, from keys " + joined(entry.at("starts"), ", ");
  if (rule == "window") return ahead + " and those " + entry.at("width").dump() + " or more behind";
  if (rule == "chunks")
    return ahead + " and those of other chunks of " + entry.at("width").dump() + " (";
  if (rule == "sinks")
    return ahead + " and those " + entry.at("width").dump() +
           " or more behind it but for the first " + entry.at("sinks").dump();
  if (rule == "top left") return "causal from the top left";
  if (rule == "without self") return "hides the query's own key and those ahead";
  if (rule == "other") return "hides cells by no rule that is known";
  REQUIRE(rule == "whole blocks");
  std::string blocks;
  for (const json& block : entry.at("blocks"))
    blocks += (blocks.empty() ? "" : ", ") + joined(block, "–");
  return ahead + " but within blocks, keys " + blocks + " (";
}

/// The mask as booleans, as 1 and 0, or as what is added to logits: 0 and the lowest number.
std::string mask_file(const json& rows, const std::string& written) {
  std::string shape = std::to_string(rows.size()) + ", ";
  shape += std::to_string(rows.at(0).get<std::string>().size());
  std::string flags;
  std::vector<float> numbers;
  for (const json& row : rows)
    for (const char cell : row.get<std::string>()) {
      const bool seen = cell == '1';
      flags += static_cast<char>(seen);
      const float hides = written == "additive" ? std::numeric_limits<float>::lowest() : 0.0F;
      const float shows = written == "additive" ? 0.0F : 1.0F;
      numbers.push_back(seen ? shows : hides);
    }
  return written == "boolean" ? npy_bytes("|b1", shape, flags) : float_file(numbers, shape);
}

void check_mask(const std::string& name, const json& entry, const std::string& written) {
  const Shell shell;
  shell.write("mask.npy", mask_file(entry.at("seen"), written));
  const Outcome outcome = identified(shell, "bias=mask.npy");
  INFO(name << " " << written << outcome.err << outcome.out);
  CHECK(outcome.status == (written != "additive" && entry.at("rule") == "other" ? 1 : 0));
  std::string notes;
  const json report = report_of(shell);
  for (const json& note : report.at("notes")) notes += note.get<std::string>() + "\n";
  CHECK_THAT(notes, Contains(mask_words(entry)));
  if (written != "additive") CHECK_THAT(notes, Contains("a boolean mask"));
}

}  // namespace

TEST_CASE("identify accuses no tensor that is as Transformers makes it") {
  const json file = orrery::test::golden("identify_sound.json");
  std::size_t sound = 0;
  for (const auto& item : file.at("cases").items()) {
    if (item.value().contains("wrong") || !orrery::test::is_tried(sound++)) continue;
    const Shell shell;
    const Outcome outcome = identified(shell, words_of(shell, file, item.value()));
    INFO(item.key() << outcome.err << outcome.out);
    CHECK(outcome.status == 0);
    if (outcome.status > 1) continue;
    const json report = report_of(shell);
    CHECK(report.at("as_expected") == true);
    CHECK(report.at("deviations").empty());
  }
  CHECK(sound == 70);
}

TEST_CASE("identify names the one fault of a tensor that Transformers makes otherwise") {
  const json file = orrery::test::golden("identify_sound.json");
  std::size_t faults = 0;
  for (const auto& item : file.at("cases").items()) {
    if (!item.value().contains("wrong") || !orrery::test::is_tried(faults++)) continue;
    const Shell shell;
    const Outcome outcome = identified(shell, words_of(shell, file, item.value()));
    INFO(item.key() << outcome.err << outcome.out);
    CHECK(outcome.status == 1);
    if (outcome.status > 1) continue;
    const json report = report_of(shell);
    CHECK(report.at("as_expected") == false);
    if (item.value().at("wrong") != "any")
      CHECK(fields_of(report) == json::array({item.value().at("wrong")}));
  }
  CHECK(faults == 44);
}

TEST_CASE("identify says the rule of masks of Transformers and PyTorch, boolean or added") {
  const json file = orrery::test::golden("identify_sound.json");
  std::size_t masks = 0;
  for (const auto& item : file.at("masks").items()) {
    if (!orrery::test::is_tried(masks++)) continue;
    for (const json& written : item.value().at("written")) {
      check_mask(item.key(), item.value(), written);
      if (written == "boolean") check_mask(item.key(), item.value(), "numbers");
    }
  }
  CHECK(masks == 34);
}

}  // namespace identify_sound
