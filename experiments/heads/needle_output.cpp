#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/heads/head_json.h"
#include "experiments/heads/needle.h"

namespace orrery::heads {
namespace {

using nlohmann::ordered_json;

ordered_json cell_json(const NeedleCell& cell) {
  return {{"length", cell.length},
          {"depth", number_json(cell.depth)},
          {"retrieved", number_json(cell.retrieved)},
          {"loss", number_json(cell.loss)},
          {"losses", numbers_json(cell.losses)},
          {"gain", number_json(cell.gain.difference)},
          {"gain_low", number_json(cell.gain.low)},
          {"gain_high", number_json(cell.gain.high)}};
}

/// A table, lengths downwards and depths to the right.
template <class Of>
std::string grid_text(const NeedleTable& table, const char* title, const Of& of) {
  std::string text = fmt::format("{}\n  length", title);
  for (const double depth : table.depths) text += fmt::format(" {:>9.2f}", depth);
  text += "\n";
  for (std::size_t l = 0; l < table.request.lengths.size(); ++l) {
    text += fmt::format("{:>8}", table.request.lengths[l]);
    for (std::size_t d = 0; d < table.depths.size(); ++d)
      text += fmt::format(" {:>9}", of(table.at(l, d)));
    text += "\n";
  }
  return text;
}

std::string needle_line(const NeedleTable& table) {
  const NeedleRequest& request = table.request;
  if (!request.needle.empty())
    return fmt::format("a fact of {} tokens, asked for {} times, its answer of {}\n",
                       request.needle.front().fact.size(), request.draws,
                       request.needle.front().answer.size());
  return fmt::format("{} needles of {} + {} random tokens that the text does not have, seed {}\n",
                     request.draws, request.key, request.value, request.seed);
}

}  // namespace

std::string needle_json(const NeedleTable& table) {
  const NeedleRequest& request = table.request;
  ordered_json needle;
  if (request.needle.empty())
    needle = {{"key", request.key}, {"value", request.value}, {"seed", request.seed}};
  else
    needle = {{"fact", request.needle.front().fact},
              {"question", request.needle.front().question},
              {"answer", request.needle.front().answer}};
  ordered_json cells = ordered_json::array();
  for (const NeedleCell& cell : table.cells) cells.push_back(cell_json(cell));
  const ordered_json json{
      {"model", table.model},
      {"family", table.family},
      {"edits", table.edits},
      {"texts", texts_json(request.texts)},
      {"needle", std::move(needle)},
      {"draws", request.draws},
      {"first", request.first < 0 ? ordered_json() : ordered_json(request.first)},
      {"passes", table.passes},
      {"lengths", request.lengths},
      {"depths", table.depths},
      {"cells", std::move(cells)}};
  return json.dump(1) + "\n";
}

std::string needle_text(const NeedleTable& table) {
  std::string text = fmt::format("{}: ", table.family) + needle_line(table);
  if (!table.edits.empty()) text += fmt::format("edits: {}\n", fmt::join(table.edits, " "));
  text += grid_text(table, "share retrieved, by length and depth (0 first, 1 before the question)",
                    [](const NeedleCell& cell) { return score_text(cell.retrieved); });
  text += grid_text(table, "loss of the answer, nats per token",
                    [](const NeedleCell& cell) { return score_text(cell.loss); });
  text += grid_text(table, "gain: loss without the fact, less that with it",
                    [](const NeedleCell& cell) { return score_text(cell.gain.difference); });
  return text;
}

std::vector<Array> needle_arrays(const NeedleTable& table) {
  const auto array = [&](const char* name, const char* about, const auto& of) {
    std::vector<double> values;
    for (const NeedleCell& cell : table.cells) values.push_back(of(cell));
    return Array{.name = name,
                 .description = about,
                 .shape = {table.request.lengths.size(), table.depths.size()},
                 .axes = {"length", "depth"},
                 .values = std::move(values)};
  };
  return {array("retrieved", "share of draws whose answer is the most probable",
                [](const NeedleCell& cell) { return cell.retrieved; }),
          array("loss", "of the answer, nats per token",
                [](const NeedleCell& cell) { return cell.loss; }),
          array("gain", "loss without the fact, less that with it",
                [](const NeedleCell& cell) { return cell.gain.difference; })};
}

}  // namespace orrery::heads
