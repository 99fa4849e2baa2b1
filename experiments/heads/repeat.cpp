#include "experiments/heads/repeat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/heads/head_json.h"
#include "experiments/heads/model_run.h"
#include "experiments/heads/random_tokens.h"

namespace orrery::heads {
namespace {

using nlohmann::ordered_json;

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

double second_half_mean(const std::vector<double>& losses, std::size_t tokens) {
  const auto begin = losses.end() - static_cast<std::ptrdiff_t>(tokens - 1);
  return statistics::sample_mean({begin, losses.end()});
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
  repeat.gain = statistics::paired_test(repeat.second_half, repeat.first_half);
  return repeat;
}

std::vector<Array> repeat_arrays(const Repeat& repeat) {
  const auto array = [](const char* name, const char* about, const char* axis,
                        const std::vector<double>& values) {
    return Array{.name = name,
                 .description = about,
                 .shape = {values.size()},
                 .axes = {axis},
                 .values = values};
  };
  return {
      array("loss", "−ln p of each token, nats, the mean over sequences; NaN without one",
            "position", repeat.by_position),
      array("first_half", "mean loss of tokens that come for the first time", "sequence",
            repeat.first_half),
      array("second_half", "mean loss of the same tokens again", "sequence", repeat.second_half)};
}

std::string repeat_json(const Repeat& repeat) {
  const RepeatRequest& request = repeat.request;
  const auto half = [](const std::vector<double>& values) {
    return ordered_json{{"mean", number_json(statistics::sample_mean(values))},
                        {"sequences", numbers_json(values)}};
  };
  const ordered_json json{
      {"model", repeat.model},
      {"family", repeat.family},
      {"edits", repeat.edits},
      {"repeated", request.tokens},
      {"repeats", request.sequences},
      {"seed", request.seed},
      {"first", request.first < 0 ? ordered_json() : ordered_json(request.first)},
      {"vocabulary", repeat.vocabulary},
      {"loss_of_chance", std::log(static_cast<double>(repeat.vocabulary))},
      {"first_half", half(repeat.first_half)},
      {"second_half", half(repeat.second_half)},
      {"gain",
       {{"mean", number_json(repeat.gain.difference)},
        {"low", number_json(repeat.gain.low)},
        {"high", number_json(repeat.gain.high)},
        {"p", number_json(repeat.gain.p)}}},
      {"loss_by_position", numbers_json(repeat.by_position)}};
  return json.dump(1) + "\n";
}

namespace {

std::string gain_spread_text(const Repeat& repeat) {
  if (std::isnan(repeat.gain.low)) return "no spread";
  return fmt::format("95 % of {} sequences: {:+.3f} to {:+.3f}", repeat.first_half.size(),
                     repeat.gain.low, repeat.gain.high);
}

/// The losses of a half in up to eight steps.
std::string steps_text(const Repeat& repeat, bool second) {
  const auto n = static_cast<std::size_t>(repeat.request.tokens);
  constexpr std::size_t most = 8;
  const std::size_t steps = n < most ? n : most;
  std::string text;
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t begin = step * n / steps, end = (step + 1) * n / steps;
    std::vector<double> losses;
    for (std::size_t t = begin; t < end; ++t) {
      const double loss = repeat.by_position[(second ? n : 0) + t];
      if (!std::isnan(loss)) losses.push_back(loss);
    }
    text += fmt::format(" {:>8}", score_text(statistics::sample_mean(losses)));
  }
  return text;
}

}  // namespace

std::string repeat_text(const Repeat& repeat) {
  const RepeatRequest& request = repeat.request;
  std::string text =
      fmt::format("{}: {} distinct random tokens and the same again, {} times, seed {}\n",
                  repeat.family, request.tokens, request.sequences, request.seed);
  if (request.first >= 0) text += fmt::format("behind token {}\n", request.first);
  if (!repeat.edits.empty()) text += fmt::format("edits: {}\n", fmt::join(repeat.edits, " "));
  text += fmt::format("first half   {:>8.3f} nats   chance, ln {}: {:.3f}\n",
                      statistics::sample_mean(repeat.first_half), repeat.vocabulary,
                      std::log(static_cast<double>(repeat.vocabulary)));
  text += fmt::format("second half  {:>8.3f} nats\n", statistics::sample_mean(repeat.second_half));
  text += fmt::format("gain         {:>8.3f} nats   {}\n", repeat.gain.difference,
                      gain_spread_text(repeat));
  text += "A half's loss leaves its first token out, whose repetition nothing announces.\n";
  text += "loss along the first half: " + steps_text(repeat, false) + "\n";
  text += "loss along the second half:" + steps_text(repeat, true) + "\n";
  return text;
}

}  // namespace orrery::heads
