#include "experiments/identify/structures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "experiments/identify/rope_cost.h"

namespace orrery {
namespace {

constexpr std::array<RopePairing, 2> pairings{RopePairing::half_split, RopePairing::interleaved};

/// Widths of rotated slices in released models.
std::vector<Index> usual_widths(Index d) {
  std::set<Index> widths{d};
  for (const double fraction : {0.25, 0.334, 0.4, 0.5, 0.75})
    widths.insert(static_cast<Index>(fraction * static_cast<double>(d)) / 2 * 2);
  for (const Index width : {Index{32}, Index{64}, Index{128}})
    if (width < d) widths.insert(width);
  widths.erase(0);
  return {widths.begin(), widths.end()};
}

/// First channel and width of a slice.
using Slice = std::pair<Index, Index>;

/// The usual slices at either end of a head, and those that the channels show which turn: from the
/// first to the last of them, up to a multiple of 2, 4 and 8.
std::set<Slice> likely_slices(const RotationSample& sample) {
  constexpr double rounding = 4;
  const Index d = sample.before.cols();
  std::set<Slice> slices;
  for (const Index width : usual_widths(d)) slices.insert({{0, width}, {d - width, width}});
  const Matrix<double> moved =
      ((sample.after - sample.before).cwiseAbs().array() / sample.unit.array())
          .colwise()
          .maxCoeff();
  Index first = 0, last = d - 1;
  while (first < d && moved(0, first) < rounding) ++first;
  while (last > first && moved(0, last) < rounding) --last;
  if (first == d) return slices;
  for (const Index multiple : {2, 4, 8}) {
    const Index begin = first / multiple * multiple;
    const Index end = std::min<Index>(d, (last / multiple + 1) * multiple);
    slices.insert({begin, (end - begin) / 2 * 2});
  }
  return slices;
}

std::vector<WrittenRope> all_structures(const RotationSample& sample) {
  std::vector<WrittenRope> all;
  for (const auto& [begin, width] : likely_slices(sample))
    for (const RopePairing pairing : pairings)
      for (const bool reordered : {false, true}) {
        all.push_back({{.d_head = sample.before.cols(),
                        .begin = begin,
                        .rotary_dims = width,
                        .pairing = pairing}});
        all.back().reordered = reordered;
      }
  return all;
}

WrittenRope plain(Index d, RopePairing pairing, double base) {
  return {{.d_head = d, .rotary_dims = d, .pairing = pairing, .base = base}};
}

/// Scalings as they were released, each with its base.
std::vector<std::pair<double, RopeScaling>> released_scalings() {
  using enum RopeScalingKind;
  return {{500000, {.kind = llama3, .factor = 8, .original_length = 8192}},
          {500000, {.kind = llama3, .factor = 32, .original_length = 8192}},
          {150000, {.kind = yarn, .factor = 32, .original_length = 4096, .truncate = false}},
          {10000,
           {.kind = yarn, .factor = 40, .original_length = 4096, .mscale = 1, .mscale_all_dim = 1}},
          {1000000, {.kind = yarn, .factor = 4, .original_length = 32768}},
          {1000000, {.kind = linear, .factor = 8}}};
}

/// Sections of M-RoPE in proportion to those of Qwen2-VL, Qwen3-VL and Qwen3.5.
std::vector<std::vector<Index>> usual_sections(Index pairs) {
  std::vector<std::vector<Index>> all;
  for (const std::array<Index, 3>& parts :
       {std::array<Index, 3>{16, 24, 24}, {24, 20, 20}, {11, 11, 10}}) {
    const Index sum = parts[0] + parts[1] + parts[2];
    const Index h = parts[1] * pairs / sum, w = parts[2] * pairs / sum;
    all.push_back({pairs - h - w, h, w});
  }
  return all;
}

void add_with_axes(const WrittenRope& rope, std::size_t axes, std::vector<WrittenRope>& all) {
  all.push_back(rope);
  if (axes != 3) return;
  for (const WrittenRope& with : with_usual_sections(rope)) all.push_back(with);
}

/// The rope, and what is wrong with it so that it cannot be estimated.
void add_variants(const WrittenRope& rope, std::size_t axes, std::vector<WrittenRope>& all) {
  add_with_axes(rope, axes, all);
  WrittenRope inverted = rope;
  inverted.inverted = true;
  all.push_back(inverted);
  for (const Wiring wiring : {Wiring::other_table, Wiring::no_negation}) {
    WrittenRope wired = rope;
    wired.wiring = wiring;
    add_with_axes(wired, axes, all);
  }
}

/// Whether the channels outside of the slice keep their values.
bool others_stay(const WrittenRope& slice, const RotationSample& sample) {
  constexpr double rounding = 4;
  for (Index i = 0; i < sample.before.rows(); ++i)
    for (Index c = 0; c < sample.before.cols(); ++c) {
      if (c >= slice.begin && c < slice.begin + slice.rotary_dims) continue;
      const double off = std::abs(sample.after(i, c) - sample.before(i, c));
      if (off > rounding * sample.unit(i, c)) return false;
    }
  return true;
}

}  // namespace

std::vector<WrittenRope> with_usual_sections(const WrittenRope& rope) {
  std::vector<WrittenRope> all;
  for (const std::vector<Index>& sections : usual_sections(pairs_of(rope)))
    for (const AxisDesign design : {AxisDesign::chunked, AxisDesign::interleaved}) {
      WrittenRope with = rope;
      with.sections = sections;
      with.design = design;
      all.push_back(with);
    }
  return all;
}

std::vector<WrittenRope> possible_slices(const RotationSample& sample) {
  std::vector<WrittenRope> slices;
  for (const auto& [begin, width] : likely_slices(sample)) {
    const WrittenRope slice{{.d_head = sample.before.cols(),
                             .begin = begin,
                             .rotary_dims = width,
                             .pairing = RopePairing::half_split}};
    if (others_stay(slice, sample)) slices.push_back(slice);
  }
  return slices;
}

namespace {

void add_structure(const WrittenRope& rope, const RotationSample& sample,
                   std::vector<StructureFit>& fits) {
  fits.push_back({rope, pair_phasors(rope, sample)});
  StructureFit& fit = fits.back();
  if (fit.phasors.others_stretched) fit.rope.reach = FactorReach::all;
}

}  // namespace

std::vector<StructureFit> likely_structures(const RotationSample& sample, std::size_t most) {
  std::vector<StructureFit> fits;
  for (const WrittenRope& rope : all_structures(sample)) add_structure(rope, sample, fits);
  std::stable_sort(fits.begin(), fits.end(), [](const StructureFit& a, const StructureFit& b) {
    return a.phasors.misfit < b.phasors.misfit;
  });
  const double best = fits.front().phasors.misfit;
  std::vector<StructureFit> kept;
  for (StructureFit& fit : fits)
    if (kept.size() < 2 || (kept.size() < most && fit.phasors.misfit < 3 * best + 1))
      kept.push_back(std::move(fit));
  return kept;
}

std::vector<WrittenRope> released_ropes(Index d_head, std::size_t axes) {
  WrittenRope still = plain(d_head, RopePairing::half_split, 10000);
  still.rule = PositionRule::none;
  std::vector<WrittenRope> all{still};
  for (const RopePairing pairing : pairings) {
    for (const double base : known_bases()) {
      WrittenRope rope = plain(d_head, pairing, base);
      add_variants(rope, axes, all);
    }
    for (const auto& [base, scaling] : released_scalings()) {
      WrittenRope rope = plain(d_head, pairing, base);
      rope.scaling = scaling;
      all.push_back(rope);
    }
  }
  return all;
}

}  // namespace orrery
