#include "experiments/identify/identify_rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "experiments/identify/defects.h"
#include "experiments/identify/rope_cost.h"
#include "experiments/identify/rope_search.h"

namespace orrery {
namespace {

/// The parts of the search in their order.
class Search : HypothesisList {
 public:
  using HypothesisList::fits;
  using HypothesisList::HypothesisList;

  RotationAnswer answer() {
    begin();
    return finish();
  }

  /// What is expected, what rows at their positions say, and what models were released with.
  void begin() {
    add_expected();
    for (const WrittenRope& rope : question.likely) add(rope);
    add_estimated(sample().places.positions);
    if (!question.assumed)
      for (const StructureFit& structure : best_structures())
        for (const WrittenRope& rope : ropes_in_series(structure, sample().places.positions))
          add(rope);
    if (axes() > 1)
      for (const WrittenRope& rope :
           ropes_along_axes(best_structures(), sample().format, sample().places.positions))
        add(rope);
    add_released();
    keep(kept::on_few_rows, small());
    keep(kept::at_first, sample());
  }

  RotationAnswer finish() {
    add_exact_stages();
    refine_bases();
    search_positions(*this);
    if (!fits() || is_doubtful()) add_listed();
    refine_bases();
    drop_needless_lists();
    add_neighbours();
    for (int round = 0; round < 2; ++round) {
      add_defects(round == 0 ? 3 : 1);
      keep(kept::with_variants, sample());
    }
    add_formats();
    add_stretched();
    keep(kept::for_answer, sample());
    add_with_coarse_tables();
    add_expected_parts();
    add_measured_length();
    return ranked();
  }

 private:
  /// Whether the best fits, but misses some numbers by far, or by frequencies rounded more than they
  /// need be.
  bool is_doubtful() const {
    constexpr double sound = 2;  // roundings, of any number
    return !fits_as_angles_do() &&
           (best().residual.largest > sound ||
            is_coarser_than_fp32(best().rope.rounding.format(Stage::inv_freq)));
  }

  void add_expected() {
    if (!question.expected) return;
    add_expected(*question.expected);
    for (const WrittenRope& rope : question.as_right) add_expected(rope);
    add_other_factors(*question.expected);
  }

  /// LongRoPE has two lists of factors, of which a program may take the wrong one.
  void add_other_factors(WrittenRope rope) {
    if (rope.scaling.kind != RopeScalingKind::longrope) return;
    const double trained = rope.scaling.original_length;
    rope.scaling.length = rope.scaling.length > trained ? trained : trained + 1;
    rope.rounding = fp32_stages();
    add(rope);
  }

  void add_expected(WrittenRope expected) {
    for (const bool rounded : {true, false}) {
      expected.rounding = rounded ? fp32_stages() : StageRounding{};
      add(expected, {}, true);
      for (const RopeDefect& defect : rope_defects())
        if (const auto rope = defect.inject(expected, question.tensor.rows());
            rope && is_seen(*rope))
          add(*rope, defect.name);
    }
    // Tables as coarse as the tensor are no defect.
    if (!is_coarser_than_fp32(question.tensor.format)) return;
    expected.rounding = fp32_stages();
    expected.rounding.set(Stage::cos_sin, question.tensor.format);
    add(expected, {}, true);
  }

  bool is_seen(const WrittenRope& rope) const {
    return !is_coarser_than_fp32(rope.rounding.format(Stage::cos_sin)) ||
           is_coarse(rope.rounding, Stage::cos_sin, question.tensor.format);
  }

