#include "experiments/heads/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/errors.h"
#include "experiments/heads/model_run.h"

namespace orrery {
namespace {

constexpr double sure_to_help = 0.05;

/// Contexts of 1, 2, 4, … tokens, as far as the shortest text goes.
std::vector<std::int64_t> contexts_of(const std::vector<ModelText>& texts, std::int64_t targets) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (const ModelText& text : texts)
    shortest = std::min<std::int64_t>(shortest, static_cast<std::int64_t>(text.tokens.size()));
  std::vector<std::int64_t> contexts;
  for (std::int64_t c = 1; !texts.empty() && c + targets <= shortest; c *= 2) contexts.push_back(c);
  if (contexts.empty())
    throw UsageError(fmt::format("{} texts, the shortest of {} tokens", texts.size(), shortest),
                     fmt::format("{} targets stand behind a context of one or more", targets),
                     "give longer texts");
  return contexts;
}

/// The mean loss of the last `targets` tokens behind `context` others.
template <class T>
double loss_behind(ModelRun<T>& run, const ModelText& text, std::int64_t context,
                   std::int64_t targets, std::int32_t first) {
  const auto begin = text.tokens.end() - static_cast<std::ptrdiff_t>(context + targets);
  std::vector<std::int32_t> tokens(begin, text.tokens.end());
  if (first >= 0 && begin != text.tokens.begin()) tokens.insert(tokens.begin(), first);
  const std::vector<double> losses = run.edited_losses({}, tokens);
  return sample_mean({losses.end() - static_cast<std::ptrdiff_t>(targets), losses.end()});
}

void judge_contexts(ContextReach& reach) {
  std::vector<double> p;
  for (std::size_t c = 0; c < reach.contexts.size(); ++c) {
    ContextLoss& one = reach.contexts[c];
    one.loss = sample_mean(one.losses);
    const std::vector<double>& before = reach.contexts[c == 0 ? 0 : c - 1].losses;
    one.gain = paired_test(one.losses, before);
    if (c > 0) p.push_back(one.gain.p);
  }
  const std::vector<double> corrected = holm_corrected(p);
  reach.reach = reach.contexts.front().context;
  reach.contexts.front().p = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t c = 1; c < reach.contexts.size(); ++c) {
    ContextLoss& one = reach.contexts[c];
    one.p = corrected[c - 1];
    one.helps = one.p < sure_to_help && one.gain.difference > 0;
    if (one.helps) reach.reach = one.context;
  }
  reach.is_limit = reach.reach == reach.contexts.back().context;
}

}  // namespace

ContextReach context_reach(LiveModel& model, const std::vector<ModelText>& texts,
                           std::int64_t targets, std::int32_t first, Progress& progress) {
  ContextReach reach{.targets = targets};
  const std::vector<std::int64_t> contexts = contexts_of(texts, targets);
  model.with_run(progress, [&](auto& run) {
    for (std::size_t c = 0; c < contexts.size(); ++c) {
      ContextLoss one{.context = contexts[c]};
      for (const ModelText& text : texts) {
        checkpoint(progress, c, contexts.size(), "contexts");
        one.losses.push_back(loss_behind(run, text, contexts[c], targets, first));
      }
      reach.contexts.push_back(std::move(one));
    }
  });
  judge_contexts(reach);
  return reach;
}

}  // namespace orrery
