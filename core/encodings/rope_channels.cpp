#include "core/encodings/rope_channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/errors.h"

namespace orrery {

ParamSpec rope_pairing_param() {
  return {.key = "rope.pairing",
          .description = "Which channels turn together.",
          .kind = ParamKind::choice,
          .default_value = std::string("interleaved"),
          .choices = {{"interleaved", "(2t, 2t+1): the paper, GPT-J, Meta's Llama"},
                      {"half_split", "(t, t + r/2): GPT-NeoX, Hugging Face Llama"}}};
}

ParamSpec rope_fraction_param() {
  return {.key = "rope.fraction",
          .symbol = "r/d",
          .description = "Share of the head's channels that turn; the rest carry no position.",
          .kind = ParamKind::real,
          .default_value = 1.0,
          .min = 0.0,
          .max = 1.0};
}

RopePairing rope_pairing_of(const ParamSet& params) {
  return params.text("rope.pairing") == "half_split" ? RopePairing::half_split
                                                     : RopePairing::interleaved;
}

void check_head_of_pairs(Index d_head) {
  if (d_head > 0 && d_head % 2 == 0) return;
  throw UsageError(fmt::format("d_head={}", d_head),
                   "must be even and positive, because RoPE turns pairs of channels",
                   fmt::format("use d_head={}", std::max<Index>(2, d_head + 1)));
}

Index rotary_dims_of(const EncodingSettings& settings) {
  const double fraction = settings.params.real("rope.fraction");
  const Index d_head = settings.d_head;
  check_head_of_pairs(d_head);
  const auto r = static_cast<Index>(std::floor(fraction * static_cast<double>(d_head)));
  if (r >= 2 && r % 2 == 0) return r;
  throw UsageError(
      fmt::format("rope.fraction={} of d_head={}", fraction, d_head),
      fmt::format("turns {} channels, and pairs need an even number, 2 or more", r),
      fmt::format("try rope.fraction={}", static_cast<double>(std::max<Index>(2, r + r % 2)) /
                                              static_cast<double>(d_head)));
}

Index checked_rotary_dims(Index d_head, Index rotary_dims) {
  check_head_of_pairs(d_head);
  const Index r = rotary_dims == 0 ? d_head : rotary_dims;
  if (r >= 2 && r % 2 == 0 && r <= d_head) return r;
  throw UsageError(fmt::format("rotary_dims={} of d_head={}", rotary_dims, d_head),
                   "must be even, at least 2 and at most d_head",
                   "choose a fraction of d_head that gives an even number");
}

}  // namespace orrery
