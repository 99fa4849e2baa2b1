#include "experiments/identify/identify_logits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/errors.h"
#include "experiments/identify/defects.h"
#include "experiments/identify/identify_rotation.h"
#include "experiments/identify/rope_cost.h"
#include "experiments/identify/rope_search.h"
#include "experiments/identify/seen_mask.h"
#include "experiments/identify/structures.h"

namespace orrery {
namespace {

/// Roundings: what is above is no explanation. Queries and keys each leave explained_roundings of
/// every product, relative to its size: with the rounding of the sum 1.8 units of a logit's size,
/// and a unit is smaller than that by up to √2, which makes 2.5. Partial sums are rounded as well,
/// where they are kept in the format: PyTorch's fp32 logits of 64 channels leave 2.7.
constexpr double explained = 4.0;
constexpr double least_logits_variance = 0.01;  // of what fits to the bit
constexpr double of_exact = 0.2;                // stages in fp64
constexpr double unusual = 1.2;                 // what is wrong with queries or keys alone

/// cos and sin in fp32: attention factors are part of the scale.
WrittenRope plain(WrittenRope rope) {
  rope.rounding = fp32_stages();
  rope.amplitude = 1.0;
  return rope;
}

LogitsHypothesis with_both(const WrittenRope& rope) {
  return {.of_q = rope, .of_k = rope, .cost = cost_of(rope)};
}

/// A start for another rope, which is neither the expected one nor a defect of it.
LogitsHypothesis started_from(LogitsHypothesis hypothesis) {
  hypothesis.is_expected = false;
  hypothesis.defect.clear();
  return hypothesis;
}

/// How many hypotheses LogitsSearch::keep leaves after a step.
constexpr std::size_t to_go_on = 6;      // the next step tries every change of each
constexpr std::size_t on_few_rows = 12;  // which rank loosely
constexpr std::size_t for_answer = 24;   // neighbours that the answer lists

/// Every pairing, direction, slice and wiring that turns a head of so many channels.
std::vector<WrittenRope> all_ways(Index d) {
  std::vector<WrittenRope> ways;
  for (const RopePairing pairing : {RopePairing::half_split, RopePairing::interleaved})
    for (const bool clockwise : {false, true}) {
      for (const Index width : {d, d / 2, d / 4}) {
        if (width < 2 || width % 2 != 0) continue;
        for (const Index begin : {Index{0}, d - width}) {
          ways.push_back({{.d_head = d,
                           .begin = begin,
                           .rotary_dims = width,
                           .pairing = pairing,
                           .clockwise = clockwise}});
          if (width == d) break;
        }
      }
      const WrittenRope proportional{{.d_head = d,
                                      .rotary_dims = d / 4 / 2 * 2,
                                      .partial = RopePartial::proportional,
                                      .pairing = pairing,
                                      .clockwise = clockwise}};
      if (proportional.rotary_dims > 0) ways.push_back(proportional);
      for (const Wiring wiring : {Wiring::other_table, Wiring::no_negation}) {
        ways.push_back(
            {{.d_head = d, .rotary_dims = d, .pairing = pairing, .clockwise = clockwise}, wiring});
      }
    }
  return ways;
}

class LogitsSearch {
 public:
  explicit LogitsSearch(const LogitsQuestion& question)
      : question_(question),
        few_(logits_sample(question, 12, 2)),
        some_(logits_sample(question, 64, 4)) {}

  LogitsAnswer answer() {
    add_expected();
    add_bases();
    keep(few_, to_go_on);
    add_scalings();
    keep(few_, on_few_rows);
    keep(some_, to_go_on);
    add_exact_stages();
    keep(some_, to_go_on);
    refine_bases();
    keep(some_, to_go_on);
    for (int round = 0; round < 2; ++round) {
      add_defects();
      keep(some_, for_answer);
      refine_bases();
      keep(some_, for_answer);
    }
    keep(some_, for_answer);
    const double rms = found_.front().residual.rms();
    return {.hypotheses = std::move(found_),
            .explained = rms < explained + rounded_angles(),
            .sampled_heads = some_.heads(),
            .sampled_queries = static_cast<Index>(some_.queries.rows.size()),
            .sampled_keys = static_cast<Index>(some_.keys.rows.size())};
  }

