#include "experiments/scene.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/data/tokens.h"
#include "experiments/given_qkv.h"
#include "experiments/shared_params.h"

namespace orrery {
namespace {

constexpr std::int64_t most_tokens = 4096;

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

template <class T>
Scene<T> scene_of_files(const ParamSet& params, const GivenQkv& given) {
  const HeadOf<T> head = [&](const Tensor& tensor) { return chosen_head<T>(tensor, params); };
  Scene<T> scene;
  std::tie(scene.q, scene.k) = queries_and_keys<T>(given, head);
  scene.v = values_or_keys<T>(given, scene.k, head);
  scene.positions = consecutive_positions(scene.q.rows(), params.integer("first_position"));
  return scene;
}

}  // namespace

std::vector<ParamSpec> token_params() {
  return {unless_q_is_given({.key = "text",
                             .description = "UTF-8 text whose tokens attend to each other.",
                             .kind = ParamKind::file,
                             .default_value = std::string("bundled:the_orrery.txt"),
                             .file_types = {"txt", "*"}}),
          unless_q_is_given({.key = "unit",
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
          given_param("q", "Your own queries"),
          given_param("k", "Your own keys"),
          given_param("v", "Your own values"),
          unless_q_is_given(dim_param(64)),
          heads_param(),
          {.key = "head",
           .symbol = "h",
           .description = "Which head is shown, counted from 0.",
           .kind = ParamKind::integer,
           .default_value = std::int64_t{0},
           .min = 0,
           .max = 255},
          causal_param(true),
          {.key = "first_position",
           .symbol = "m₀",
           .unit = "tokens",
           .description = "Position of the first token; relative encodings do not depend on it.",
           .kind = ParamKind::integer,
           .default_value = std::int64_t{0},
           .min = 0,
           .max = 0x1p40}};
}

std::vector<ParamSpec> content_params() {
  return {
      unless_q_is_given(
          {.key = "match",
           .description = "Mean logit of a token with itself, by content: how much alike counts.",
           .kind = ParamKind::real,
           .default_value = 4.0,
           .min = 0.0,
           .max = 100.0}),
      unless_q_is_given(projection_param())};
}

template <class T>
Scene<T> make_scene(const ParamSet& params, const Inputs& inputs) {
  if (const GivenQkv given = given_qkv(inputs); given.any())
    return scene_of_files<T>(params, given);
  const auto found = inputs.find("text");
  const Text* text = found == inputs.end() ? nullptr : std::get_if<Text>(&found->second);
  if (!text)
    throw UsageError("text=", "names no file", "give text=FILE, or q=FILE.npy and k=FILE.npy");
  return scene_of_text<T>(params, *text);
}

template <class T>
std::unique_ptr<Encoding> scene_encoding(const std::string& name, const ParamSet& params,
                                         const Scene<T>& scene) {
  const Index d = scene.d_head();
  auto encoding = make_encoding<T>(name, {.d_model = d,
                                          .d_head = d,
                                          .heads = static_cast<int>(params.integer("heads")),
                                          .params = params,
                                          .rounding = rounding_of(params)});
  if (!scene.from_text() && dynamic_cast<const InputTerm<T>*>(encoding.get()))
    throw UsageError(fmt::format("encoding={} with q and k", name),
                     "it adds to x before W_q and W_k, which are unknown when q and k are given",
                     "leave q and k out, or choose an encoding that acts on q, k or the scores");
  return encoding;
}

template <class T>
AttentionOutput<T> attend_in_scene(const Encoding& encoding, const ParamSet& params,
                                   const Scene<T>& scene, const Mask& mask) {
  const StageRounding rounding = rounding_of(params);
  const int head = head_of(params);
  const Positions& p = scene.positions;
  if (scene.from_text())
    return attention_head<T>(encoding, scene.projections, {scene.x, scene.x, p, p, head}, mask,
                             {rounding});
  return attention_from_qkv<T>(encoding, {scene.q, scene.k, scene.v, p, p, head}, mask, {rounding});
}

template Scene<float> make_scene(const ParamSet&, const Inputs&);
template Scene<double> make_scene(const ParamSet&, const Inputs&);
template std::unique_ptr<Encoding> scene_encoding(const std::string&, const ParamSet&,
                                                  const Scene<float>&);
template std::unique_ptr<Encoding> scene_encoding(const std::string&, const ParamSet&,
                                                  const Scene<double>&);
template AttentionOutput<float> attend_in_scene(const Encoding&, const ParamSet&,
                                                const Scene<float>&, const Mask&);
template AttentionOutput<double> attend_in_scene(const Encoding&, const ParamSet&,
                                                 const Scene<double>&, const Mask&);

}  // namespace orrery
