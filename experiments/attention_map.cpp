#include "experiments/attention_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/head.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/data/tokens.h"
#include "experiments/row_table.h"
#include "experiments/shared_params.h"
#include "experiments/tensor_matrix.h"

namespace orrery {
namespace {

constexpr std::int64_t most_tokens = 4096;

/// Read only while no q is given: they describe how q, k, v come from a text.
ParamSpec from_text(ParamSpec spec) {
  spec.used_when = Condition{"q", {""}};
  return spec;
}

ParamSpec tensor_param(const std::string& key, const std::string& what) {
  return {.key = key,
          .symbol = key,
          .description = what + ", [N, d] or [heads, N, d], of a .npy, .npz or .safetensors file.",
          .kind = ParamKind::file,
          .default_value = std::string(),
          .file_types = {"npy", "npz", "safetensors"}};
}

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs{
      encodings_param({"rope"}),
      from_text({.key = "text",
                 .description = "UTF-8 text whose tokens attend to each other.",
                 .kind = ParamKind::file,
                 .default_value = std::string("bundled:the_orrery.txt"),
                 .file_types = {"txt", "*"}}),
      from_text({.key = "unit",
                 .description = "What a token is.",
                 .kind = ParamKind::choice,
                 .default_value = std::string("words"),
                 .choices = {{"words", "words and punctuation, in any script"},
                             {"bytes", "the bytes of the UTF-8 text"}}}),
      {.key = "max_tokens",
       .symbol = "N",
       .unit = "tokens",
       .description = "At most so many tokens, from the start.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{32},
       .min = 1,
       .max = static_cast<double>(most_tokens),
       .logarithmic = true},
      tensor_param("q", "Your own queries"),
      tensor_param("k", "Your own keys"),
      tensor_param("v", "Your own values"),
      from_text(dim_param(64)),
      {.key = "heads",
       .symbol = "H",
       .description = "Heads of the layer; ALiBi's slopes depend on it.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{8},
       .min = 1,
       .max = 256},
      {.key = "head",
       .symbol = "h",
       .description = "Which head is shown, counted from 0.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{0},
       .min = 0,
       .max = 255},
      {.key = "causal",
       .description = "A query sees keys at or behind its own position only.",
       .kind = ParamKind::boolean,
       .default_value = true},
      {.key = "first_position",
       .symbol = "m₀",
       .unit = "tokens",
       .description = "Position of the first token; relative encodings do not feel it.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{0},
       .min = 0,
       .max = 0x1p40},
      {.key = "show",
       .description = "Which maps are drawn; all are written as arrays.",
       .kind = ParamKind::choice_list,
       .default_value = std::vector<std::string>{"weights"},
       .choices = {{"weights", "softmax of the logits, row by row"},
                   {"logits", "the scores, with their scale"},
                   {"terms", "each named term of the logits"}}},
      from_text(
          {.key = "match",
           .description = "Mean logit of a token with itself, by content: how much alike counts.",
           .kind = ParamKind::real,
           .default_value = 4.0,
           .min = 0.0,
           .max = 100.0}),
      from_text(projection_param())};
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

/// What attends to what: either contents x of a text's tokens, or q, k, v as given.
template <class T>
struct Scene {
  std::vector<std::string> labels;  ///< of the tokens, or empty
  Positions positions;
  Matrix<T> x;
  Projections<T> projections;
  Matrix<T> q, k, v;  ///< empty unless given
  bool from_text() const { return q.size() == 0; }
  Index d_head() const { return from_text() ? projections.W_q.cols() : q.cols(); }
};

int head_of(const ParamSet& params) {
  const std::int64_t head = params.integer("head");
  if (head < params.integer("heads")) return static_cast<int>(head);
  throw UsageError(fmt::format("head={}", head),
                   fmt::format("must be below heads={}, counted from 0", params.integer("heads")),
                   fmt::format("try head={}", params.integer("heads") - 1));
}

/// The same vector for the same token type, whatever text it stands in. Its squared norm is
/// match·√d on average, so that x·x/√d is `match`.
template <class T>
Matrix<T> embeddings(const std::vector<std::string>& types, const ParamSet& params) {
  const Index d = params.integer("dim");
  const double deviation = std::sqrt(params.real("match") / std::sqrt(static_cast<double>(d)));
  Matrix<T> x(static_cast<Index>(types.size()), d);
  for (std::size_t i = 0; i < types.size(); ++i) {
    Random random(params.integer("seed"), "embedding of " + types[i]);
    x.row(static_cast<Index>(i)) = normal_matrix<T>(random, 1, d, deviation);
  }
  return x;
}

template <class T>
Scene<T> scene_of_text(const ParamSet& params, const Text& text) {
  const auto unit = params.text("unit") == "bytes" ? TokenUnit::bytes : TokenUnit::words;
  Tokens tokens = tokenize(text, unit, static_cast<std::size_t>(params.integer("max_tokens")));
  const Index d = params.integer("dim");
  const std::int64_t seed = params.integer("seed");
  Scene<T> scene;
  scene.x = embeddings<T>(tokens.types, params);
  scene.labels = std::move(tokens.labels);
  scene.projections = params.text("projection") == "random"
                          ? random_projections<T>(seed, head_of(params), d, d)
                          : Projections<T>::identity(d);
  scene.positions = consecutive_positions(scene.x.rows(), params.integer("first_position"));
  return scene;
}

/// The chosen head, at most max_tokens rows of it.
template <class T>
Matrix<T> chosen_head(const Tensor& tensor, const ParamSet& params) {
  const auto head = tensor.shape.size() == 3 ? static_cast<std::size_t>(head_of(params)) : 0;
  return head_matrix<T>(tensor, head, static_cast<std::size_t>(params.integer("max_tokens")));
}

const Tensor* tensor_of(const Inputs& inputs, std::string_view key) {
  const auto found = inputs.find(key);
  return found == inputs.end() ? nullptr : std::get_if<Tensor>(&found->second);
}

template <class T>
Scene<T> scene_of_tensors(const ParamSet& params, const Inputs& inputs) {
  const Tensor* q = tensor_of(inputs, "q");
  const Tensor* k = tensor_of(inputs, "k");
  const Tensor* v = tensor_of(inputs, "v");
  if (!q || !k)
    throw UsageError(q ? "q without k" : "k or v without q", "attention needs q and k",
                     "give both, q=FILE.npy k=FILE.npy, or neither");
  Scene<T> scene;
  scene.q = chosen_head<T>(*q, params);
  scene.k = chosen_head<T>(*k, params);
  if (scene.q.rows() != scene.k.rows() || scene.q.cols() != scene.k.cols())
    throw DataError(fmt::format("{} and {}", shape_text(*q), shape_text(*k)),
                    "q and k must have the same N and d", "save them from the same head");
  scene.v = v ? chosen_head<T>(*v, params) : scene.k;
  if (scene.v.rows() != scene.k.rows())
    throw DataError(fmt::format("{} and {}", shape_text(*k), shape_text(*v)),
                    "k and v must have the same N", "save them from the same head");
  scene.positions = consecutive_positions(scene.q.rows(), params.integer("first_position"));
  return scene;
}

template <class T>
Scene<T> make_scene(const ParamSet& params, const Inputs& inputs) {
  const bool any_tensor =
      tensor_of(inputs, "q") || tensor_of(inputs, "k") || tensor_of(inputs, "v");
  if (any_tensor) return scene_of_tensors<T>(params, inputs);
  const auto found = inputs.find("text");
  const Text* text = found == inputs.end() ? nullptr : std::get_if<Text>(&found->second);
  if (!text)
    throw UsageError("text=", "names no file", "give text=FILE, or q=FILE.npy and k=FILE.npy");
  return scene_of_text<T>(params, *text);
}

template <class T>
AttentionOutput<T> attend(const std::string& name, const ParamSet& params, const Scene<T>& scene,
                          const Mask& mask) {
  const Index d = scene.d_head();
  const StageRounding rounding = rounding_of(params);
  const int head = head_of(params);
  const auto encoding = make_encoding<T>(name, {.d_model = d,
                                                .d_head = d,
                                                .heads = static_cast<int>(params.integer("heads")),
                                                .params = params,
                                                .rounding = rounding});
  if (scene.from_text())
    return attention_head<T>(*encoding, scene.projections,
                             {scene.x, scene.x, scene.positions, scene.positions, head}, mask,
                             rounding);
  if (dynamic_cast<const InputTerm<T>*>(encoding.get()))
    throw UsageError(fmt::format("encoding={} with q and k", name),
                     "it adds to x before W_q and W_k, which are unknown when q and k are given",
                     "leave q and k out, or choose an encoding that acts on q, k or the scores");
  return attention_from_qkv<T>(*encoding,
                               {scene.q, scene.k, scene.v, scene.positions, scene.positions, head},
                               mask, rounding);
}

using ArrayPtr = std::shared_ptr<const Array>;

template <class T>
ArrayPtr array_of(const Matrix<T>& values, std::string name, std::string description,
                  std::vector<std::string> axes) {
  const auto size = static_cast<std::size_t>(values.size());
  return std::make_shared<const Array>(
      Array{std::move(name),
            std::move(description),
            {static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols())},
            std::move(axes),
            std::vector<T>(values.data(), values.data() + size)});
}

ArrayPtr mask_array(const Mask& mask, Index n) {
  if (mask.allows_everything()) return nullptr;
  Matrix<float> masked(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) masked(i, j) = mask.allows(i, j) ? 0.0f : 1.0f;
  return array_of<float>(masked, "masked", "1 where the query does not see the key",
                         {"query", "key"});
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
    const AttentionOutput<T> out = attend<T>(names[e], params, scene, mask);
    const RowTable::Means means = rows.add<T>(names[e], scene.labels, scene.positions, out.weights);
    result.scalars.push_back(
        {.name = names[e] + "_mean_entropy",
         .unit = "bits",
         .value = means.entropy_bits,
         .description = encoding_label(names[e]) + ": mean entropy of a query's weights"});
    result.scalars.push_back(
        {.name = names[e] + "_mean_distance",
         .unit = "tokens",
         .value = means.distance,
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
