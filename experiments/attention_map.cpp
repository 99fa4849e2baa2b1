#include "experiments/attention_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/matrix_array.h"
#include "experiments/scene.h"
#include "experiments/shared_params.h"

namespace orrery {
namespace {

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs{encodings_param({"rope"})};
  for (ParamSpec& spec : token_params()) specs.push_back(std::move(spec));
  specs.push_back({.key = "show",
                   .description = "Which maps are drawn; all are written as arrays.",
                   .kind = ParamKind::choice_list,
                   .default_value = std::vector<std::string>{"weights"},
                   .choices = {{"weights", "softmax of the logits, row by row"},
                               {"logits", "the scores, with their scale"},
                               {"terms", "each named term of the logits"}}});
  for (ParamSpec& spec : content_params()) specs.push_back(std::move(spec));
  for (ParamSpec& spec : precision_params("fp32")) specs.push_back(std::move(spec));
  specs.push_back(from_text(seed_param()));
  return with_encoding_params(std::move(specs));
}

ExperimentInfo make_info() {
  return {.name = "attention_map",
          .version = 1,
          .title = "Attention map",
          .question = "Which tokens does each token attend to, and which part of it is position?",
          .equations = {"a_mn = exp(logit_mn) / Σ_j exp(logit_mj)  (2)",
                        "logit_mn = Σ of the encoding's named terms  (6)–(10)"},
          .params = declared_params()};
}

/// What all maps of a run share.
struct MapFrame {
  std::vector<std::string> labels;
  ArrayPtr masked;
  std::string caption;
};

Figure map_figure(const MapFrame& frame, const ArrayPtr& values, std::string title,
                  std::string quantity, std::string symbol, Meaning meaning) {
  Heatmap map{.values = values,
              .masked = frame.masked,
              .x = {.label = "key", .symbol = "n"},
              .y = {.label = "query", .symbol = "m"},
              .quantity = std::move(quantity),
              .symbol = std::move(symbol),
              .meaning = meaning,
              .column_labels = frame.labels,
              .row_labels = frame.labels};
  return {values->name, std::move(title), frame.caption, std::move(map)};
}

struct RowStatistics {
  double entropy_bits{};
  double mean_distance{};
  Index strongest{};
};

template <class T>
RowStatistics statistics_of(const Matrix<T>& weights, const Positions& positions, Index row) {
  RowStatistics s;
  for (Index j = 0; j < weights.cols(); ++j) {
    const auto w = static_cast<double>(weights(row, j));
    if (w > 0) s.entropy_bits -= w * std::log2(w);
    s.mean_distance +=
        w * std::abs(static_cast<double>(relative_position(
                positions[static_cast<std::size_t>(row)], positions[static_cast<std::size_t>(j)])));
    if (weights(row, j) > weights(row, s.strongest)) s.strongest = j;
  }
  return s;
}

/// One line a query, long form: a spreadsheet filters it by encoding.
struct RowTable {
  std::vector<std::string> encoding, query, strongest_key;
  std::vector<double> row, position, entropy, distance, strongest, weight;

