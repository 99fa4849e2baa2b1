#include "experiments/heads/repeat.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/errors.h"
#include "core/random.h"
#include "experiments/heads/model_run.h"

namespace orrery {
namespace {

/// Means over sequences of numbers by position.
class PositionMeans {
 public:
  explicit PositionMeans(std::size_t count) : sums_(count, 0.0) {}

  /// @param values  of the last positions; those before have none
  void add(const std::vector<double>& values) {
    const std::size_t before = sums_.size() - values.size();
    for (std::size_t t = 0; t < before; ++t) sums_[t] = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t t = 0; t < values.size(); ++t) sums_[before + t] += values[t];
    ++count_;
  }

  std::vector<double> means() const {
    std::vector<double> means;
    for (const double sum : sums_) means.push_back(sum / count_);
    return means;
  }

 private:
  std::vector<double> sums_;
  double count_{0};
};

template <class T>
void measure_repeats(ModelRun<T>& run, Repeat& repeat, Progress& progress) {
  const RepeatRequest& request = repeat.request;
  run.require_token(request.first, "first");
  const std::vector<Edit> edits = parse_edits(request.edits);
  for (const Edit& edit : edits) repeat.edits.push_back(edit_text(edit));
  const auto n = static_cast<std::size_t>(request.tokens);
  PositionMeans means(2 * n);
  for (std::int64_t s = 0; s < request.sequences; ++s) {
    checkpoint(progress, static_cast<std::size_t>(s), static_cast<std::size_t>(request.sequences),
               "repeated random tokens");
    const std::vector<double> losses = run.edited_losses(
        edits,
        repeated_tokens(request.tokens, run.vocabulary_size(), request.seed, s, request.first));
    repeat.first_half.push_back(
        second_half_mean({losses.begin(), losses.end() - request.tokens}, n));
    repeat.second_half.push_back(second_half_mean(losses, n));
    means.add(losses);
  }
  repeat.by_position = means.means();
}

}  // namespace

std::vector<std::int32_t> random_tokens(Random& random, std::int64_t count, int vocabulary,
                                        std::span<const std::int32_t> left_out) {
  const std::set<std::int32_t> without(left_out.begin(), left_out.end());
  const auto drawable = static_cast<std::size_t>(vocabulary) - without.size();
  if (drawable == 0)
    throw UsageError(fmt::format("{} of {} tokens", without.size(), vocabulary),
                     "are left out, and no other can be drawn", "give a text of fewer tokens");
  std::vector<std::int32_t> tokens;
  std::set<std::int32_t> drawn;
  while (static_cast<std::int64_t>(tokens.size()) < count) {
    const auto token = static_cast<std::int32_t>(random.integer(vocabulary));
    if (without.count(token) == 1 || !drawn.insert(token).second) continue;
    tokens.push_back(token);
    if (drawn.size() == drawable) drawn.clear();
  }
  return tokens;
}

std::vector<std::int32_t> repeated_tokens(std::int64_t count, int vocabulary, std::int64_t seed,
                                          std::int64_t number, std::int32_t first) {
  Random random(seed, fmt::format("repeated tokens {}", number));
  std::vector<std::int32_t> tokens;
  if (first >= 0) tokens.push_back(first);
  const std::vector<std::int32_t> drawn = random_tokens(random, count, vocabulary, tokens);
  for (int round = 0; round < 2; ++round) tokens.insert(tokens.end(), drawn.begin(), drawn.end());
  return tokens;
}

double second_half_mean(const std::vector<double>& losses, std::size_t tokens) {
  const auto begin = losses.end() - static_cast<std::ptrdiff_t>(tokens - 1);
  return sample_mean({begin, losses.end()});
}

Repeat repeat_tokens(LiveModel& model, const RepeatRequest& request, Progress& progress) {
  if (request.tokens < 2 || request.sequences < 1)
    throw UsageError(fmt::format("{} tokens in {} sequences", request.tokens, request.sequences),
                     "a half has two or more, and there is a sequence", "give more");
  Repeat repeat{.model = model.name(),
                .family = model.family(),
                .request = request,
                .vocabulary = model.vocabulary()};
  model.with_run(progress, [&](auto& run) { measure_repeats(run, repeat, progress); });
  repeat.gain = paired_test(repeat.second_half, repeat.first_half);
  return repeat;
}

}  // namespace orrery
