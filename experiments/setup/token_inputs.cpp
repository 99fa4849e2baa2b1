#include "experiments/setup/token_inputs.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/data/tokens.h"
#include "experiments/files/memory_limit.h"
#include "experiments/model/notices.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/trained_head.h"

namespace orrery {
namespace {

constexpr auto counted_tokens = static_cast<std::size_t>(most_tokens) + 1;

/// max_tokens, or what is read where it is 0.
std::size_t limit_of(const ParamSet& params, std::int64_t by_default) {
  const std::int64_t asked = params.integer("max_tokens");
  return static_cast<std::size_t>(asked > 0 ? asked : by_default);
}

/// Contents, queries, keys and values, as they come and as attention lays them out; and W.
template <class T>
void require_memory_for(std::size_t tokens, Index d) {
  constexpr double per_token = 7, projections = 3;
  const auto channels = static_cast<double>(d);
  require_memory(
      (per_token * static_cast<double>(tokens) + projections * channels) * channels * sizeof(T),
      fmt::format("{} tokens of {} channels", tokens, d), "lower max_tokens or dim");
}

/// The same vector for the same token type in every text. Its squared norm is
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
void add_random_contents(const ParamSet& params, const std::vector<std::string>& types,
                         TokenInputs<T>& tokens) {
  const Index d = params.integer("dim");
  require_memory_for<T>(types.size(), d);
  tokens.x = embeddings<T>(types, params);
  tokens.projections = params.text("projection") == "random"
                           ? random_projections<T>(params.integer("seed"), head_of(params), d, d)
                           : Projections<T>::identity(d);
}

template <class T>
void add_trained_contents(const ParamSet& params, const Text& text, std::size_t limit,
                          TokenInputs<T>& tokens) {
  TrainedHead<T> head =
      trained_head<T>(text.utf8, limit, params.integer("trained_layer"), head_of(params));
  tokens.x = std::move(head.x);
  tokens.projections = std::move(head.projections);
  tokens.unknown = head.unknown;
}

template <class T>
TokenInputs<T> inputs_of_text(const ParamSet& params, const Inputs& inputs, const Text& text) {
  const bool trained = has_trained_contents(params);
  const bool bytes = trained || params.text("unit") == "bytes";
  const auto unit = bytes ? TokenUnit::bytes : TokenUnit::words;
  const bool example = params.text("text").starts_with("bundled:");
  const std::size_t limit = limit_of(params, !example ? (trained ? trained_tokens : own_tokens)
                                             : bytes  ? example_bytes
                                                      : example_words);
  Tokens found = tokenize(text, unit, limit);
  TokenInputs<T> tokens;
  tokens.available = count_tokens(text, unit, counted_tokens);
  if (trained)
    add_trained_contents<T>(params, text, limit, tokens);
  else
    add_random_contents<T>(params, found.types, tokens);
  tokens.labels = std::move(found.labels);
  tokens.positions = token_positions(params, inputs, tokens.x.rows());
  return tokens;
}

/// The chosen head, at most max_tokens rows of it.
template <class T>
Matrix<T> chosen_head(const Tensor& tensor, const ParamSet& params) {
  const auto head = tensor.shape.size() == 3 ? static_cast<std::size_t>(head_of(params)) : 0;
  return head_matrix<T>(tensor, head, limit_of(params, own_tokens));
}

template <class T>
TokenInputs<T> inputs_of_files(const ParamSet& params, const Inputs& inputs, const UserQkv& given) {
  const HeadOf<T> head = [&](const Tensor& tensor) { return chosen_head<T>(tensor, params); };
  TokenInputs<T> tokens;
  std::tie(tokens.q, tokens.k) = queries_and_keys<T>(given, head);
  tokens.v = values_or_keys<T>(given, tokens.k, head);
  tokens.available = rows_of(*given.q);
  tokens.positions = token_positions(params, inputs, tokens.q.rows());
  return tokens;
}

ParamSpec max_tokens_param() {
  return stated_if_set(log_count_param(
      {"max_tokens", "$N$", "tokens"},
      fmt::format("The most tokens that are read, from the first; 0 reads up to {} of your own "
                  "text or arrays, {} with contents=trained, and {} words or {} bytes of the "
                  "text that comes with Orrery.",
                  own_tokens, trained_tokens, example_words, example_bytes),
      0, 0, static_cast<double>(most_tokens)));
}

}  // namespace

Position whole_position(double number, const std::string& key) {
  if (number == std::trunc(number) && std::abs(number) <= static_cast<double>(max_position))
    return static_cast<Position>(number);
  throw DataError(fmt::format("{} with {}", key, number_text(number)),
                  "must be whole numbers within ±2^53",
                  "multiply them by s, and divide RoPE's by rope.scaling=linear rope.factor=s");
}

ParamSpec positions_param(const std::string& key, const std::string& description) {
  ParamSpec spec = array_file_param(key, description);
  spec.symbol.clear();
  return spec;
}

ParamSpec token_positions_param() {
  return positions_param("positions",
                         "Your own positions, [N]: 0..9, 3+1+4, or a .npy, .npz or "
                         ".safetensors file.");
}

std::optional<Positions> given_positions(const Inputs& inputs, const std::string& key) {
  const Tensor* given = tensor_of(inputs, key);
  if (!given) return std::nullopt;
  if (given->shape.size() != 1)
    throw DataError(shape_text(*given), "must be one number per token, [N]",
                    "positions of several axes are the table axis_rope.positions of attend");
  Positions positions;
  for (const double number : given->values) positions.push_back(whole_position(number, key));
  return positions;
}

Positions token_positions(const ParamSet& params, const Inputs& inputs, std::ptrdiff_t tokens) {
  std::optional<Positions> positions = given_positions(inputs, "positions");
  if (!positions) {
    const bool from_first = params.is_used("first_position");
    return consecutive_positions(tokens, from_first ? params.integer("first_position") : 0);
  }
  if (positions->size() < static_cast<std::size_t>(tokens))
    throw DataError(shape_text(*tensor_of(inputs, "positions")),
                    fmt::format("is fewer than the {} tokens", tokens),
                    fmt::format("lower max_tokens to {}", positions->size()));
  positions->resize(static_cast<std::size_t>(tokens));
  return *positions;
}

Position last_position_of(PositionsIn positions) {
  Position last = positions.front();
  for (const Position position : positions)
    if (position > last) last = position;
  return last;
}

std::vector<ParamSpec> token_params() {
  return {unless_q_is_given(file_param("text", "UTF-8 text whose tokens attend to each other.",
                                       {"txt", "*"}, "bundled:the_orrery.txt")),
          of_random_contents(choice_param("unit", "What a token is.", "words",
                                          {{"words", "words and punctuation, in any script"},
                                           {"bytes", "the bytes of the UTF-8 text"}})),
          max_tokens_param(),
          user_param("q", "Your own queries"),
          user_param("k", "Your own keys"),
          user_param("v", "Your own values"),
          of_random_contents(dim_param(64)),
          heads_param(),
          count_param({"head", "$h$"}, "Which head is shown, counted from 0.", 0, 0, 255),
          causal_param(true),
          token_positions_param(),
          read_while("positions", {""},
                     count_param({"first_position", "$m₀$", "tokens"},
                                 "Position of the first token; relative encodings do not depend "
                                 "on it.",
                                 0, 0, 0x1p40))};
}

std::vector<ParamSpec> content_params(const char* by_default) {
  return {unless_q_is_given(contents_param(by_default)), trained_layer_param("contents"),
          of_random_contents(real_param(
              "match", "Mean logit of a token with itself, by content alone.", 4, 0, 100)),
          of_random_contents(projection_param())};
}

std::string cut_text(const TokensRead& tokens) {
  if (!tokens.cut()) return {};
  const auto most = static_cast<std::size_t>(most_tokens);
  // A text is not counted further; arrays are.
  const bool and_more = tokens.available == counted_tokens;
  return cut_notice(tokens.read, and_more ? most : tokens.available, and_more);
}

std::string beyond_text(const TokensRead& tokens) {
  return tokens.of_trained ? beyond_trained(static_cast<std::int64_t>(tokens.read)) : "";
}

std::string token_caption(const ParamSet& params, const TokensRead& tokens) {
  std::string caption;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) caption += part + " · ";
  };
  if (has_trained_contents(params))
    add(fmt::format("contents: layer {}, head {} of {}; {}", params.integer("trained_layer"),
                    params.integer("head"), trained_model, trained_notice));
  else if (params.text("q").empty())
    add(fmt::format("contents: a random vector for each word, the same wherever it stands; {}",
                    untrained_notice));
  if (tokens.unknown > 0)
    add(fmt::format("{} bytes that it never saw are read as spaces", tokens.unknown));
  add(cut_text(tokens));
  return caption + caption_of(params);
}