  /// What the tensor cannot tell from the best ropes and deviates from the expected one in fewer
  /// properties than these do.
  void add_expected_parts() {
    if (!question.expected) return;
    constexpr std::size_t most = 3, added = 8;
    std::vector<WrittenRope> leaders;
    for (const RopeHypothesis& hypothesis : found())
      if (leaders.size() < most && !hypothesis.is_expected) leaders.push_back(hypothesis.rope);
    const double near = best().residual.rms() < explained_roundings ? explained_roundings : 1e300;
    for (const WrittenRope& rope : leaders) {
      std::vector<std::pair<int, WrittenRope>> nearer;
      const int own = deviations(*question.expected, rope, question.tensor.format);
      const double left = residual_of(rope, small()).rms();
      for (WrittenRope& with : with_expected_parts(rope, *question.expected)) {
        const int count = deviations(*question.expected, with, question.tensor.format);
        if (count == 0 || count > own) continue;
        if (residual_of(with, small()).rms() < std::min<double>(1.5 * left + 0.1, near))
          nearer.emplace_back(count, std::move(with));
      }
      std::stable_sort(nearer.begin(), nearer.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      if (nearer.size() > added) nearer.resize(added);
      for (auto& [count, with] : nearer) add(std::move(with));
    }
    keep(kept::for_answer, sample());
  }

  /// Dynamic NTK at the length L that the base shows, b·s'^(r/(r−2)) with s' = s·L/L0 − (s − 1).
  void add_measured_length() {
    using enum RopeScalingKind;
    if (!question.expected || question.expected->scaling.kind != dynamic_ntk) return;
    const WrittenRope& first = best().rope;
    const std::vector<double> theta = frequencies_of(first);
    WrittenRope rope = *question.expected;
    const auto r = static_cast<double>(2 * pairs_of(rope));
    if (best().is_expected || theta.size() < 2 || pairs_of(first) != pairs_of(rope)) return;
    const double stretch = std::pow(std::pow(theta[1], -r / 2) / rope.base, (r - 2) / r);
    const RopeScaling& s = rope.scaling;
    const double length = std::round(s.original_length * (stretch + s.factor - 1) / s.factor);
    if (!(length >= s.original_length)) return;
    rope.scaling.length = length;
    rope.rounding = first.rounding;
    add(rope, {}, question.any_length && length > static_cast<double>(reach()));
    keep(kept::for_answer, sample());
  }

  /// Scalings whose frequencies the tensor can hardly tell from the best ones.
  void add_neighbours() {
    WrittenRope rope = found().front().rope;
    add_whole_head();
    if (axes() == 3)
      for (const WrittenRope& with : with_usual_sections(rope)) add(with);
    const double a = amplitude_of(rope);
    for (const RopeScaling& scaling : neighbours_of(rope)) {
      rope.scaling = scaling;
      rope.amplitude = {};
      if (std::abs(amplitude_of(rope) / a - 1) > hardly_told()) rope.amplitude = a;
      add(rope);
    }
    keep(kept::for_answer, sample());
  }

  /// How far angles, and factors, may lie apart that the tensor can hardly tell.
  double hardly_told() const { return 30 * unit_roundoff(question.tensor.format); }

  std::vector<RopeScaling> neighbours_of(WrittenRope rope) const {
    if (rope.partial == RopePartial::proportional || rope.inverted) return {};
    const std::vector<double> theta = frequencies_of(rope);
    const Position last = rope.rule == PositionRule::head_index ? question.tensor.heads : reach();
    const auto span = static_cast<double>(last + std::abs(rope.offset) + 1);
    std::vector<RopeScaling> neighbours;
    for (const RopeScaling& scaling : known_scalings()) {
      rope.scaling = scaling;
      const std::vector<double> other = frequencies_of(rope);
      double largest = 0;
      for (std::size_t t = 0; t < theta.size(); ++t)
        largest = larger(largest, std::abs(theta[t] - other[t]) * span);
      if (largest < hardly_told()) neighbours.push_back(scaling);
    }
    return neighbours;
  }

  /// Coarse tables shift the measured factor, because cosines near 1 are all rounded to the same
  /// side, and a fitted base with coarse frequencies makes up for it: frequencies of fp32 are tried
  /// with tables of each format, and with the scalings whose own factor is near.
  void add_with_coarse_tables() {
    WrittenRope rope = found().front().rope;
    const Precision inv_freq = rope.rounding.format(Stage::inv_freq);
    if (is_known(known_bases(), rope.base) && !is_coarser_than_fp32(inv_freq)) return;
    const Precision position = rope.rounding.format(Stage::position);
    rope.rounding = fp32_stages();
    rope.rounding.set(Stage::position, position);
    rope = refined_numbers(rope, sample(), small());
    add_with_tables(rope);
    rope.base = base_with_coarse_tables(rope);
    add_with_tables(rope);
    const double measured = amplitude_of(rope);
    rope.amplitude = {};
    for (const RopeScaling& scaling : neighbours_of(rope)) {
      rope.scaling = scaling;
      const double off = std::abs(amplitude_of(rope) / measured - 1);
      if (off <= unit_roundoff(Precision::bf16)) add_with_tables(rope);
    }
    keep(kept::for_answer, sample());
  }

  /// The base near that of the rope that fits best with tables as coarse as the tensor: it is
  /// fitted to exact ones, and roundings of slow pairs shift it.
  double base_with_coarse_tables(WrittenRope rope) const {
    constexpr double step = 2.5e-4;
    constexpr int steps = 20;
    if (!is_coarser_than_fp32(question.tensor.format)) return rope.base;
    rope.rounding.set(Stage::cos_sin, question.tensor.format);
    const double fitted = rope.base;
    double best = fitted, least = std::numeric_limits<double>::infinity();
    for (int k = -steps; k <= steps; ++k) {
      rope.base = fitted * std::exp(step * k);
      if (!(rope.base > 1)) continue;
      const double misfit = residual_of(rope, sample()).sum_of_squares;
      if (!(misfit < least)) continue;
      least = misfit;
      best = rope.base;
    }
    return best;
  }

  void add_with_tables(WrittenRope rope) {
    for (const Precision format : {Precision::fp32, Precision::bf16, Precision::fp16}) {
      rope.rounding.set(Stage::cos_sin, format);
      add_with_fewer_digits(rope);
    }
  }

  /// Slow pairs may turn by less than rounding, so that a part of the head seems to turn.
  void add_whole_head() {
    WrittenRope rope = found().front().rope;
    if (rope.rotary_dims == rope.d_head || rope.begin != 0) return;
    const WrittenRope whole = with_whole_head(rope);
    add_with_fewer_digits(whole);  // the part's base was told with few digits, not that of the head
    if (axes() != 3) return;
    for (const WrittenRope& with : with_usual_sections(whole)) add(with);
  }

  /// Frequencies of no series that is known.
  void add_listed() {
    for (WrittenRope& rope :
         listed_ropes(best_structures(), sample().format, sample().places.positions)) {
      add(rope);
      if (rope.scaling.kind == RopeScalingKind::factors || is_known(known_bases(), rope.base))
        continue;
      add_with_fewer_digits(rope);
      rope = refined_numbers(rope, sample(), small());
      add_with_fewer_digits(rope);
    }
    keep(kept::with_places, sample());
    drop_needless_lists();
  }

  void add_released() {
    for (WrittenRope& rope : released_ropes(question.tensor.channels(), axes())) {
      rope.rounding = fp32_stages();
      add(rope);
    }
  }

  /// A tensor of fp32 whose angles were formed in fp64 fits nothing whose stages round to fp32.
  void add_exact_stages() {
    std::vector<WrittenRope> exact;
    for (const RopeHypothesis& hypothesis : found())
      if (exact.size() < 2) exact.push_back(hypothesis.rope);
    for (WrittenRope& rope : exact) {
      rope.rounding = {};
      add(rope);
    }
    keep(kept::with_exact_stages, sample());
  }

  void add_defects(std::size_t count) {
    const std::size_t bases = std::min<std::size_t>(found().size(), count);
    for (std::size_t i = 0; i < bases; ++i) {
      const WrittenRope sound = found()[i].rope;
      for (const RopeDefect& defect : rope_defects())
        if (const auto rope = defect.inject(sound, question.tensor.rows())) add(*rope);
    }
  }

  void add_formats() {
    const std::size_t count = std::min<std::size_t>(found().size(), 3);
    for (std::size_t i = 0; i < count; ++i) {
      WrittenRope rope = found()[i].rope;
      add_with_formats(rope);
      const double measured = amplitude_of(rope);
      rope.amplitude = {};  // coarse tables shift what is measured
      const double off = std::abs(amplitude_of(rope) / measured - 1);
      if (off > 0 && off <= unit_roundoff(Precision::bf16)) add_with_formats(rope);
    }
  }

  void add_with_formats(const WrittenRope& sound) {
    WrittenRope rope = sound;
    for (const StageRounding& others : {sound.rounding, fp32_stages()})
      for (const Precision format : {Precision::bf16, Precision::fp16}) {
        rope.rounding = others;
        rope.rounding.set(Stage::cos_sin, format);
        add(rope);
      }
    rope.rounding = {};
    add(rope);
  }

  /// The measured stretch, where no known factor is it.
  void add_stretched() {
    WrittenRope rope = found().front().rope;
    if (rope.wiring != Wiring::rotation || rope.rule != PositionRule::stated) return;
    const double a = pair_phasors(rope, sample()).amplitude;
    const double told = told_factor(rope, a, question.tensor.format);
    add_with_factor(rope, told);
    constexpr double measured = 1e-4;
    if (std::abs(told - a) > measured * a) add_with_factor(rope, std::round(a * 1e4) / 1e4);
  }

  void add_with_factor(WrittenRope rope, double factor) {
    rope.amplitude = factor;
    add(rope);
    if (rope.rotary_dims == rope.d_head) return;
    rope.reach = FactorReach::all;
    add(rope);
  }
};

void check_shapes(const RotatedTensor& tensor) {
  const MatrixIn<double>&x = tensor.before, &y = tensor.after;
  if (x.rows() == y.rows() && x.cols() == y.cols() && x.rows() > 0 && x.cols() % 2 == 0 &&
      tensor.positions.rows() == tensor.rows() && tensor.positions.cols() > 0)
    return;
  throw UsageError(fmt::format("tensors of {} x {} and {} x {} with {} positions", x.rows(),
                               x.cols(), y.rows(), y.cols(), tensor.positions.rows()),
                   "must have the same shape, an even number of channels and a position per row",
                   "give q as it was before and after the rotation");
}

/// Nothing explains a NaN or an infinity; the residual says so.
RotationAnswer without_numbers(const RotationQuestion& question) {
  const Index d = question.tensor.channels();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      .hypotheses = {{.rope = {{.d_head = d, .rotary_dims = d, .pairing = RopePairing::half_split}},
                      .residual = {.sum_of_squares = nan, .count = 1, .largest = nan}}},
      .positions = question.tensor.positions};
}

}  // namespace

RotationAnswer identify_rotation(const RotationQuestion& asked) {
  check_shapes(asked.tensor);
  if (!all_finite(asked.tensor.before) || !all_finite(asked.tensor.after))
    return without_numbers(asked);
  RotationQuestion question = asked;
  const AxisPositions stated = asked.tensor.positions;
  const auto answer_at = [&](const AxisPositions& positions) {
    question.tensor.positions = positions;
    if (question.expect) question.expect(question);
    RotationAnswer answer = Search(question).answer();
    answer.positions = positions;
    return answer;
  };
  if (question.expect) question.expect(question);
  Search search(question);
  search.begin();
  std::optional<RotationAnswer> as_stated;
  const auto finish = [&] {
    as_stated = search.finish();
    as_stated->positions = stated;
  };
  if (search.fits()) {
    finish();
    if (as_stated->explained) return *as_stated;
  }
  question.likely = padded_ropes(asked);
  const AxisPositions measured = measured_positions(asked.tensor);
  if (measured.size() == 0 || measured == stated) {
    if (!question.likely.empty()) return answer_at(stated);
    if (!as_stated) finish();
    return *as_stated;
  }
  RotationAnswer found = answer_at(measured);
  if (!found.explained) return answer_at(stated);
  if (explains_at(found.best().rope, asked.tensor)) {  // rows were misread that decide nothing
    question.likely = {found.best().rope};
    return answer_at(stated);
  }
  const auto by_rule = rule_between(found.best().rope, stated, measured, asked.assumed);
  if (!by_rule) return found;
  question.likely = {*by_rule};
  RotationAnswer ruled = answer_at(stated);
  return ruled.explained ? ruled : found;
}

}  // namespace orrery
