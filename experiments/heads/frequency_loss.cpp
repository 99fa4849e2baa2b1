#include "experiments/heads/frequency_loss.h"

#include <cmath>
#include <cstdint>
#include <map>

#include "experiments/statistics/welch.h"

namespace orrery {
namespace {

/// How often tokens are predicted.
using Counts = std::map<std::int32_t, double>;

Counts counts_of(const ModelText& text) {
  Counts counts;
  for (std::size_t i = 1; i < text.tokens.size(); ++i) ++counts[text.tokens[i]];
  return counts;
}

double sum_of(const Counts& counts) {
  double sum = 0;
  for (const auto& [token, count] : counts) sum += count;
  return sum;
}

/// Mean loss of `text` by the frequencies of `others`.
double loss_by(const Counts& others, const Counts& text, double vocabulary) {
  const double n = sum_of(others), kinds = static_cast<double>(others.size());
  const double unseen = kinds < vocabulary ? kinds / ((n + kinds) * (vocabulary - kinds)) : 0;
  double sum = 0;
  for (const auto& [token, count] : text) {
    const auto found = others.find(token);
    sum -= count * std::log(found == others.end() ? unseen : found->second / (n + kinds));
  }
  return sum / sum_of(text);
}

}  // namespace

FrequencyLoss frequency_loss(const std::vector<ModelText>& texts, int vocabulary) {
  Counts all;
  std::vector<Counts> counts;
  for (const ModelText& text : texts) {
    counts.push_back(counts_of(text));
    for (const auto& [token, count] : counts.back()) all[token] += count;
  }
  FrequencyLoss loss;
  const double n = sum_of(all);
  for (const Counts& own : counts) {
    double sum = 0;
    for (const auto& [token, count] : own) sum -= count * std::log(all[token] / n);
    loss.of_same.push_back(sum / sum_of(own));
  }
  std::vector<double> by_others;
  for (const Counts& own : counts) {
    Counts others = all;
    for (const auto& [token, count] : own)
      if ((others[token] -= count) == 0) others.erase(token);
    by_others.push_back(loss_by(others, own, vocabulary));
  }
  loss.of_others = sample_mean(by_others);
  return loss;
}

}  // namespace orrery
