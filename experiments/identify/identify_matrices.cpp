#include "experiments/identify/identify_matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors.h"
#include "experiments/identify/describe_rope.h"
#include "experiments/identify/expected_rope.h"
#include "experiments/identify/identify_bias.h"
#include "experiments/identify/identify_logits.h"
#include "experiments/identify/telling_input.h"

namespace orrery {
namespace {
namespace in_identify_matrices {

struct Shape {
  Index heads, queries, keys;
};

Shape shape_of(const Tensor& tensor) {
  const std::vector<std::size_t>& shape = tensor.shape;
  if (shape.size() < 2 || shape.size() > 4 || tensor.values.empty())
    throw DataError(fmt::format("{} [{}]", tensor.name, fmt::join(shape, ", ")),
                    "must be [N_q, N_k], [H, N_q, N_k] or [B, H, N_q, N_k]",
                    "save the bias or the logits of one layer");
  Index heads = 1;
  for (std::size_t i = 0; i + 2 < shape.size(); ++i) heads *= static_cast<Index>(shape[i]);
  return {heads, static_cast<Index>(shape[shape.size() - 2]), static_cast<Index>(shape.back())};
}

/// Positions of queries and keys, and what was assumed.
struct Places {
  Positions queries{}, keys{};
  std::string note{};
};

Positions counted(Position first, Index count) {
  Positions positions;
  for (Index i = 0; i < count; ++i) positions.push_back(first + i);
  return positions;
}

Places places_of(const Shape& shape, const IdentifyOptions& options) {
  Places places{.keys = counted(0, shape.keys)};
  if (options.positions.empty()) {
    places.queries = counted(shape.keys - shape.queries, shape.queries);
    places.note = fmt::format("keys are assumed at 0 to {}, queries at {} to {}", shape.keys - 1,
                              places.queries.front(), places.queries.back());
    return places;
  }
  if (options.axes != 1 || static_cast<Index>(options.positions.size()) != shape.queries)
    throw DataError(fmt::format("{} positions", options.positions.size()),
                    fmt::format("the matrix has {} queries", shape.queries),
                    "give one position for each query");
  check_positions(options.positions);
  places.queries = options.positions;
  if (shape.keys == shape.queries)
    places.keys = places.queries;
  else
    places.note = fmt::format("keys are assumed at 0 to {}", shape.keys - 1);
  return places;
}

/// Masks say nothing of the precision of the rest.
Precision format_of(const MatrixIn<double>& values, const IdentifyOptions& options) {
  if (!options.format.empty()) return precision_named(options.format);
  Matrix<double> seen = values;
  for (Index i = 0; i < seen.size(); ++i)
    if (hides_cell(seen.data()[i])) seen.data()[i] = 0;
  return narrowest_format(seen);
}

std::string telling_words(const BiasHypothesis& first, const BiasHypothesis& other,
                          const BiasQuestion& question) {
  // The key's position alone against m − n: a constant per query, which one query does not show.
  const auto of_key = [](const WrittenBias& bias) {
    return bias.family == BiasFamily::alibi && bias.form == AlibiForm::key;
  };
  if (of_key(first.bias) != of_key(other.bias))
    return other.tied ? "a second query would tell, by a constant that changes no weights"
                      : "differs by a constant per query, which changes no weights";
  const std::optional<Position> r =
      telling_distance(first.bias, other.bias, question.heads, question.format);
  if (!r) return "differs by less than 8 roundings at every distance up to 4096";
  const std::string key =
      fmt::format("{} {} the query", std::abs(*r), *r < 0 ? "ahead of" : "behind");
  if (!other.tied) return fmt::format("differs at keys {}", key);
  return fmt::format("a key {} would tell", key);
}

HypothesisReport reported(const BiasHypothesis& found, const BiasAnswer& answer,
                          const BiasQuestion& question) {
  HypothesisReport report{.text = short_text(found.bias, question.format),
                          .facts = facts_of(found.bias, question.format),
                          .defect_description = defect_of(found.bias, question.format),
                          .tied = found.tied,
                          .residual = found.residual.rms(),
                          .largest = found.residual.largest,
                          .evidence = found.evidence,
                          .setting = setting_text(found.bias, question.format)};
  if (&found != &answer.best()) report.tells = telling_words(answer.best(), found, question);
  return report;
}

/// 0 where a boolean mask has 1, −inf where it has 0.
Tensor additive_of(Tensor mask) {
  for (double& value : mask.values)
    value = value == 1 ? 0.0 : -std::numeric_limits<double>::infinity();
  return mask;
}

std::string mask_note(const SeenMask& mask) {
  if (mask.hidden == 0) return "it hides no cell";
  return fmt::format("it {} ({} cells of {:.4g}){}", mask_text(mask), mask.hidden, mask.value,
                     mask.same_for_all ? "" : ", in the first head; others hide other cells");
}

std::string toeplitz_note(const BiasAnswer::Toeplitz& toeplitz, Index queries) {
  if (queries == 1) return "one query does not show whether it depends on m − n alone";
  constexpr double rounding = 2;
  if (toeplitz.of_values < rounding)
    return fmt::format("it depends on m − n alone, to {:.2g} roundings", toeplitz.of_values);
  if (toeplitz.of_weights < rounding)
    return fmt::format("weights depend on m − n alone, logits by {:.3g} roundings on m as well",
                       toeplitz.of_values);
  return fmt::format("it does not depend on m − n alone: diagonals vary by {:.3g} roundings",
                     toeplitz.of_values);
}

/// [heads·N, d] of as many heads as the logits have: each head of k stands for several of q.
Matrix<double> rows_of(const Tensor& tensor, Index rows, const Shape& logits) {
  const std::vector<std::size_t>& shape = tensor.shape;
  const bool fits = shape.size() >= 2 && shape.size() <= 4 && !tensor.values.empty() &&
                    static_cast<Index>(shape[shape.size() - 2]) == rows;
  const Index d = shape.empty() ? 1 : static_cast<Index>(shape.back());
  const Index heads = fits ? static_cast<Index>(tensor.values.size()) / (rows * d) : 0;
  if (heads == 0 || logits.heads % heads != 0)
    throw DataError(fmt::format("{} [{}]", tensor.name, fmt::join(shape, ", ")),
                    fmt::format("the logits have {} heads, {} queries and {} keys", logits.heads,
                                logits.queries, logits.keys),
                    "give q and k of the same heads and tokens as the logits");
  const Eigen::Map<const Matrix<double>> values(tensor.values.data(), heads * rows, d);
  Matrix<double> repeated(logits.heads * rows, d);
  for (Index h = 0; h < logits.heads; ++h)
    repeated.middleRows(h * rows, rows) =
        values.middleRows(h / (logits.heads / heads) * rows, rows);
  return repeated;
}

/// Scales are known as well as logits are.
bool same_scale(double a, double b, Precision format) {
  return std::abs(a / b - 1) < 4 * unit_roundoff(format) + 1e-6;
}

/// The ropes with the attention factor of their scaling where the scale holds its square, and what
/// is left of the scale then.
LogitsHypothesis with_factor(LogitsHypothesis found, Precision format) {
  WrittenRope own = found.of_q;
  own.amplitude.reset();
  const double square = amplitude_of(own) * amplitude_of(own);
  const double root = std::sqrt(static_cast<double>(own.d_head));
  const bool holds = square != 1 && same_scale(found.scale * root, square, format);
  if (square != 1 && !holds) return found;
  found.of_q.amplitude.reset();
  found.of_k.amplitude.reset();
  found.scale /= square;
  return found;
}

std::string text_of(const LogitsHypothesis& found, Precision format) {
  const std::string scale = scale_words(found.scale, found.of_q.d_head, format);
  std::string text = short_text(found.of_q);
  if (!computes_same(found.of_q, found.of_k))
    text = fmt::format("q: {} | k: {}", text, short_text(found.of_k));
  return fmt::format("{}; scale {}", text, scale);
}

/// By their distance, since what both share changes no logit.
std::string telling_words(const LogitsHypothesis& first, const LogitsHypothesis& other,
                          const LogitsQuestion& question) {
  const AxisPositions positions = Eigen::Map<const AxisPositions>(
      question.queries.data(), static_cast<Index>(question.queries.size()), 1);
  const RotatedTensor q{.heads = question.heads,
                        .before = question.q,
                        .after = question.q,
                        .positions = positions,
                        .format = question.format};
  const bool by_q = !computes_same(first.of_q, other.of_q);
  const TellingInput input =
      by_q ? telling_input(first.of_q, other.of_q, q) : telling_input(first.of_k, other.of_k, q);
  if (!input.exists) return "differs by less than 8 roundings at every distance up to 4194304";
  const std::string at = fmt::format("random vectors {} token{} apart", input.position,
                                     input.position == 1 ? "" : "s");
  return other.tied ? at + " would tell" : "differs for " + at;
}

HypothesisReport reported(const LogitsHypothesis& hypothesis, const LogitsAnswer& answer,
                          const LogitsQuestion& question) {
  const LogitsHypothesis found = with_factor(hypothesis, question.format);
  HypothesisReport report{.text = text_of(found, question.format),
                          .facts = facts_of(found.of_q),
                          .defect = found.defect,
                          .is_expected = found.is_expected,
                          .tied = found.tied,
                          .residual = found.residual.rms(),
                          .largest = found.residual.largest,
                          .evidence = found.evidence};
  describe_defect(report);
  if (computes_same(found.of_q, found.of_k))
    report.setting = setting_text(found.of_q);
  else
    for (const RopeDifference& difference : differences_of(found.of_q, found.of_k))
      report.facts.emplace_back(difference.field + " of k", difference.b);
  report.facts.emplace_back("scale", scale_words(found.scale, found.of_q.d_head, question.format));
  if (&hypothesis != &answer.best())
    report.tells = telling_words(answer.best(), hypothesis, question);
  return report;
}

void add_hypotheses(const LogitsAnswer& answer, const LogitsQuestion& question, std::size_t most,
                    TensorReport& report) {
  std::vector<LogitsHypothesis> shown;
  for (const LogitsHypothesis& found : answer.hypotheses) {
    if (shown.size() >= most && !found.is_expected) continue;
    const bool repeated =
        std::any_of(shown.begin(), shown.end(), [&](const LogitsHypothesis& other) {
          return other.tied == found.tied && same_but_for_precision(other.of_q, found.of_q) &&
                 same_but_for_precision(other.of_k, found.of_k);
        });
    if (repeated) continue;
    shown.push_back(found);
    report.hypotheses.push_back(reported(found, answer, question));
  }
}

/// By which q·k is multiplied where the layer is as its configuration says, the square of the
/// attention factor included; 0: the file does not say.
double expected_scale(const LayerPlan& layer, const WrittenRope& rope) {
  return layer.softmax_scale * amplitude_of(rope) * amplitude_of(rope);
}

/// Whether both turn alike, whatever the scale takes up.
bool turns_as(const WrittenRope& found, const WrittenRope& right) {
  const std::vector<RopeDifference> differences = differences_of(right, found);
  return std::all_of(differences.begin(), differences.end(), [](const RopeDifference& one) {
    return one.field == "precision" || one.field == "attention factor";
  });
}

/// What is as right as the expected rope is no defect of it.
void expect_as_right(const std::vector<WrittenRope>& as_right, LogitsAnswer& answer) {
  for (LogitsHypothesis& found : answer.hypotheses)
    for (std::size_t i = 1; i < as_right.size(); ++i)
      if (turns_as(found.of_q, as_right[i]) && turns_as(found.of_k, as_right[i])) {
        found.is_expected = true;
        found.defect.clear();
      }
}

void compare_with_expected(const LayerPlan& layer, const LogitsQuestion& question,
                           const LogitsAnswer& answer, TensorReport& report) {
  const WrittenRope& expected = *question.expected;
  const double scale = expected_scale(layer, expected);
  const LogitsHypothesis& first = answer.best();
  const bool right_scale = scale == 0 || same_scale(first.scale, scale, question.format);
  const bool right_ropes =
      std::any_of(answer.hypotheses.begin(), answer.hypotheses.end(),
                  [](const LogitsHypothesis& found) { return found.tied && found.is_expected; });
  report.has_expected = true;
  report.as_expected = answer.explained && right_ropes && right_scale;
  if (scale == 0) report.notes.push_back("the file does not say by what q·k is multiplied");
  if (report.as_expected) return;
  const auto see = [&](const WrittenRope& found, const std::string& of) {
    for (const RopeDifference& difference : differences_of(expected, found))
      if (difference.field != "precision" && difference.field != "attention factor")
        report.deviations.push_back({difference.field + of, difference.a, difference.b});
  };
  if (!right_ropes) {
    const bool both = computes_same(first.of_q, first.of_k);
    see(first.of_q, both ? "" : " of q");
    if (!both) see(first.of_k, " of k");
  }
  if (!right_scale)
    report.deviations.push_back({"scale", scale_words(scale, expected.d_head, question.format),
                                 scale_words(first.scale, expected.d_head, question.format)});
}

}  // namespace in_identify_matrices
}  // namespace

TensorReport identify_logits_matrix(const std::string& name, const Tensor& q, const Tensor& k,
                                    const Tensor& logits, const IdentifyOptions& options) {
  using namespace in_identify_matrices;
  const Shape shape = shape_of(logits);
  const Places places = places_of(shape, options);
  const Matrix<double> queries = rows_of(q, shape.queries, shape);
  const Matrix<double> keys = rows_of(k, shape.keys, shape);
  if (queries.cols() != keys.cols() || queries.cols() % 2 != 0)
    throw DataError(fmt::format("q of {} channels and k of {}", queries.cols(), keys.cols()),
                    "both must have the same even number", "save q and k of one layer");
  const Eigen::Map<const Matrix<double>> values(logits.values.data(), shape.heads * shape.queries,
                                                shape.keys);
  LogitsQuestion question{.heads = shape.heads,
                          .q = queries,
                          .k = keys,
                          .logits = values,
                          .queries = places.queries,
                          .keys = places.keys,
                          .format = format_of(values, options)};
  std::vector<WrittenRope> as_right;
  if (options.expected) {
    const Position last =
        std::max<Position>(*std::max_element(places.queries.begin(), places.queries.end()),
                           *std::max_element(places.keys.begin(), places.keys.end()));
    as_right = expected_ropes(*options.expected, queries.cols(), last, options.length);
    question.expected = as_right.front();
  }
  LogitsAnswer answer = identify_logits(question);
  expect_as_right(as_right, answer);
  TensorReport report{.name = name,
                      .shape = fmt::format("[{}]", fmt::join(logits.shape, ", ")),
                      .format = std::string(orrery::name(question.format)),
                      .explained = answer.explained};
  add_hypotheses(answer, question, options.most, report);
  if (options.expected) compare_with_expected(*options.expected, question, answer, report);
  report.notes.push_back("an offset that queries and keys share changes no logit");
  if (answer.sampled_queries < shape.queries || answer.sampled_keys < shape.keys ||
      answer.sampled_heads < shape.heads)
    report.notes.push_back(fmt::format("residuals are those of {} heads, {} queries and {} keys",
                                       answer.sampled_heads, answer.sampled_queries,
                                       answer.sampled_keys));
  if (!places.note.empty()) report.notes.push_back(places.note);
  return report;
}

TensorReport identify_bias_matrix(const std::string& name, const Tensor& given,
                                  const IdentifyOptions& options) {
  using namespace in_identify_matrices;
  const bool is_boolean = is_boolean_mask(given.values);
  const Tensor bias = is_boolean ? additive_of(given) : given;
  const Shape shape = shape_of(bias);
  const Places places = places_of(shape, options);
  const Eigen::Map<const Matrix<double>> values(bias.values.data(), shape.heads * shape.queries,
                                                shape.keys);
  const BiasQuestion question{.heads = shape.heads,
                              .bias = values,
                              .queries = places.queries,
                              .keys = places.keys,
                              .format = format_of(values, options)};
  const BiasAnswer answer = identify_bias(question);
  TensorReport report{.name = name,
                      .shape = fmt::format("[{}]", fmt::join(bias.shape, ", ")),
                      .format = std::string(orrery::name(question.format)),
                      .one = "bias",
                      .several = "biases",
                      .explained = answer.explained};
  for (const BiasHypothesis& found : answer.hypotheses) {
    if (report.hypotheses.size() >= options.most) break;
    HypothesisReport hypothesis = reported(found, answer, question);
    // Slopes as they are and as they are rounded are one answer.
    const bool repeated =
        std::any_of(report.hypotheses.begin(), report.hypotheses.end(),
                    [&](const HypothesisReport& other) { return other.text == hypothesis.text; });
    if (!repeated) report.hypotheses.push_back(std::move(hypothesis));
  }
  if (is_boolean) {
    report.one = "mask";
    report.several = "masks";
    report.hypotheses = {{.text = mask_text(answer.mask), .tied = true}};
    report.explained = answer.mask.rule != MaskRule::other;
    report.notes.push_back("a boolean mask: 1 where a query sees a key");
  }
  report.notes.push_back(mask_note(answer.mask));
  if (!answer.hypotheses.empty() && !is_boolean)
    report.notes.push_back(toeplitz_note(answer.toeplitz, shape.queries));
  if (!places.note.empty()) report.notes.push_back(places.note);
  return report;
}

}  // namespace orrery