Scalar token_count(const TokensRead& tokens) {
  const bool said = tokens.own && tokens.cut();
  const std::string which = said ? cut_text(tokens) : "tokens";
  return {.name = "tokens",
          .symbol = "$N$",
          .unit = "tokens",
          .value = static_cast<double>(tokens.read),
          .description = which + " that attend to each other" + beyond_text(tokens)};
}

std::vector<ValueInUse> tokens_in_use(const ParamSet& params, const TokensRead& tokens) {
  if (params.integer("max_tokens") > 0) return {};
  return {{.key = "max_tokens", .value = static_cast<double>(tokens.read)}};
}

void title_cut(const TokensRead& tokens, std::vector<Figure>& figures) {
  if (tokens.own && tokens.cut())
    for (Figure& figure : figures) figure.title += ", " + cut_text(tokens);
  for (Figure& figure : figures) figure.title += beyond_text(tokens);
}

template <class T>
TokenInputs<T> token_inputs(const ParamSet& params, const Inputs& inputs) {
  if (const UserQkv given = user_qkv(inputs); given.any())
    return inputs_of_files<T>(params, inputs, given);
  const auto found = inputs.find("text");
  const Text* text = found == inputs.end() ? nullptr : std::get_if<Text>(&found->second);
  if (!text)
    throw UsageError("text=", "names no file", "give text=FILE, or q=FILE.npy and k=FILE.npy");
  return inputs_of_text<T>(params, inputs, *text);
}

