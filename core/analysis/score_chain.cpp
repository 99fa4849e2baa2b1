#include "core/analysis/score_chain.h"

#include <fmt/format.h>

#include "core/encodings/frequencies.h"
#include "core/errors.h"

namespace orrery {

std::vector<std::complex<double>> ScoreChain::ends() const {
  std::vector<std::complex<double>> places;
  std::complex<double> sum = 0;
  for (const std::complex<double>& link : links) places.push_back(sum += link);
  return places;
}

std::complex<double> ScoreChain::end() const {
  std::complex<double> sum = 0;
  for (const std::complex<double>& link : links) sum += link;
  return sum + rest;
}

std::vector<std::complex<double>> complex_pairs(const Rope<double>& rope,
                                                std::span<const double> x) {
  if (static_cast<Index>(x.size()) != rope.convention().d_head)
    throw UsageError(fmt::format("a vector with {} channels", x.size()),
                     fmt::format("this RoPE was made for d_head={}", rope.convention().d_head),
                     "give q and k of that head");
  std::vector<std::complex<double>> z;
  for (std::size_t t = 0; t < rope.theta().size(); ++t) {
    const auto [a, b] = rope.channels(t);
    z.emplace_back(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]);
  }
  return z;
}

ScoreChain score_chain(const Rope<double>& rope, std::span<const double> q,
                       std::span<const double> k, Position r) {
  const auto z_q = complex_pairs(rope, q);
  const auto z_k = complex_pairs(rope, k);
  const double gain = rope.attention_factor() * rope.attention_factor();
  ScoreChain chain;
  for (std::size_t t = 0; t < z_q.size(); ++t) {
    if (rope.is_muted(t)) {
      chain.links.emplace_back(0);
      continue;
    }
    const CosSin turn = rotation_at(r, rope.theta()[t]);
    chain.links.push_back(gain * z_q[t] * std::conj(z_k[t]) * std::complex(turn.cos, turn.sin));
  }
  for (std::size_t c = 0; c < q.size(); ++c)
    if (!rope.turns(static_cast<Index>(c))) chain.rest += q[c] * k[c];
  return chain;
}

}  // namespace orrery
