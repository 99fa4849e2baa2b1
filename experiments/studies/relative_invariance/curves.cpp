#include "experiments/studies/relative_invariance/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "core/analysis/invariance.h"
#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/parallel.h"
#include "core/product.h"
#include "core/random.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/token_inputs.h"
#include "experiments/setup/trained_head.h"

namespace orrery {
namespace {

/// Whether no stage has a format of its own.
bool runs_as_named(const Pipeline& pipeline) {
  const StageRounding& named = find_pipeline(pipeline.name).rounding;
  for (std::size_t i = 0; i < stage_count; ++i)
    if (const auto stage = static_cast<Stage>(i);
        pipeline.rounding.format(stage) != named.format(stage))
      return false;
  return true;
}

/// The tokens, in the arithmetic T.
template <class T>
struct ShiftedTokens {
  Matrix<T> x;
  Positions positions;
  Projections<T> projections;
};

template <class T>
ShiftedTokens<T> draw_tokens(const ParamSet& params) {
  const std::int64_t seed = params.integer("seed");
  Random contents(seed, "contents of relative_invariance");
  Random places(seed, "positions of relative_invariance");
  ShiftedTokens<T> tokens;
  if (has_trained_contents(params)) {
    TrainedHead<T> head = trained_head_of_example<T>(params, params.integer("tokens"));
    tokens.x = std::move(head.x);
    tokens.projections = std::move(head.projections);
  } else {
    const Index d = params.integer("dim");
    tokens.x = normal_matrix<T>(contents, params.integer("tokens"), d);
    tokens.projections = params.text("projection") == "random"
                             ? random_projections<T>(seed, 0, d, d)
                             : Projections<T>::identity(d);
  }
  for (Index i = 0; i < tokens.x.rows(); ++i)
    tokens.positions.push_back(places.integer(params.integer("span")));
  return tokens;
}

/// Logits at any positions, in the arithmetic T.
template <class T>
class HeadUnderShift {
 public:
  HeadUnderShift(const std::string& name, const ParamSet& params, ShiftedTokens<T> tokens,
                 StageRounding rounding)
      : tokens_(std::move(tokens)),
        rounding_(rounding),
        encoding_(make_encoding<T>(name, {.d_model = tokens_.x.cols(),
                                          .d_head = tokens_.projections.W_q.cols(),
                                          .heads = layer_heads,
                                          .params = params,
                                          .rounding = rounding_})),
        added_(dynamic_cast<const InputTerm<T>*>(encoding_.get())) {
    if (added_) return;
    q_ = tokens_.projections.queries(tokens_.x);
    k_ = tokens_.projections.keys(tokens_.x);
  }
  Matrix<T> logits_at(const Positions& p) const {
    if (!added_) return logits_of({q_, k_, k_, p, p});
    Matrix<T> x = tokens_.x;
    added_->add_to_input(p, x);
    const Matrix<T> q = tokens_.projections.queries(x), k = tokens_.projections.keys(x);
    return logits_of({q, k, k, p, p, 0, {}, &x});
  }
  const Encoding& encoding() const { return *encoding_; }

 private:
  Matrix<T> logits_of(const AttentionInputs<T>& in) const {
    return attention_logits<T>(in, SoftmaxDoors<T>::of(*encoding_), {rounding_}).logits;
  }

