#pragma once

#include <fmt/format.h>

#include "core/errors.h"

namespace orrery {

/// Checks the inputs of one head or of a whole layer. Throws UsageError unless W_q, W_k and W_v
/// take as many channels as x_q and x_k have.
template <class Weights, class Contents>
void check_contents(const Weights& w, const Contents& in) {
  if (w.W_q.rows() == in.x_q.cols() && w.W_k.rows() == in.x_k.cols() &&
      w.W_v.rows() == in.x_k.cols())
    return;
  throw UsageError(fmt::format("x with {} and {} channels", in.x_q.cols(), in.x_k.cols()),
                   fmt::format("the projections take d_model={}", w.W_q.rows()),
                   "give x and projections of the same d_model");
}

}  // namespace orrery
