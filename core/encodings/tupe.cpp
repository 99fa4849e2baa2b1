#include "core/encodings/tupe.h"

#include <fmt/format.h>

#include <cmath>

#include "core/attention/content.h"
#include "core/encodings/t5.h"
#include "core/errors.h"

namespace orrery {
namespace {

constexpr T5Buckets t5_buckets{.buckets = 32, .max_distance = 128, .bidirectional = true};
constexpr Index cls_key_bucket = 32;
constexpr Index cls_query_bucket = 16;
constexpr Index bias_rows = 33;
constexpr double layer_norm_epsilon = 1e-5;

/// Each row less its mean, over its deviation; no affine part.
template <class T>
Matrix<T> layer_normalised(const Matrix<T>& rows) {
  Matrix<T> out = rows;
  const double width = static_cast<double>(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const double mean = rows.row(i).template cast<double>().sum() / width;
    const auto centred = rows.row(i).template cast<double>().array() - mean;
    const double variance = centred.square().sum() / width;
    out.row(i) = (centred / std::sqrt(variance + layer_norm_epsilon)).template cast<T>();
  }
  return out;
}

/// Token i stands in row i + 1.
template <class T>
Matrix<T> rows_at(const Matrix<T>& table, PositionsIn positions) {
  Matrix<T> rows(static_cast<Index>(positions.size()), table.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const Position p = positions[static_cast<std::size_t>(i)];
    if (p < 0 || p + 1 >= table.rows())
      throw UsageError(fmt::format("position {}", p),
                       fmt::format("TUPE's table knows positions 0 to {}", table.rows() - 2),
                       "raise tupe.length or choose an encoding that bears any length");
    rows.row(i) = table.row(p + 1);
  }
  return rows;
}

}  // namespace

Index tupe_bucket(Position query, Position key, bool untie_cls, const StageRounding& rounding) {
  if (untie_cls && query == 0) return cls_query_bucket;
  if (untie_cls && key == 0) return cls_key_bucket;
  return t5_bucket(relative_position(query, key), t5_buckets, rounding);
}

template <class T>
Tupe<T>::Tupe(Weights weights, TupeOptions options, const StageRounding& rounding)
    : weights_(std::move(weights)), options_(options), rounding_(rounding) {
  const bool fits = weights_.table.rows() >= 3 && weights_.U_q.rows() == weights_.table.cols() &&
                    weights_.U_k.rows() == weights_.table.cols() &&
                    weights_.U_q.cols() == weights_.U_k.cols() &&
                    weights_.bias.rows() == bias_rows && weights_.bias.cols() > 0 &&
                    weights_.U_q.cols() % weights_.bias.cols() == 0;
  if (!fits)
    throw UsageError("TUPE's table, U_q, U_k and bias",
                     "must be [L + 2, d_model], [d_model, heads·d_head] twice and [33, heads]",
                     "give arrays of one model");
  for (Matrix<T>* weight : {&weights_.table, &weights_.U_q, &weights_.U_k, &weights_.bias})
    rounding_.apply<T>(Stage::table, *weight);
  weights_.table = rounding_.rounded<T>(Stage::projected, layer_normalised(weights_.table));
}

template <class T>
EncodingInfo Tupe<T>::info() {
  ParamSpec length{.key = "tupe.length",
                   .symbol = "L",
                   .unit = "tokens",
                   .description = "Positions that the table knows: 0 to L − 1.",
                   .kind = ParamKind::integer,
                   .default_value = std::int64_t{512},
                   .min = 1,
                   .max = 1e6,
                   .logarithmic = true};
  ParamSpec cls{.key = "tupe.untie_cls",
                .description = "Whether the token at position 0 is [CLS], with scores of its own.",
                .kind = ParamKind::boolean,
                .default_value = true};
  ParamSpec bias{.key = "tupe.relative_bias",
                 .description = "Whether T5's bias is added (TUPE-R) or not (TUPE-A).",
                 .kind = ParamKind::boolean,
                 .default_value = true};
  const std::string initial = "normal, deviation 0.02 (fairseq's BERT)";
  return {
      .name = "tupe",
      .label = "TUPE",
      .title = "TUPE, untied positional encoding",
      .statement = "Correlates positions apart from contents, with projections of their own.",
      .formula = "logit_mn = q_m·k_n/√(2d) + (p_m U_q)·(p_n U_k)/√(2d) + b_{m,n}",
      .source = "Ke et al. 2021 §3; RoFormer eq. (9)",
      .params = {std::move(length), std::move(cls), std::move(bias)},
      .tables = {{"tupe.table", "[L + 2, d_model]", "Vectors of positions; token i has row i + 1.",
                  initial},
                 {"tupe.U_q", "[d_model, heads·d_head]", "Projects positions of queries.", initial},
                 {"tupe.U_k", "[d_model, heads·d_head]", "Projects positions of keys.", initial},
                 {"tupe.bias_table", "[33, heads]", "T5's bias, and one row for [CLS].", initial}},
      .stages = {Stage::log, Stage::table, Stage::projected}};
}

template <class T>
std::unique_ptr<Tupe<T>> Tupe<T>::make(const EncodingSettings& s) {
  const auto table = [&](const char* name, Index rows, Index columns) {
    return table_of<T>(s, name, rows, columns, initial_deviation);
  };
  const Index width = s.heads * s.d_head;
  return std::make_unique<Tupe>(
      Weights{table("tupe.table", s.params.integer("tupe.length") + 2, s.d_model),
              table("tupe.U_q", s.d_model, width), table("tupe.U_k", s.d_model, width),
              table("tupe.bias_table", bias_rows, s.heads)},
      TupeOptions{s.params.boolean("tupe.untie_cls"), s.params.boolean("tupe.relative_bias")},
      s.rounding);
}

template <class T>
Matrix<T> Tupe<T>::position_term(const ScoreInputs<T>& in) const {
  const Index d = weights_.U_q.cols() / weights_.bias.cols();
  const auto projected = [&](const Matrix<T>& rows, const Matrix<T>& U) {
    return rounding_.rounded<T>(Stage::projected, rows * U.middleCols(in.head * d, d));
  };
  Matrix<T> term =
      scaled_product<T>(projected(rows_at(weights_.table, in.m), weights_.U_q),
                        projected(rows_at(weights_.table, in.n), weights_.U_k), 2, in.scoring);
  if (!options_.untie_cls) return term;
  const Matrix<T> special = weights_.table.topRows(2);
  const Matrix<T> theta = scaled_product<T>(projected(special, weights_.U_q),
                                            projected(special, weights_.U_k), 2, in.scoring);
  for (Index j = 0; j < term.cols(); ++j)
    if (in.n[static_cast<std::size_t>(j)] == 0) term.col(j).setConstant(theta(1, 1));
  for (Index i = 0; i < term.rows(); ++i)  // after the columns: the query wins where both meet
    if (in.m[static_cast<std::size_t>(i)] == 0) term.row(i).setConstant(theta(0, 0));
  return term;
}

template <class T>
IndexMatrix Tupe<T>::table_index(PositionsIn m, PositionsIn n) const {
  return index_matrix_of_positions(m, n, [this](Position query, Position key) {
    return tupe_bucket(query, key, options_.untie_cls, rounding_);
  });
}

template <class T>
std::vector<ScoreTerm<T>> Tupe<T>::score_terms(const ScoreInputs<T>& in) const {
  check_head(in.head, weights_.bias.cols());
  std::vector<ScoreTerm<T>> terms;
  terms.push_back({"content", scaled_product<T>(in.q, in.k, 2, in.scoring)});
  terms.push_back({"position", position_term(in)});
  if (!options_.relative_bias) return terms;
  terms.push_back({"relative_bias", looked_up<T>(weights_.bias, table_index(in.m, in.n), in.head)});
  return terms;
}

template class Tupe<float>;
template class Tupe<double>;

}  // namespace orrery
