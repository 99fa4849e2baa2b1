#include "experiments/heads/lens.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/errors.h"
#include "experiments/heads/head_json.h"
#include "experiments/heads/model_run.h"

namespace orrery::heads {
namespace {

using nlohmann::ordered_json;

constexpr Index lens_logits_at_once = Index{1} << 22;

LensCell cell_of(const std::vector<double>& p, std::size_t next, std::int32_t target) {
  LensCell cell{.ids = most_probable(p, next)};
  for (const std::int32_t id : cell.ids)
    cell.probabilities.push_back(p[static_cast<std::size_t>(id)]);
  cell.loss = target < 0 ? std::numeric_limits<double>::quiet_NaN()
                         : -std::log(p[static_cast<std::size_t>(target)]);
  for (const double one : p)
    if (!(one <= 0)) cell.entropy -= one * std::log(one);
  return cell;
}

template <class T>
void look(ModelRun<T>& run, const LensRequest& request, Lens& lens, Progress& progress) {
  const std::vector<Edit> edits = parse_edits(request.edits);
  for (const Edit& edit : edits) lens.edits.push_back(edit_text(edit));
  const std::vector<std::int32_t>& tokens = request.text.tokens;
  const auto n = static_cast<Index>(tokens.size());
  const PassEdits<T> of_pass = run.edits_of(edits, n);
  std::vector<Matrix<T>> states;
  const Matrix<T> last = run.pass(
      tokens,
      {.probe = {
           .wants = [](const Site& site) { return site.quantity == Quantity::hidden; },
           .see = [&](const Site&, Index, const MatrixIn<T>& rows) { states.push_back(rows); }},
       .edits = &of_pass});
  lens.states = states.size();
  if (run.predicts_next()) lens.losses = run.losses(edits, last, tokens);
  lens.loss_of_chance = std::log(static_cast<double>(run.vocabulary_size()));
  const Index at_once = std::max<Index>(1, lens_logits_at_once / run.vocabulary_size());
  for (std::size_t s = 0; s < states.size(); ++s) {
    checkpoint(progress, s, states.size(), "layers");
    const Matrix<T> normed = run.final_norm(edits, states[s]);
    for (Index first = 0; first < n; first += at_once) {
      const Index count = std::min<Index>(at_once, n - first);
      const Matrix<T> logits = run.logits(edits, normed.middleRows(first, count));
      for (Index i = 0; i < count; ++i) {
        const auto following = static_cast<std::size_t>(first + i + 1);
        lens.cells.push_back(cell_of(probabilities_of<T>(logits, i), request.next,
                                     following < tokens.size() ? tokens[following] : -1));
      }
    }
  }
}

std::string state_name(std::size_t state) {
  return state == 0 ? "embedding" : fmt::format("layer {}", state - 1);
}

}  // namespace

Lens logit_lens(LiveModel& model, const LensRequest& request, Progress& progress) {
  Lens lens{.model = model.name(), .family = model.family(), .text = request.text};
  model.with_run(progress, [&](auto& run) { look(run, request, lens, progress); });
  return lens;
}

std::uint64_t lens_bytes(const LiveModel& model, const LensRequest& request) {
  const std::size_t tokens = request.text.tokens.size();
  const auto states = static_cast<std::size_t>(model.layers()) + 1;
  const auto logits =
      static_cast<std::uint64_t>(std::max<Index>(lens_logits_at_once, model.vocabulary()));
  const std::size_t cell =
      sizeof(LensCell) + request.next * (sizeof(double) + sizeof(std::int32_t));
  return model.bytes_of_states(states, tokens) + logits * model.bytes_of_number() +
         states * tokens * cell;
}

std::vector<std::int32_t> lens_ids(const Lens& lens) {
  std::vector<std::int32_t> ids = lens.text.tokens;
  for (const LensCell& cell : lens.cells) ids.insert(ids.end(), cell.ids.begin(), cell.ids.end());
  return ids;
}

std::vector<Array> lens_arrays(const Lens& lens) {
  std::vector<double> losses, entropies, ids, probabilities;
  for (const LensCell& cell : lens.cells) {
    losses.push_back(cell.loss);
    entropies.push_back(cell.entropy);
    ids.insert(ids.end(), cell.ids.begin(), cell.ids.end());
    probabilities.insert(probabilities.end(), cell.probabilities.begin(), cell.probabilities.end());
  }
  const std::size_t n = lens.text.tokens.size(), next = ids.size() / lens.cells.size();
  const auto array = [&](const char* name, const char* about, std::vector<double> values,
                         bool has_next) {
    Array made{.name = name,
               .description = about,
               .shape = {lens.states, n},
               .axes = {"state", "token"},
               .values = std::move(values)};
    if (has_next) {
      made.shape.push_back(next);
      made.axes.emplace_back("rank");
    }
    return made;
  };
  std::vector<Array> arrays = {
      array("loss", "−ln p of the next token, nats; NaN for the last", std::move(losses), false),
      array("entropy", "−Σ p ln p, nats", std::move(entropies), false)};
  if (next == 0) return arrays;
  arrays.push_back(array("top_ids", "the most probable tokens", std::move(ids), true));
  arrays.push_back(array("top_probabilities", "of those", std::move(probabilities), true));
  return arrays;
}

std::string lens_json(const Lens& lens, const std::vector<std::string>& labels) {
  std::size_t label = lens.text.tokens.size();
  ordered_json states = ordered_json::array();
  for (std::size_t s = 0; s < lens.states; ++s) {
    ordered_json cells = ordered_json::array();
    for (std::size_t t = 0; t < lens.text.tokens.size(); ++t) {
      const LensCell& cell = lens.at(s, t);
      ordered_json top = ordered_json::array();
      for (std::size_t k = 0; k < cell.ids.size(); ++k)
        top.push_back({{"id", cell.ids[k]},
                       {"piece", labels[label++]},
                       {"p", number_json(cell.probabilities[k])}});
      cells.push_back({{"loss", number_json(cell.loss)},
                       {"entropy", number_json(cell.entropy)},
                       {"top", std::move(top)}});
    }
    states.push_back({{"state", state_name(s)}, {"tokens", std::move(cells)}});
  }
  std::vector<std::string> pieces(
      labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(lens.text.tokens.size()));
  const ordered_json json{{"model", lens.model},        {"family", lens.family},
                          {"text", lens.text.name},     {"tokens", lens.text.tokens},
                          {"pieces", pieces},           {"edits", lens.edits},
                          {"states", std::move(states)}};
  return json.dump(1) + "\n";
}

std::string lens_text(const Lens& lens, const std::vector<std::string>& labels,
                      const std::vector<std::int64_t>& tokens) {
  const std::size_t n = lens.text.tokens.size();
  const std::size_t next = lens.cells.front().ids.size();
  std::string text = fmt::format("{}, {} tokens of {}\n", lens.family, n, lens.text.name);
  for (const std::int64_t number : tokens) {
    if (number < 0 || number >= static_cast<std::int64_t>(n))
      throw UsageError(fmt::format("token {}", number), fmt::format("the text has {}", n),
                       fmt::format("give tokens from 0 to {}", n - 1));
    const auto t = static_cast<std::size_t>(number);
    text += fmt::format("behind token {} {}\n", t, labels[t]);
    for (std::size_t s = 0; s < lens.states; ++s) {
      const LensCell& cell = lens.at(s, t);
      std::vector<std::string> parts;
      for (std::size_t k = 0; k < cell.ids.size(); ++k)
        parts.push_back(
            fmt::format("{} {:.3f}", labels[n + (s * n + t) * next + k], cell.probabilities[k]));
      text += fmt::format("  {:<10} loss {:>7}  {}\n", state_name(s), score_text(cell.loss),
                          fmt::join(parts, "  "));
    }
  }
  return text;
}

}  // namespace orrery::heads