template <class T>
std::unique_ptr<Encoding> token_encoding(const std::string& name, const ParamSet& params,
                                         const TokenInputs<T>& tokens) {
  const Index d = tokens.d_head();
  return make_encoding<T>(name, {.d_model = tokens.from_text() ? tokens.x.cols() : d,
                                 .d_head = d,
                                 .heads = static_cast<int>(params.integer("heads")),
                                 .params = params,
                                 .rounding = rounding_of(params)});
}

template <class T>
void attend_tokens(const Encoding& encoding, const ParamSet& params, const TokenInputs<T>& tokens,
                   const TokenRange& queries, const Mask& mask, const RowReader<T>& reader) {
  const Scoring scoring{.rounding = rounding_of(params), .rule = logit_rule_of(params)};
  const int head = head_of(params);
  const Positions& n = tokens.positions;
  const PositionsIn m = queries.of(n);
  const auto rows = [&](const Matrix<T>& all) -> MatrixIn<T> {
    return all.middleRows(queries.first, queries.count);
  };
  if (tokens.from_text())
    return attention_head_by_rows<T>(encoding, tokens.projections,
                                     {rows(tokens.x), tokens.x, m, n, head}, mask, scoring, reader);
  attention_from_qkv_by_rows<T>(encoding, {rows(tokens.q), tokens.k, tokens.v, m, n, head}, mask,
                                scoring, reader);
}

template TokenInputs<float> token_inputs(const ParamSet&, const Inputs&);
template TokenInputs<double> token_inputs(const ParamSet&, const Inputs&);
template std::unique_ptr<Encoding> token_encoding(const std::string&, const ParamSet&,
                                                  const TokenInputs<float>&);
template std::unique_ptr<Encoding> token_encoding(const std::string&, const ParamSet&,
                                                  const TokenInputs<double>&);
template void attend_tokens(const Encoding&, const ParamSet&, const TokenInputs<float>&,
                            const TokenRange&, const Mask&, const RowReader<float>&);
template void attend_tokens(const Encoding&, const ParamSet&, const TokenInputs<double>&,
                            const TokenRange&, const Mask&, const RowReader<double>&);

}  // namespace orrery
