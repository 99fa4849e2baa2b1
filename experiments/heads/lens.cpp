#include "experiments/heads/lens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors.h"
#include "experiments/heads/model_run.h"

namespace orrery {
namespace {

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

}  // namespace orrery