 private:
  /// What angles in fp64 leave of fp64: half a unit in the last place of p·theta, up to a rounding
  /// per position.
  double rounded_angles() const {
    Position reach = 0;
    for (const Positions* positions : {&question_.queries, &question_.keys})
      for (const Position p : *positions) reach = std::max<Position>(reach, std::abs(p));
    return question_.format == Precision::fp64 ? static_cast<double>(reach) : 0.0;
  }

  void add(LogitsHypothesis hypothesis) {
    for (const LogitsHypothesis& other : found_)
      if (computes_same(other.of_q, hypothesis.of_q) && computes_same(other.of_k, hypothesis.of_k))
        return;
    found_.push_back(std::move(hypothesis));
  }

  /// What is expected of both, its defects in both, and what is wrong with one of them.
  void add_expected() {
    if (!question_.expected) return;
    constexpr double of_expected = -10, of_defect = -5, step = 0.05, of_one_side = -2;
    const WrittenRope sound = plain(*question_.expected);
    LogitsHypothesis expected = with_both(sound);
    expected.is_expected = true;
    expected.cost = of_expected;
    found_.push_back(expected);
    double cost = of_defect;
    for (const RopeDefect& defect : rope_defects()) {
      cost += step;
      const auto rope = defect.inject(sound, question_.q.rows() / question_.heads);
      // A factor shows in the scale alone; an order and an offset that both share in nothing.
      if (!rope || amplitude_of(*rope) != 1 || changes_no_logit(*rope, sound)) continue;
      LogitsHypothesis defective = with_both(*rope);
      // Tables as coarse as the logits are no defect.
      defective.is_expected = deviations(sound, *rope, question_.format) == 0;
      if (!defective.is_expected) defective.defect = defect.name;
      defective.cost = cost;
      add(std::move(defective));
    }
    const std::size_t first = found_.size();
    add_one_sided(sound);
    for (std::size_t i = first; i < found_.size(); ++i) found_[i].cost += of_one_side;
  }

  /// Every way of pairing with every known base, and no rotation at all.
  void add_bases() {
    const Index d = question_.q.cols();
    WrittenRope still =
        plain({{.d_head = d, .rotary_dims = d, .pairing = RopePairing::half_split}});
    still.rule = PositionRule::none;
    found_.push_back(with_both(still));
    for (const WrittenRope& way : all_ways(d))
      for (const double base : known_bases()) {
        WrittenRope rope = plain(way);
        rope.base = base;
        found_.push_back(with_both(rope));
        if (rope.wiring == Wiring::rotation) add_one_still(rope);
      }
  }

  /// Queries that turn for keys that do not, and the other way round.
  void add_one_still(const WrittenRope& rope) {
    WrittenRope still = rope;
    still.rule = PositionRule::none;
    for (const bool is_q : {true, false}) {
      found_.push_back(with_both(rope));
      (is_q ? found_.back().of_q : found_.back().of_k) = still;
      found_.back().cost += unusual;
    }
  }

  /// The bases and scalings for the best ways of pairing so far.
  void add_scalings() {
    std::vector<LogitsHypothesis> ways;
    for (const LogitsHypothesis& hypothesis : found_) {
      const bool again = std::any_of(ways.begin(), ways.end(), [&](const LogitsHypothesis& way) {
        return is_same_way(way.of_q, hypothesis.of_q) && is_same_way(way.of_k, hypothesis.of_k);
      });
      if (!again && ways.size() < 2) ways.push_back(hypothesis);
    }
    for (const LogitsHypothesis& way : ways)
      for (const double base : known_bases())
        for (const RopeScaling& scaling : known_scalings()) {
          if (scaling.kind == RopeScalingKind::none) continue;
          LogitsHypothesis scaled = started_from(way);
          for (WrittenRope* rope : {&scaled.of_q, &scaled.of_k}) {
            rope->base = base;
            rope->scaling = scaling;
          }
          scaled.cost = cost_of(scaled.of_q);
          found_.push_back(std::move(scaled));
        }
  }

