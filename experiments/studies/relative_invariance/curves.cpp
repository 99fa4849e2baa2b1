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
#include "core/product.h"
#include "core/random.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_style.h"
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
      : tokens_(std::move(tokens)), rounding_(rounding) {
    encoding_ = make_encoding<T>(name, {.d_model = tokens_.x.cols(),
                                        .d_head = tokens_.projections.W_q.cols(),
                                        .heads = layer_heads,
                                        .params = params,
                                        .rounding = rounding_});
    if (adds_to_input()) return;
    q_ = tokens_.projections.queries(tokens_.x);
    k_ = tokens_.projections.keys(tokens_.x);
  }
  Matrix<T> logits_at(const Positions& p) const {
    if (adds_to_input())
      return attention_head<T>(*encoding_, tokens_.projections, {tokens_.x, tokens_.x, p, p}, {},
                               {rounding_})
          .logits;
    return attention_from_qkv<T>(*encoding_, {q_, k_, k_, p, p}, {}, {rounding_}).logits;
  }
  const Encoding& encoding() const { return *encoding_; }

 private:
  bool adds_to_input() const {
    return dynamic_cast<const InputTerm<T>*>(encoding_.get()) != nullptr;
  }

  ShiftedTokens<T> tokens_;
  Matrix<T> q_, k_;  ///< projected once; where positions are added to x, not at all
  StageRounding rounding_;
  std::unique_ptr<Encoding> encoding_;
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
  return std::any_of(stages.begin(), stages.end(), [&](Stage stage) {
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
    curve.relative =
        std::all_of(in.tokens.positions.begin(), in.tokens.positions.end(),
                    [&](Position position) { return position >= *traits.relative_from; });
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

/// The same head in exact, where that is not the pipeline itself.
struct ExactHead {
  std::optional<HeadUnderShift<double>> head;
  Matrix<double> reference;
  Largest change;

  template <class T>
  ExactHead(const std::string& name, const Measurement<T>& in) {
    if (is_exact(in.pipeline)) return;
    head.emplace(name, in.params, tokens_in_fp64(in.tokens), StageRounding{});
    reference = head->logits_at(in.tokens.positions);
  }
  /// The largest distance of a pipeline's logits from those in exact.
  double distance(const Positions& moved, const Matrix<double>& logits) {
    const Matrix<double> exact = head->logits_at(moved);
    change.see(shift_error<double>(reference, exact, Precision::fp64).largest);
    return shift_error<double>(exact, logits, Precision::fp64).largest;
  }
};

template <class T>
ShiftCurve measure_shifts(const std::string& name, const Measurement<T>& in, Progress& progress) {
  const HeadUnderShift<T> head(name, in.params, in.tokens, in.pipeline.rounding);
  ExactHead exact(name, in);
  const Matrix<T> reference = head.logits_at(in.tokens.positions);
  ShiftCurve curve = bounded_curve<T>(name, in, head.encoding());
  for (std::size_t i = 0; i < in.shifts.size(); ++i) {
    checkpoint(progress, i, in.shifts.size(), "shifts of " + curve.label_in_pipeline());
    if (last_position_of(in.tokens.positions) + in.shifts[i] > curve.last_position) break;
    ++curve.known;
    const Positions moved = shifted(in.tokens.positions, in.shifts[i]);
    const Matrix<T> logits = head.logits_at(moved);
    const ShiftError error = shift_error<T>(reference, logits, in.pipeline.format);
    curve.error.push_back(error.largest);
    curve.ulps.push_back(error.ulps);
    if (exact.head) curve.rounding.push_back(exact.distance(moved, logits.template cast<double>()));
  }
  curve.exact_change = exact.head ? exact.change.value() : curve.worst(curve.error);
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  curve.error.resize(in.shifts.size(), unknown);
  curve.ulps.resize(in.shifts.size(), unknown);
  if (exact.head) curve.rounding.resize(in.shifts.size(), unknown);
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
    for (const std::string& of : pipelines) {
      const Pipeline pipeline = pipeline_of(params, of);
      SubProgress part = equal_part(progress, curves.size(), names.size() * pipelines.size());
      curves.push_back(pipeline.arithmetic == Precision::fp64
                           ? measure_shifts<double>(name, {params, wide, pipeline, shifts}, part)
                           : measure_shifts<float>(name, {params, narrow, pipeline, shifts}, part));
    }
  }
  return curves;
}

}  // namespace orrery
