#include "core/encodings/rope_convention.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.h"

namespace orrery {

std::string_view name(RopePairing pairing) {
  return pairing == RopePairing::half_split ? "half_split" : "interleaved";
}

void check_head_of_pairs(Index d_head) {
  if (d_head > 0 && d_head % 2 == 0) return;
  throw UsageError(fmt::format("d_head={}", d_head),
                   "must be even and positive, because RoPE turns pairs of channels",
                   fmt::format("use d_head={}", std::max<Index>(2, d_head + 1)));
}

RopeConvention completed(RopeConvention convention) {
  Index& r = convention.rotary_dims;
  if (r == 0) r = convention.d_head;
  if (r == convention.d_head || convention.partial == RopePartial::proportional)
    check_head_of_pairs(convention.d_head);
  const Index begin = first_channel(convention);
  if (r >= 2 && r % 2 == 0 && begin >= 0 && begin + r <= convention.d_head) return convention;
  throw UsageError(begin == 0 ? fmt::format("rotary_dims={} of d_head={}", r, convention.d_head)
                              : fmt::format("rotary_dims={} from channel {} of d_head={}", r, begin,
                                            convention.d_head),
                   "must be even, at least 2 and at most d_head",
                   "choose a fraction of d_head that gives an even number");
}

}  // namespace orrery