  template <class T>
  void add(const std::string& name, const Scene<T>& scene, const Matrix<T>& weights) {
    const auto label = [&](Index i) {
      return scene.labels.empty() ? fmt::format("{}", i)
                                  : scene.labels[static_cast<std::size_t>(i)];
    };
    for (Index i = 0; i < weights.rows(); ++i) {
      const RowStatistics s = statistics_of(weights, scene.positions, i);
      encoding.push_back(name);
      row.push_back(static_cast<double>(i));
      position.push_back(static_cast<double>(scene.positions[static_cast<std::size_t>(i)]));
      query.push_back(label(i));
      entropy.push_back(s.entropy_bits);
      distance.push_back(s.mean_distance);
      strongest.push_back(static_cast<double>(s.strongest));
      strongest_key.push_back(label(s.strongest));
      weight.push_back(static_cast<double>(weights(i, s.strongest)));
    }
  }
  Table finish() && {
    return {
        .name = "queries",
        .caption = "where each query looks: entropy of its weights, mean distance, strongest key",
        .columns = {{"encoding", "", std::move(encoding)},
                    {"query", "", std::move(row)},
                    {"position", "tokens", std::move(position)},
                    {"token", "", std::move(query)},
                    {"entropy", "bits", std::move(entropy)},
                    {"mean_distance", "tokens", std::move(distance)},
                    {"strongest_key", "", std::move(strongest)},
                    {"strongest_token", "", std::move(strongest_key)},
                    {"strongest_weight", "", std::move(weight)}}};
  }
};

double mean_of(const std::vector<double>& values, std::size_t from) {
  double sum = 0;
  for (std::size_t i = from; i < values.size(); ++i) sum += values[i];
  return sum / static_cast<double>(values.size() - from);
}

template <class T>
std::vector<Check> checks_of(const std::string& name, const AttentionOutput<T>& out) {
  const double unit = unit_roundoff(sizeof(T) == 8 ? Precision::fp64 : Precision::fp32);
  const double n = static_cast<double>(out.weights.cols());
  double row_error = 0;
  for (Index i = 0; i < out.weights.rows(); ++i)
    row_error = std::max(row_error, std::abs(static_cast<double>(out.weights.row(i).sum()) - 1.0));
  return {{.name = name + "_rows_sum_to_one",
           .statement = encoding_label(name) + ": the weights of each query sum to 1",
           .equation = "eq. (2)",
           .measured = row_error,
           .bound = (n + 4.0) * unit}};
}

bool shows(const ParamSet& params, const std::string& what) {
  const auto& chosen = params.list("show");
  return std::find(chosen.begin(), chosen.end(), what) != chosen.end();
}

template <class T>
void add_maps(const std::string& name, const ParamSet& params, const MapFrame& frame,
              const AttentionOutput<T>& out, Result& result) {
  const std::string label = encoding_label(name);
  const std::vector<std::string> axes{"query", "key"};
  const auto add = [&](const ArrayPtr& array, bool shown, const std::string& title,
                       const std::string& quantity, const std::string& symbol, Meaning meaning) {
    result.arrays.push_back(array);
    if (shown) result.figures.push_back(map_figure(frame, array, title, quantity, symbol, meaning));
  };
  add(array_of<T>(out.weights, "weights_" + name, "attention weights, rows sum to 1", axes),
      shows(params, "weights"), "Attention weights: " + label, "weight", "a_{mn}",
      Meaning::sequential);
  add(array_of<T>(out.logits, "logits_" + name, "scores before softmax", axes),
      shows(params, "logits"), "Logits: " + label, "logit", "", Meaning::diverging);
  for (const ScoreTerm<T>& term : out.terms) {
    const std::string term_name(term.name);
    std::string words = term_name;
    std::replace(words.begin(), words.end(), '_', ' ');
    add(array_of<T>(term.logits, "term_" + name + "_" + term_name,
                    "the term " + term_name + " of the logits", axes),
        shows(params, "terms"), fmt::format("Term {}: {}", words, label), words, "",
        Meaning::diverging);
  }
  result.arrays.push_back(
      array_of<T>(out.output, "output_" + name, "weighted sums of values", {"query", "channel"}));
}

template <class T>
Result run_in(const ExperimentInfo& info, const ParamSet& params, const Inputs& inputs,
              Progress& progress) {
  const Scene<T> scene = make_scene<T>(params, inputs);
  const Mask mask =
      params.boolean("causal") ? Mask::causal(scene.positions, scene.positions) : Mask();
  const auto n = static_cast<Index>(scene.positions.size());
  const MapFrame frame{scene.labels, mask_array(mask, n), caption_of(params)};
  Result result{.provenance = provenance_of(info, params)};
  result.scalars.push_back({.name = "tokens",
                            .symbol = "N",
                            .unit = "tokens",
                            .value = static_cast<double>(n),
                            .description = "tokens that attend to each other"});
  RowTable rows;
  const std::vector<std::string>& names = params.list("encoding");
  for (std::size_t e = 0; e < names.size(); ++e) {
    const double done = static_cast<double>(e) / static_cast<double>(names.size());
    checkpoint(progress, done, "attention with " + names[e]);
    const auto encoding = scene_encoding<T>(names[e], params, scene);
    const AttentionOutput<T> out = attend_in_scene<T>(*encoding, params, scene, mask);
    const std::size_t first_row = rows.entropy.size();
    rows.add(names[e], scene, out.weights);
    result.scalars.push_back(
        {.name = names[e] + "_mean_entropy",
         .unit = "bits",
         .value = mean_of(rows.entropy, first_row),
         .description = encoding_label(names[e]) + ": mean entropy of a query's weights"});
    result.scalars.push_back(
        {.name = names[e] + "_mean_distance",
         .unit = "tokens",
         .value = mean_of(rows.distance, first_row),
         .description = encoding_label(names[e]) + ": mean distance attended to"});
    for (Check& check : checks_of(names[e], out)) result.checks.push_back(std::move(check));
    add_maps(names[e], params, frame, out, result);
  }
  result.tables.push_back(std::move(rows).finish());
  return result;
}

}  // namespace

const ExperimentInfo& AttentionMap::info() const {
  static const ExperimentInfo info = make_info();
  return info;
}

Result AttentionMap::run(const ParamSet& params, const Inputs& inputs, Progress& progress) const {
  return runs_in_fp64(params) ? run_in<double>(info(), params, inputs, progress)
                              : run_in<float>(info(), params, inputs, progress);
}

}  // namespace orrery