  ShiftedTokens<T> tokens_;
  Matrix<T> q_, k_;  ///< projected once; where positions are added to x, not at all
  StageRounding rounding_;
  std::unique_ptr<Encoding> encoding_;
  const InputTerm<T>* added_;
};

/// The same numbers in fp64: what the arithmetic of T should have computed with.
template <class T>
ShiftedTokens<double> tokens_in_fp64(const ShiftedTokens<T>& tokens) {
  const auto wide = [](const Matrix<T>& m) { return Matrix<double>(m.template cast<double>()); };
  const Projections<T>& w = tokens.projections;
  return {wide(tokens.x), tokens.positions, {wide(w.W_q), wide(w.W_k), wide(w.W_v)}};
}

/// Whether a relative encoding's scores are functions of m − n in the pipeline: the formats of
/// positions and distances hold every one that occurs, and angles are formed exactly.
bool keeps_positions(const Encoding& encoding, const StageRounding& rounding, Position largest) {
  const bool turns = dynamic_cast<const QkTransform<float>*>(&encoding) ||
                     dynamic_cast<const QkTransform<double>*>(&encoding);
  return (!turns || !rounding.rounds(Stage::angle)) &&
         holds_whole_numbers(rounding.format(Stage::position), largest);
}

/// Whether positions, angles or distances of this encoding become infinite in fp16. Angles are as
/// large as positions, distances as the largest of them before a shift.
bool overflows_fp16(const std::string& encoding, const StageRounding& rounding, Position unshifted,
                    Position shifted) {
  constexpr Position largest_fp16 = 65504;
  const std::vector<Stage>& stages = find_encoding(encoding).info.stages;
  return std::ranges::any_of(stages, [&](Stage stage) {
    if (rounding.format(stage) != Precision::fp16) return false;
    if (stage == Stage::distance) return unshifted > largest_fp16;
    return (stage == Stage::position || stage == Stage::angle) && shifted > largest_fp16;
  });
}

/// The formats of those stages at which this encoding's scores lose digits. Positions, distances
/// and angles are not among them: where they are rounded, a shift changes more than digits.
StageRounding rounding_of_scores(const std::string& encoding, const StageRounding& rounding) {
  StageRounding kept;
  const auto keep = [&](Stage stage) { kept.set(stage, rounding.format(stage)); };
  for (const Stage stage : score_stages()) keep(stage);
  for (const Stage stage : find_encoding(encoding).info.stages)
    if (stage > Stage::angle) keep(stage);
  return kept;
}

template <class T>
struct Measurement {
  const ParamSet& params;
  const ShiftedTokens<T>& tokens;
  const Pipeline& pipeline;
  const std::vector<Position>& shifts;
};

template <class T>
ShiftCurve bounded_curve(const std::string& name, const Measurement<T>& in,
                         const Encoding& encoding) {
  const StageRounding& rounding = in.pipeline.rounding;
  Matrix<T> q = product<T>(in.tokens.x, in.tokens.projections.W_q);
  Matrix<T> k = product<T>(in.tokens.x, in.tokens.projections.W_k);
  if (const auto* terms = dynamic_cast<const ScoreTerms<T>*>(&encoding)) {
    q = terms->product_sizes(q);
    k = terms->product_sizes(k);
  }
  const Position last = last_position_of(in.tokens.positions);
  const EncodingTraits traits = encoding.traits();
  ShiftCurve curve{.encoding = name,
                   .pipeline = in.pipeline,
                   .compared = in.params.list("precision").size() > 1,
                   .relative = traits.relative,
                   .reads_context = traits.reads_other_keys,
                   .last_position = traits.last_position};
  // Behind the last patch there is text alone, and shifts go on from there.
  if (traits.relative_from)
    curve.relative = std::ranges::all_of(
        in.tokens.positions, [&](Position position) { return position >= *traits.relative_from; });
  curve.bound = invariance_bound<T>(q, k, rounding_of_scores(name, rounding));
  curve.overflows = overflows_fp16(name, rounding, last, last + in.shifts.back());
  curve.exact_positions = keeps_positions(encoding, rounding, last + in.shifts.back());
  if (const TurningPairs pairs = encoding.turning_pairs(); !pairs.channels.empty()) {
    const double gain = pairs.gain * pairs.gain;
    Largest fastest(1.0);  // rad per token
    for (const double theta : pairs.theta) fastest.see(theta);
    curve.bound *= gain;
    for (const Position s : in.shifts)
      curve.angle_bound.push_back(gain * fastest.value() *
                                  angle_rounding_bound<T>(q, k, rounding, last + s));
  }
  return curve;
}

/// A head in exact, which all pipelines with the same tokens are compared with.
class ExactHead {
 public:
  ExactHead(const std::string& name, const ParamSet& params, const ShiftedTokens<double>& tokens,
            std::size_t shifts)
      : head_(name, params, tokens, StageRounding{}),
        reference_(head_.logits_at(tokens.positions)),
        shifted_(shifts),
        change_(shifts) {}
  /// Logits at shift `i`, which the first pipeline that asks computes. Callable for different
  /// shifts at once.
  const Matrix<double>& at(std::size_t i, const Positions& moved) {
    if (shifted_[i].size() > 0) return shifted_[i];
    shifted_[i] = head_.logits_at(moved);
    change_[i] = shift_error<double>(reference_, shifted_[i], Precision::fp64).largest;
    return shifted_[i];
  }
  /// The largest of a logit over the shifts that were asked for.
  double change() const { return largest_of(change_); }