  /// Logits of fp64, and of fp32 whose angles were formed in fp64, fit nothing whose stages round
  /// to fp32.
  void add_exact_stages() {
    if (is_coarser_than_fp32(question_.format)) return;
    const std::size_t count = std::min<std::size_t>(found_.size(), 3);
    for (std::size_t i = 0; i < count; ++i) {
      LogitsHypothesis exact = found_[i];
      exact.of_q.rounding = exact.of_k.rounding = {};
      exact.cost += of_exact;
      add(std::move(exact));
    }
  }

  static bool is_same_way(const WrittenRope& a, const WrittenRope& b) {
    return a.pairing == b.pairing && a.rotary_dims == b.rotary_dims && a.begin == b.begin &&
           a.partial == b.partial && a.wiring == b.wiring && a.clockwise == b.clockwise &&
           a.rule == b.rule;
  }

  void add_defects() {
    std::vector<WrittenRope> sounds;
    for (const LogitsHypothesis& hypothesis : found_)
      if (sounds.size() < 2 && computes_same(hypothesis.of_q, hypothesis.of_k))
        sounds.push_back(hypothesis.of_q);
    for (const WrittenRope& sound : sounds) {
      for (const RopeDefect& defect : rope_defects())
        if (const auto rope = defect.inject(sound, static_cast<Index>(question_.queries.size())))
          if (!changes_no_logit(*rope, sound)) add(with_both(plain_amplitude(*rope)));
      add_one_sided(sound);
    }
  }

  /// An order or an offset that queries and keys share.
  static bool changes_no_logit(const WrittenRope& rope, const WrittenRope& sound) {
    return rope.reordered || rope.offset != sound.offset;
  }

  static WrittenRope plain_amplitude(WrittenRope rope) {
    rope.amplitude = 1.0;
    return rope;
  }

  /// What is wrong with queries or keys alone.
  void add_one_sided(const WrittenRope& sound) {
    WrittenRope still = sound;
    still.rule = PositionRule::none;
    for (const bool of_q : {true, false}) {
      const auto add_with = [&](const WrittenRope& other) {
        LogitsHypothesis hypothesis = with_both(sound);
        (of_q ? hypothesis.of_q : hypothesis.of_k) = other;
        hypothesis.cost += unusual;
        add(hypothesis);
      };
      add_with(still);
      WrittenRope moved = sound;
      // Keys one too far are queries one too early, but not to the last bit: angles are rounded
      // at other positions, which leaves 5 roundings of fp32 logits where all else is right.
      for (const Position offset : {1, -1}) {
        moved.offset = offset;
        add_with(moved);
      }
      WrittenRope doubled = sound;
      doubled.rule = PositionRule::doubled;
      add_with(doubled);
      WrittenRope against = sound;
      against.clockwise = !against.clockwise;
      add_with(against);
    }
  }

  /// The base that leaves the least within 20 % of the best ones, where no known one fits.
  void refine_bases() {
    if (found_.front().residual.rms() < 1) return;
    std::vector<LogitsHypothesis> moved;
    for (std::size_t i = 0; i < std::min<std::size_t>(found_.size(), 2); ++i)
      moved.push_back(with_refined_base(found_[i]));
    for (LogitsHypothesis& hypothesis : moved) {
      hypothesis.cost = cost_of(hypothesis.of_q);
      if (hypothesis.of_q.scaling.kind == RopeScalingKind::ntk)
        add_with_digits(without_ntk(hypothesis));
      add_with_digits(hypothesis);
    }
  }

  /// Also with as few digits as a base may have, these first: of two that compute the same the
  /// first stays.
  void add_with_digits(const LogitsHypothesis& hypothesis) {
    const double base = hypothesis.of_q.base;
    for (int digits = 1; digits <= 8; ++digits) {
      LogitsHypothesis rounded = hypothesis;
      rounded.of_q.base = rounded.of_k.base = rounded_to_digits(base, digits);
      rounded.cost = cost_of(rounded.of_q);
      add(std::move(rounded));
    }
    add(hypothesis);
  }

