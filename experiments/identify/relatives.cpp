#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "experiments/identify/rope_cost.h"
#include "experiments/identify/rope_search.h"
#include "experiments/identify/structures.h"

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
    constexpr double largest = 1e10;  // above it no program has a base
    WrittenRope whole = with_whole_head(rope_);
    if (whole.base < largest) found_.push_back(std::move(whole));
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

struct Tried {
  double misfit;
  WrittenRope rope;
};

/// fp32 stages, and where pairs turn alone: bf16 positions and angles.
std::vector<StageRounding> likely_roundings(const WrittenRope& way) {
  std::vector<StageRounding> all{fp32_stages()};
  if (way.wiring != Wiring::rotation) return all;
  for (const Stage stage : {Stage::position, Stage::angle}) {
    all.push_back(fp32_stages());
    all.back().set(stage, Precision::bf16);
  }
  return all;
}

void keep_best(std::vector<Tried>& tried, std::size_t most) {
  std::stable_sort(tried.begin(), tried.end(),
                   [](const Tried& a, const Tried& b) { return a.misfit < b.misfit; });
  if (tried.size() > most) tried.resize(most);
}

/// p-RoPE has been released with position interpolation alone.
bool is_usual(const RopeScaling& scaling, const WrittenRope& way) {
  using enum RopeScalingKind;
  if (way.partial == RopePartial::proportional)
    return scaling.kind == none || scaling.kind == linear;
  return scaling.kind != ntk_by_parts && scaling.truncate;
}

/// Frequencies and angles without rounding, so that they follow the base smoothly.
WrittenRope smooth(WrittenRope rope) {
  for (const Stage stage : {Stage::inv_freq, Stage::angle, Stage::cos_sin})
    rope.rounding.set(stage, Precision::fp64);
  return rope;
}

/// The base near that of the rope at which most numbers of a few rows fit. Far from position 0 the
/// turns of fast pairs are lost by a change of the base that is small.
WrittenRope nearest_to(const WrittenRope& rope, const RotationSample& sample) {
  constexpr double step = 5e-4;
  constexpr int steps = 40;
  WrittenRope best = rope;
  double least = residual_of(rope, sample).capped_sum;
  for (int k = -steps; k <= steps; ++k) {
    WrittenRope moved = rope;
    moved.base *= std::exp(step * k);
    if (!(moved.base > 1.01)) continue;
    const double misfit = residual_of(moved, sample).capped_sum;
    if (!(misfit < least)) continue;
    least = misfit;
    best = moved;
  }
  return best;
}

/// One step of Gauss and Newton in ln base, over the numbers that are near to what is predicted.
double step_from(const WrittenRope& rope, const RotationSample& sample) {
  constexpr double difference = 1e-6;  // of ln base, for the derivative
  constexpr double near = 0.5;         // of a number's size: what is further off is a lost turn
  WrittenRope beside = rope;
  beside.base *= 1 + difference;
  const Matrix<double> predicted = apply_written(rope, sample.places, sample.before);
  const Matrix<double> moved = apply_written(beside, sample.places, sample.before);
  const double size_of_unit = 1 / unit_roundoff(sample.format);
  double moment = 0, inertia = 0;
  for (Index i = 0; i < predicted.rows(); ++i)
    for (Index c = 0; c < predicted.cols(); ++c) {
      const double off = sample.after(i, c) - predicted(i, c);
      const double size = sample.unit(i, c) * size_of_unit;
      if (!(std::abs(off) <= near * size)) continue;
      const double slope = (moved(i, c) - predicted(i, c)) / difference;
      moment += slope * off / (size * size);
      inertia += slope * slope / (size * size);
    }
  return inertia > 0 ? moment / inertia : 0.0;
}

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

std::vector<WrittenRope> best_known_ropes(const WrittenRope& way, const RotationSample& few_rows,
                                          std::size_t most) {
  std::vector<Tried> tried;
  for (const StageRounding& rounding : likely_roundings(way))
    for (const double base : known_bases())
      for (const RopeScaling& scaling : known_scalings()) {
        if (!is_usual(scaling, way)) continue;
        WrittenRope rope = way;
        rope.rounding = rounding;
        rope.base = base;
        rope.scaling = scaling;
        const double misfit = residual_of(rope, few_rows).capped_sum;
        tried.push_back({misfit, std::move(rope)});
        if (tried.size() > 64 * most) keep_best(tried, most);
      }
  keep_best(tried, most);
  std::vector<WrittenRope> best;
  for (Tried& one : tried) best.push_back(std::move(one.rope));
  return best;
}

double refined_base(const WrittenRope& rope, const RotationSample& sample,
                    const RotationSample& few_rows) {
  constexpr int steps = 5;
  constexpr double longest = 0.01, settled = 1e-9;
  WrittenRope at = nearest_to(smooth(rope), few_rows);
  for (int i = 0; i < steps; ++i) {
    const double step = std::clamp(step_from(at, sample), -longest, longest);
    const double base = at.base * std::exp(step);
    if (!(base > 1.01) || !std::isfinite(base)) break;
    at.base = base;
    if (std::abs(step) < settled) break;
  }
  return at.base;
}

}  // namespace orrery