 private:
  HeadUnderShift<double> head_;
  Matrix<double> reference_;
  std::vector<Matrix<double>> shifted_;
  std::vector<double> change_;
};

/// How many of the shifts, which grow, are no longer than this.
std::size_t known_shifts(const std::vector<Position>& shifts, Position longest) {
  return static_cast<std::size_t>(std::ranges::upper_bound(shifts, longest) - shifts.begin());
}

/// @param shared  of the pipelines with the same tokens; made by the first that is not exact itself
template <class T>
ShiftCurve measure_shifts(const std::string& name, const Measurement<T>& in,
                          std::optional<ExactHead>& shared, Progress& progress) {
  const HeadUnderShift<T> head(name, in.params, in.tokens, in.pipeline.rounding);
  const std::size_t shifts = in.shifts.size();
  if (!is_exact(in.pipeline) && !shared)
    shared.emplace(name, in.params, tokens_in_fp64(in.tokens), shifts);
  ExactHead* exact = is_exact(in.pipeline) ? nullptr : &*shared;
  const Matrix<T> reference = head.logits_at(in.tokens.positions);
  ShiftCurve curve = bounded_curve<T>(name, in, head.encoding());
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  curve.error.resize(shifts, unknown);
  curve.ulps.resize(shifts, unknown);
  if (exact) curve.rounding.resize(shifts, unknown);
  const auto measure = [&](std::size_t i) {
    const Positions moved = shifted(in.tokens.positions, in.shifts[i]);
    const Matrix<T> logits = head.logits_at(moved);
    const ShiftError error = shift_error<T>(reference, logits, in.pipeline.format);
    curve.error[i] = error.largest;
    curve.ulps[i] = error.ulps;
    if (exact)
      curve.rounding[i] =
          largest_difference<double>(logits.template cast<double>(), exact->at(i, moved));
  };
  curve.known =
      known_shifts(in.shifts, curve.last_position - last_position_of(in.tokens.positions));
  constexpr std::size_t at_once = 8;
  for (std::size_t first = 0; first < curve.known; first += at_once) {
    checkpoint(progress, first, shifts, "shifts of " + curve.label_in_pipeline());
    const std::size_t left = curve.known - first, count = left < at_once ? left : at_once;
    in_parallel(static_cast<std::ptrdiff_t>(count), threads_or_all(0), [&] {
      return [&](std::ptrdiff_t i) { measure(first + static_cast<std::size_t>(i)); };
    });
  }
  curve.exact_change = exact ? exact->change() : curve.worst(curve.error);
  return curve;
}

}  // namespace

std::string ShiftCurve::label() const { return encoding_label(encoding); }

std::string ShiftCurve::label_in_pipeline() const {
  return fmt::format("{} in {}{}", label(), pipeline.name,
                     runs_as_named(pipeline) ? "" : " with stages as set");
}

double ShiftCurve::worst(const std::vector<double>& values) const {
  if (known == 0) return std::numeric_limits<double>::quiet_NaN();
  return largest_of(std::span(values).first(known));
}

double ShiftCurve::worst_share() const {
  std::vector<double> shares;
  for (std::size_t i = 0; i < known; ++i) shares.push_back(error[i] / (bound + angle_bound[i]));
  return worst(shares);
}

std::vector<ShiftCurve> measure_all(const ParamSet& params, const std::vector<Position>& shifts,
                                    Progress& progress) {
  const auto wide = draw_tokens<double>(params);
  const auto narrow = draw_tokens<float>(params);
  const std::vector<std::string>& names = params.list("encoding");
  const std::vector<std::string>& pipelines = params.list("precision");
  std::vector<ShiftCurve> curves;
  for (const std::string& name : names) {
    std::optional<ExactHead> of_wide, of_narrow;
    for (const std::string& of : pipelines) {
      const Pipeline pipeline = pipeline_of(params, of);
      SubProgress part = equal_part(progress, curves.size(), names.size() * pipelines.size());
      curves.push_back(
          pipeline.arithmetic == Precision::fp64
              ? measure_shifts<double>(name, {params, wide, pipeline, shifts}, of_wide, part)
              : measure_shifts<float>(name, {params, narrow, pipeline, shifts}, of_narrow, part));
    }
  }
  return curves;
}

}  // namespace orrery
