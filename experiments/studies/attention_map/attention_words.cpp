#include "experiments/studies/attention_map/attention_words.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "experiments/setup/encoding_style.h"
#include "experiments/setup/trained_head.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {
namespace in_attention_words {

constexpr double low_weight = 0.01;   ///< below this share of 1 a linear scale shows one colour
constexpr double nearly_even = 0.97;  ///< share of the entropy of equal weights

std::string where(std::size_t distance, bool causal) {
  const char* way = causal ? "back" : "away";
  if (distance == 0) return "to the token itself";
  if (distance == 1) return fmt::format("one token {}", way);
  return fmt::format("{} tokens {}", distance, way);
}

/// "Layer 1, head 0 with RoPE" of the trained model, else the encoding.
std::string subject(const ParamSet& params, const std::string& encoding) {
  const std::string label = label_in_sentence(encoding);
  if (has_trained_contents(params))
    return fmt::format("Layer {}, head {} with {}", params.integer("trained_layer"),
                       params.integer("head"), label);
  return encoding == "none" ? "No encoding" : label;
}

}  // namespace in_attention_words
}  // namespace

template <class T>
void AttentionSums::add(const Matrix<T>& weights, Index row, Position m, PositionsIn n,
                        const RowStatistics& of) {
  double seen = 0;
  if (by_distance_.size() < n.size()) by_distance_.resize(n.size());
  for (std::size_t j = 0; j < n.size(); ++j) {
    const auto weight = static_cast<double>(weights(row, static_cast<Index>(j)));
    if (!(weight > 0)) continue;
    ++seen;
    (weight < in_attention_words::low_weight ? low_ : high_) += 1;
    const auto distance = static_cast<std::size_t>(std::abs(m - n[j]));
    if (distance < by_distance_.size()) by_distance_[distance] += weight;
  }
  ++queries_;
  entropy_ += of.entropy_bits;
  distance_ += of.mean_distance;
  even_entropy_ += seen > 0 ? std::log2(seen) : 0;
}

std::string AttentionSums::title(const ParamSet& params, const std::string& encoding) const {
  using namespace in_attention_words;
  const bool causal = params.boolean("causal");
  const std::string who = subject(params, encoding);
  const std::string number = mean_distance() < 100 ? fmt::format("{:.1f}", mean_distance())
                                                   : grouped_number(std::round(mean_distance()));
  const std::string mean = fmt::format("{} tokens {} on average", number, causal ? "back" : "away");
  if (entropy_ >= nearly_even * even_entropy_)
    return fmt::format("{} spreads its weight almost evenly: {}", who, mean);
  std::size_t most = 0;
  for (std::size_t r = 1; r < by_distance_.size(); ++r)
    if (by_distance_[r] > by_distance_[most]) most = r;
  return fmt::format("{} attends {}; most weight ({:.0f} %) goes {}", who, mean,
                     100 * by_distance_[most] / queries_, where(most, causal));
}

template void AttentionSums::add(const Matrix<float>&, Index, Position, PositionsIn,
                                 const RowStatistics&);
template void AttentionSums::add(const Matrix<double>&, Index, Position, PositionsIn,
                                 const RowStatistics&);

}  // namespace orrery
