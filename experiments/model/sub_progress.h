#pragma once

#include <cstddef>
#include <string_view>

#include "experiments/model/progress.h"

namespace orrery {

/// One part of the work, from the fraction `from` of the whole to the fraction `to`. It is a
/// Progress itself: its own fractions run from 0 to 1.
class SubProgress final : public Progress {
 public:
  SubProgress(Progress& whole, double from, double to) : whole_(whole), from_(from), to_(to) {}

  void update(double fraction, std::string_view stage) override {
    whole_.update(from_ + (to_ - from_) * (fraction < 1.0 ? fraction : 1.0), stage);
  }
  bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  Progress& whole_;
  double from_;
  double to_;
};

/// Part number `part` of `count` equal ones, counted from 0.
inline SubProgress equal_part(Progress& whole, std::size_t part, std::size_t count) {
  const auto parts = static_cast<double>(count);
  return {whole, static_cast<double>(part) / parts, static_cast<double>(part + 1) / parts};
}

}  // namespace orrery
