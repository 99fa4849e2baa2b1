#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/head.h"
#include "experiments/model/experiment.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/trained_head.h"

namespace orrery {

/// The most tokens that max_tokens asks for.
constexpr std::int64_t most_tokens = 131072;
/// Without max_tokens: of the text that comes with Orrery, so much that it can be read along a map.
constexpr std::int64_t example_words = 32, example_bytes = 48;
/// Without max_tokens: of the user's own text or arrays, as many as a map shows one by one.
constexpr std::int64_t own_tokens = 1024;

/// Positions of the user: a list or a file.
ParamSpec positions_param(const std::string& key, const std::string& description);
/// "positions": of each token, in place of first_position.
ParamSpec token_positions_param();

/// The number as a position of that key. Throws DataError for one that is not whole or lies beyond
/// ±2^53.
Position whole_position(double number, const std::string& key);

/// Those of a positions_param; nothing where none are given. Throws DataError for another shape than
/// [N], and for numbers that are not whole or lie beyond ±2^53.
std::optional<Positions> given_positions(const Inputs& inputs, const std::string& key);

/// Of that many tokens: the first of those given, or consecutive ones from first_position. Throws
/// DataError for fewer numbers than tokens, and as given_positions does.
Positions token_positions(const ParamSet& params, const Inputs& inputs, std::ptrdiff_t tokens);

/// The largest of at least one.
Position last_position_of(PositionsIn positions);

/// The tokens that attend to each other: contents x of a text's tokens, or the user's q, k, v.
/// Random contents are the same for equal tokens in every text.
template <class T>
struct TokenInputs {
  std::vector<std::string> labels;  ///< of the tokens, or empty
  Positions positions;
  Matrix<T> x;
  Projections<T> projections;
  Matrix<T> q, k, v;        ///< empty unless given
  std::size_t available{};  ///< tokens of the text or arrays, of which the first were read; of a
                            ///< text counted up to one more than most_tokens
  std::size_t unknown{};    ///< tokens that a trained model reads as others
  bool from_text() const { return q.size() == 0; }
  Index d_head() const { return from_text() ? projections.W_q.cols() : q.cols(); }
};

/// text, unit, max_tokens, q, k, v, dim, heads, head, causal, positions, first_position.
std::vector<ParamSpec> token_params();
/// contents, trained_layer, match and projection: how a text's tokens become q, k, v.
/// @param by_default  "random" or "trained"
std::vector<ParamSpec> content_params(const char* by_default);

/// How many of the tokens that there are were read.
struct TokensRead {
  std::size_t read{};
  std::size_t available{};
  bool own{};  ///< of the user's text or arrays
  std::size_t unknown{};
  bool of_trained{};  ///< by the model that comes with Orrery
  bool cut() const { return read < available; }
};

template <class T>
TokensRead tokens_read(const ParamSet& params, const TokenInputs<T>& tokens) {
  const bool example = tokens.from_text() && params.text("text").starts_with("bundled:");
  return {tokens.positions.size(), tokens.available, !example, tokens.unknown,
          has_trained_contents(params)};
}

/// "first 32 of 256 tokens"; empty where all were read.
std::string cut_text(const TokensRead& tokens);

/// ", beyond the 64 that the model learned from"; empty within them.
std::string beyond_text(const TokensRead& tokens);

/// caption_of, after what a text's contents are, since readers take a map of words for a model's,
/// and after which tokens were read.
std::string token_caption(const ParamSet& params, const TokensRead& tokens);

/// N, which says how many of the user's own tokens it leaves out.
Scalar token_count(const TokensRead& tokens);
/// The number of tokens read, where max_tokens leaves it to the text.
std::vector<ValueInUse> tokens_in_use(const ParamSet& params, const TokensRead& tokens);

/// Says in the titles which of the user's own tokens the figures show, where they are not all, and
/// where they are more than the model that they are of has learned from.
void title_cut(const TokensRead& tokens, std::vector<Figure>& figures);

/// What a study of tokens begins and ends with, in the arithmetic of the parameters: reads the tokens,
/// checks that every encoding has their positions, states their number and says in titles which of
/// them were read.
/// @param study  gets the tokens, a caption and the result to add to
template <class Study>
Result study_tokens(const ParamSet& params, const Inputs& inputs, const Study& study);

/// Throws UsageError (q without k, no input at all, no such head) and DataError (shapes that do not
/// fit).
template <class T>
TokenInputs<T> token_inputs(const ParamSet& params, const Inputs& inputs);

/// The encoding for these tokens, with the roundings that the parameters ask for.
template <class T>
std::unique_ptr<Encoding> token_encoding(const std::string& name, const ParamSet& params,
                                         const TokenInputs<T>& tokens);

/// Some of the tokens, by their numbers.
struct TokenRange {
  Index first{};
  Index count{};
  PositionsIn of(const Positions& positions) const {
    return PositionsIn(positions).subspan(static_cast<std::size_t>(first),
                                          static_cast<std::size_t>(count));
  }
};

/// Attention of some tokens, the queries, to all of them, some queries at a time, with the
/// roundings that the parameters ask for.
/// @param mask  [queries.count, N]
template <class T>
void attend_tokens(const Encoding& encoding, const ParamSet& params, const TokenInputs<T>& tokens,
                   const TokenRange& queries, const Mask& mask, const RowReader<T>& reader);

template <class Study>
Result study_tokens(const ParamSet& params, const Inputs& inputs, const Study& study) {
  const auto run = [&]<class T>(const TokenInputs<T>& tokens) {
    check_last_position(params, last_position_of(tokens.positions));
    const TokensRead read = tokens_read(params, tokens);
    Result result{.scalars = {token_count(read)}, .in_use = tokens_in_use(params, read)};
    study(tokens, token_caption(params, read), result);
    title_cut(read, result.figures);
    return result;
  };
  return runs_in_fp64(params) ? run(token_inputs<double>(params, inputs))
                              : run(token_inputs<float>(params, inputs));
}

}  // namespace orrery
