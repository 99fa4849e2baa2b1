#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/attention/head.h"
#include "experiments/model/experiment.h"

namespace orrery::setup {

/// The most tokens that max_tokens asks for.
constexpr std::int64_t most_tokens = 131072;

/// The tokens that attend to each other: contents x of a text's tokens, or the user's q, k, v.
/// Equal tokens have equal vectors in every text.
template <class T>
struct TokenInputs {
  std::vector<std::string> labels;  ///< of the tokens, or empty
  Positions positions;
  Matrix<T> x;
  Projections<T> projections;
  Matrix<T> q, k, v;  ///< empty unless given
  bool from_text() const { return q.size() == 0; }
  Index d_head() const { return from_text() ? projections.W_q.cols() : q.cols(); }
};

/// text, unit, max_tokens, q, k, v, dim, heads, head, causal, positions, first_position.
std::vector<ParamSpec> token_params();
/// match and projection: how a text's tokens become q, k, v.
std::vector<ParamSpec> content_params();

/// caption_of, after what a text's contents are: readers take a map of words for a model's.
std::string token_caption(const ParamSet& params);

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

}  // namespace orrery::setup