  /// NTK scaling is another base: base·s^(r/(r−2)).
  static LogitsHypothesis without_ntk(LogitsHypothesis hypothesis) {
    for (WrittenRope* rope : {&hypothesis.of_q, &hypothesis.of_k}) {
      const auto r = static_cast<double>(rope->rotary_dims);
      rope->base *= std::pow(rope->scaling.factor, r / (r - 2));
      rope->scaling = {};
    }
    hypothesis.cost = cost_of(hypothesis.of_q);
    return hypothesis;
  }

  LogitsHypothesis with_refined_base(const LogitsHypothesis& from) const {
    LogitsHypothesis best = started_from(from);
    measure(best, some_);
    const double least = question_.format == Precision::fp64 ? 1e-13 : 1e-7;
    for (double step = 0.1; step > least; step /= 1.6)
      for (const double factor : {1 + step, 1 / (1 + step)}) {
        LogitsHypothesis moved = best;
        moved.of_q.base *= factor;
        moved.of_k.base *= factor;
        if (!(moved.of_q.base > 1.01)) continue;
        measure(moved, some_);
        if (moved.residual.sum_of_squares < best.residual.sum_of_squares) best = std::move(moved);
      }
    return best;
  }

  void keep(const LogitsSample& sample, std::size_t most) {
    for (LogitsHypothesis& hypothesis : found_) measure(hypothesis, sample);
    order_by_evidence(found_, least_logits_variance);
    std::size_t place = 0;
    found_.erase(std::remove_if(found_.begin(), found_.end(),
                                [&](const LogitsHypothesis& hypothesis) {
                                  return place++ >= most && !hypothesis.is_expected;
                                }),
                 found_.end());
  }

  const LogitsQuestion& question_;
  LogitsSample few_, some_;
  std::vector<LogitsHypothesis> found_{};
};

void check(const LogitsQuestion& question) {
  const auto queries = static_cast<Index>(question.queries.size());
  const auto keys = static_cast<Index>(question.keys.size());
  const Index heads = question.heads;
  if (heads > 0 && queries > 0 && keys > 0 && question.q.cols() == question.k.cols() &&
      question.q.cols() % 2 == 0 && question.q.rows() == heads * queries &&
      question.k.rows() == heads * keys && question.logits.rows() == heads * queries &&
      question.logits.cols() == keys)
    return;
  throw UsageError(
      fmt::format("logits of {} x {} for q of {} x {} and k of {} x {}", question.logits.rows(),
                  question.logits.cols(), question.q.rows(), question.q.cols(), question.k.rows(),
                  question.k.cols()),
      fmt::format("must be those of {} heads, {} queries and {} keys of an even number of channels",
                  heads, queries, keys),
      "give q, k and logits of the same heads");
}

}  // namespace

LogitsAnswer identify_logits(const LogitsQuestion& question) {
  check(question);
  if (question.q.allFinite() && question.k.allFinite() && is_finite_where_seen(question.logits))
    return LogitsSearch(question).answer();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Index d = question.q.cols();
  const WrittenRope usual{{.d_head = d, .rotary_dims = d, .pairing = RopePairing::half_split}};
  return {.hypotheses = {{.of_q = usual,
                          .of_k = usual,
                          .residual = {.sum_of_squares = nan, .count = 1, .largest = nan}}}};
}

std::string scale_words(double scale, Index d_head, Precision format) {
  const double root = std::sqrt(static_cast<double>(d_head));
  const double near = 4 * unit_roundoff(format);
  const auto is_near = [&](double value) { return std::abs(value - 1) <= near; };
  if (is_near(scale)) return "1";
  if (is_near(scale * root)) return fmt::format("1/√{}", d_head);
  if (is_near(scale * root * root)) return fmt::format("1/{}", d_head);
  return fmt::format("{:.5g}/√{}", scale * root, d_head);
}

}  // namespace orrery
