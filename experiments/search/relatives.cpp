#include "experiments/search/relatives.h"

#include <array>
#include <cmath>
#include <utility>

#include "experiments/search/frequency_families.h"
#include "experiments/search/hypothesis_list.h"
#include "experiments/search/known_numbers.h"
#include "experiments/search/structures.h"

namespace orrery {
namespace {

constexpr std::array<std::pair<Stage, Precision>, 7> coarse_stages{
    {{Stage::position, Precision::bf16},
     {Stage::position, Precision::fp16},
     {Stage::inv_freq, Precision::bf16},
     {Stage::inv_freq, Precision::fp16},
     {Stage::angle, Precision::bf16},
     {Stage::cos_sin, Precision::bf16},
     {Stage::cos_sin, Precision::fp16}}};

class Relatives {
 public:
  explicit Relatives(const WrittenRope& rope) : rope_(rope) {}

  /// The rope after `change`.
  template <class Change>
  void add(Change change) {
    found_.push_back(rope_);
    change(found_.back());
  }

  void add_formats() {
    add([](WrittenRope& w) { w.rounding = {}; });
    add([](WrittenRope& w) { w.rounding = fp32_stages(); });
    for (const auto& [stage, format] : coarse_stages) {
      found_.push_back(rope_);
      found_.back().rounding = fp32_stages();
      found_.back().rounding.set(stage, format);
    }
  }

  void add_positions() {
    add([](WrittenRope& w) { w.rule = PositionRule::stated; });
    add([](WrittenRope& w) { w.rule = PositionRule::doubled; });
    for (const Position offset :
         {Position{0}, Position{1}, Position{-1}, rope_.offset + 1, rope_.offset - 1}) {
      add([&](WrittenRope& w) { w.offset = offset; });
      add([&](WrittenRope& w) {
        w.rule = PositionRule::stated;
        w.offset = offset;
      });
    }
  }

  void add_channels() {
    for (const Wiring wiring :
         {Wiring::rotation, Wiring::other_table, Wiring::no_negation, Wiring::misprinted_last}) {
      found_.push_back(rope_);
      found_.back().wiring = wiring;
    }
    add([](WrittenRope& w) { w.clockwise = !w.clockwise; });
    add([](WrittenRope& w) { w.reordered = !w.reordered; });
    add([](WrittenRope& w) { w.inverted = !w.inverted; });
    add([](WrittenRope& w) {
      w.pairing =
          w.pairing == RopePairing::half_split ? RopePairing::interleaved : RopePairing::half_split;
    });
    if (rope_.partial == RopePartial::truncated && rope_.rotary_dims < rope_.d_head) add_slices();
  }

  /// The other end, and the whole head with the same slope of ln theta: slow channels may turn by
  /// less than rounding.
  void add_slices() {
    add([](WrittenRope& w) { w.begin = w.begin == 0 ? w.d_head - w.rotary_dims : 0; });
    if (rope_.begin != 0) return;
    found_.push_back(with_whole_head(rope_));
  }

  void add_factors() {
    const double a = amplitude_of(rope_);
    add([](WrittenRope& w) { w.amplitude = {}; });
    add([](WrittenRope& w) { w.amplitude = 1.0; });
    add([](WrittenRope& w) {
      w.reach = w.reach == FactorReach::all ? FactorReach::rotated : FactorReach::all;
    });
    for (const RopeScaling& scaling : known_scalings()) {
      constexpr double near = 1e-3;
      found_.push_back(rope_);
      WrittenRope& scaled = found_.back();
      scaled.scaling = scaling;
      scaled.amplitude = {};
      if (std::abs(amplitude_of(scaled) - a) > near * a) scaled.amplitude = a;
    }
  }

  void add_bases() {
    for (const double base : known_bases()) {
      found_.push_back(rope_);
      found_.back().base = base;
    }
  }

  void add_axes() {
    for (WrittenRope& with : with_usual_sections(rope_)) found_.push_back(std::move(with));
    add([](WrittenRope& w) { w.unbounded_stride = !w.unbounded_stride; });
  }

  std::vector<WrittenRope> found() { return std::move(found_); }

 private:
  const WrittenRope& rope_;
  std::vector<WrittenRope> found_{};
};

}  // namespace

WrittenRope with_whole_head(const WrittenRope& rope) {
  WrittenRope whole = rope;
  whole.rotary_dims = rope.d_head;
  whole.begin = 0;
  whole.partial = RopePartial::truncated;
  whole.base = std::pow(rope.base,
                        static_cast<double>(rope.d_head) / static_cast<double>(2 * pairs_of(rope)));
  return whole;
}

std::vector<WrittenRope> relatives_of(const WrittenRope& rope, std::size_t axes) {
  Relatives relatives(rope);
  relatives.add_formats();
  relatives.add_positions();
  relatives.add_channels();
  relatives.add_factors();
  relatives.add_bases();
  if (axes == 3) relatives.add_axes();
  return relatives.found();
}

}  // namespace orrery
