#include "experiments/identify/identify_matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/identify/describe_bias.h"
#include "core/identify/identify_bias.h"

namespace orrery::identify {
namespace {

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

std::string mask_note(const SeenMask& mask) {
  if (mask.rule == MaskRule::none) return "it hides no cell";
  return fmt::format("it {} ({} cells of {:.4g}){}", mask_text(mask), mask.hidden, mask.value,
                     mask.same_for_all ? "" : ", in the first head; others hide other cells");
}

std::string toeplitz_note(const ToeplitzReport& toeplitz, Index queries) {
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

}  // namespace

TensorReport identify_bias_matrix(const std::string& name, const Tensor& bias,
                                  const IdentifyOptions& options) {
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
  report.notes.push_back(mask_note(answer.mask));
  if (!answer.hypotheses.empty())
    report.notes.push_back(toeplitz_note(answer.toeplitz, shape.queries));
  if (!places.note.empty()) report.notes.push_back(places.note);
  return report;
}

}  // namespace orrery::identify
