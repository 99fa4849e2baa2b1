#include "core/encodings/tupe.h"

#include <fmt/format.h>

#include "core/attention/content.h"
#include "core/attention/tiles.h"
#include "core/encodings/common_formulas.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/t5.h"
#include "core/errors.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

constexpr T5Buckets t5_buckets{.buckets = 32, .max_distance = 128, .bidirectional = true};
constexpr Index cls_key_bucket = 32;
constexpr Index cls_query_bucket = 16;
constexpr Index no_bucket = -1;
constexpr double pytorch_epsilon = 1e-5;  // PyTorch's, which the authors leave as it is
constexpr double unit_deviation = 1.0;

Index bias_rows(TupeVariant variant) { return variant == TupeVariant::released ? 33 : 32; }

/// Sets what belongs to the query [CLS] and to the key [CLS]; the query's wins where both meet.
template <class Value>
void set_pairs_of_cls(PositionsIn m, PositionsIn n, Value of_query, Value of_key,
                      Matrix<Value>& pairs) {
  for (Index j = 0; j < pairs.cols(); ++j)
    if (n[static_cast<std::size_t>(j)] == 0) pairs.col(j).setConstant(of_key);
  for (Index i = 0; i < pairs.rows(); ++i)
    if (m[static_cast<std::size_t>(i)] == 0) pairs.row(i).setConstant(of_query);
}

template <class T>
bool is_row(const Matrix<T>& row, Index columns) {
  return row.size() == 0 || (row.rows() == 1 && row.cols() == columns);
}

template <class T>
Matrix<T> gathered(const Matrix<T>& table, const std::vector<Index>& rows) {
  Matrix<T> found(static_cast<Index>(rows.size()), table.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    found.row(static_cast<Index>(i)) = table.row(rows[i]);
  return found;
}

template <class T>
void fill_in(Matrix<T>& row, Index columns, T value) {
  if (row.size() == 0) row = Matrix<T>::Constant(1, columns, value);
}

}  // namespace

template <class T>
void Tupe<T>::check_weights() const {
  const Weights& w = weights_;
  const Index width = w.U_q.cols(), heads = w.bias.cols(), d_model = w.table.cols();
  const bool fits = w.table.rows() > first_row() && w.U_q.rows() == d_model &&
                    w.U_k.rows() == d_model && w.U_k.cols() == width &&
                    w.bias.rows() == bias_rows(options_.variant) && heads > 0 && width % heads == 0;
  if (!fits)
    throw UsageError(
        "TUPE's table, U_q, U_k and bias",
        fmt::format("must be [{}, d_model], [d_model, heads·d_head] twice and [{}, heads]",
                    released() ? "L + 1" : "L", bias_rows(options_.variant)),
        "give arrays of one model");
  if (!released() && options_.untie_cls && (w.theta.rows() != 2 || w.theta.cols() != heads))
    throw UsageError(fmt::format("theta of shape [{}, {}]", w.theta.rows(), w.theta.cols()),
                     fmt::format("must be [2, {}]: θ_1 and θ_2 of each head", heads),
                     "give both, or tie [CLS] to the other positions");
  if (!is_row(w.b_q, width) || !is_row(w.b_k, width) || !is_row(w.norm_gain, d_model) ||
      !is_row(w.norm_bias, d_model))
    throw UsageError("TUPE's b_q, b_k, norm_gain and norm_bias",
                     "must be [1, heads·d_head] and [1, d_model], twice each",
                     "give arrays of one model, or none");
}

/// Empty weights start as the authors start them.
template <class T>
void Tupe<T>::fill_in_released() {
  Weights& w = weights_;
  fill_in<T>(w.b_q, w.U_q.cols(), 0);
  fill_in<T>(w.b_k, w.U_k.cols(), 0);
  fill_in<T>(w.norm_gain, w.table.cols(), 1);
  fill_in<T>(w.norm_bias, w.table.cols(), 0);
}

template <class T>
Tupe<T>::Tupe(Weights weights, TupeOptions options, const StageRounding& rounding)
    : weights_(std::move(weights)), options_(options), rounding_(rounding) {
  check_weights();
  if (released()) fill_in_released();
  Weights& w = weights_;
  for (Matrix<T>* weight :
       {&w.table, &w.U_q, &w.U_k, &w.bias, &w.theta, &w.b_q, &w.b_k, &w.norm_gain, &w.norm_bias})
    rounding_.apply<T>(Stage::table, *weight);
  if (!released()) return;
  given_table_ = w.table;
  w.table = rounding_.rounded<T>(
      Stage::projected, layer_normalised(w.table, w.norm_gain, w.norm_bias, pytorch_epsilon));
}

template <class T>
// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
EncodingInfo Tupe<T>::info() {
  ParamSpec variant = choice_param(
      "tupe.variant", "Whose TUPE: what $p_i$ is, and what the token [CLS] at position 0 gets.",
      "paper",
      {{"paper", "$p_i$ row $i$, no LayerNorm, no biases; [CLS] has $θ_1$, $θ_2$, free numbers"},
       {"released",
        "$p_i$ row $i + 1$ after LayerNorm (epsilon 1e-5), $U$ with biases; $θ_1$, $θ_2$ from "
        "rows 0 and 1, and two more buckets in $b$"}});
  ParamSpec length = log_count_param({"tupe.length", "$L$", "tokens"},
                                     "Positions in the table: 0 to $L − 1$.", 512, 1, 1e6);
  ParamSpec cls = flag_param(
      "tupe.untie_cls", "Whether the token at position 0 is [CLS], with scores of its own.", true);
  ParamSpec bias = flag_param("tupe.relative_bias",
                              "Whether T5's bias is added (TUPE-R) or not (TUPE-A).", true);
  const std::string initial = "normal, deviation 0.02 (fairseq's BERT)";
  return {
      .name = "tupe",
      .label = "TUPE",
      .title = "TUPE, untied positional encoding",
      .statement = "Correlates positions separately from contents, with projections of their own.",
      .source = "Ke et al. 2021 §3; guolinke/TUPE; RoFormer eq. (9)",
      .formulas =
          {{R"(\ell_{m,n} = (\mathbf{q}_m^\top \mathbf{k}_n + \mathbf{p}_m^\top \mathbf{U}_q^\top \mathbf{U}_k \mathbf{p}_n) / \sqrt{2d} + b_{m,n})",
            "Ke et al. 2021"},
           {R"(\text{with untie_cls, in place of the last two: } \theta_1 \text{ where } m = 0, \text{ else } \theta_2 \text{ where } n = 0)",
            "", in_descriptions},
           {R"(\text{variant=released: } \mathbf{p}_i = \mathrm{LayerNorm}(\mathrm{table})_{i+1}, \quad \mathbf{U}_q^\top \mathbf{p}_m + \mathbf{b}_q, \quad \mathbf{U}_k^\top \mathbf{p}_n + \mathbf{b}_k, \quad \theta \text{ in place of the middle term alone})",
            "", in_descriptions}},
      .symbols = {query_vector_meaning,
                  key_vector_meaning,
                  {"U_q", "projection of position vectors to queries"},
                  {"U_k", "projection of position vectors to keys"}},
      .params = {std::move(variant), std::move(length), std::move(cls), std::move(bias)},
      .tables =
          {{"tupe.table", "[L, d_model], released [L + 1, d_model]",
            "Vectors of positions: token $i$ has row $i$, released row $i + 1$, and $θ_1$, $θ_2$ "
            "from rows 0, 1.",
            "normal, deviation 1 (the paper names none), released 0.02 before the LayerNorm"},
           {"tupe.U_q", "[d_model, heads·d_head]", "Projects positions of queries.", initial},
           {"tupe.U_k", "[d_model, heads·d_head]", "Projects positions of keys.", initial},
           {"tupe.theta", "[2, heads]",
            "With variant=paper and untie_cls only: $θ_1$ in row 0, $θ_2$ in row 1.", initial},
           {"tupe.b_q", "[1, heads·d_head]", "With variant=released only: bias of $U_q$.", "zeros"},
           {"tupe.b_k", "[1, heads·d_head]", "With variant=released only: bias of $U_k$.", "zeros"},
           {"tupe.norm_gain", "[1, d_model]",
            "With variant=released only: weight of the LayerNorm.", "ones"},
           {"tupe.norm_bias", "[1, d_model]", "With variant=released only: bias of the LayerNorm.",
            "zeros"},
           {"tupe.bias_table", "[32, heads], released [33, heads]",
            "T5's bias by bucket; released row 16 is for the query [CLS], row 32 for the key.",
            initial}},
      .length_param = "tupe.length",
      .stages = {Stage::log, Stage::table, Stage::projected},
      .term_symbols = {
          {"relative_bias", R"(b_{m,n})"},
          {"position", R"(\mathbf{p}_m^\top \mathbf{U}_q^\top \mathbf{U}_k \mathbf{p}_n)"}}};
}

template <class T>
void Tupe<T>::check(const EncodingSettings& s) {
  check_table_size("tupe.table", s.params.integer("tupe.length"), s.d_model,
                   "tupe.length or the channels");
  check_table_size("tupe.U_q", s.d_model, s.heads * s.d_head, "heads or the channels");
}

template <class T>
std::unique_ptr<Tupe<T>> Tupe<T>::make(const EncodingSettings& s) {
  const TupeOptions options{.untie_cls = s.params.boolean("tupe.untie_cls"),
                            .relative_bias = s.params.boolean("tupe.relative_bias"),
                            .variant = s.params.text("tupe.variant") == "released"
                                           ? TupeVariant::released
                                           : TupeVariant::paper};
  const bool released = options.variant == TupeVariant::released;
  const auto table = [&](const char* name, Index rows, Index columns) {
    return table_of<T>(s, name, rows, columns, initial_deviation);
  };
  const Index width = s.heads * s.d_head;
  const Index rows = s.params.integer("tupe.length") + (released ? 1 : 0);
  Weights w{
      table_of<T>(s, "tupe.table", rows, s.d_model, released ? initial_deviation : unit_deviation),
      table("tupe.U_q", s.d_model, width), table("tupe.U_k", s.d_model, width),
      table("tupe.bias_table", bias_rows(options.variant), s.heads)};
  if (!released && options.untie_cls)
    w.theta = table("tupe.theta", 2, s.heads);
  else
    refuse_table(s, "tupe.theta", "tupe.variant=paper and tupe.untie_cls=true");
  if (released) {
    w.b_q = table_or<T>(s, "tupe.b_q", 1, width, 0);
    w.b_k = table_or<T>(s, "tupe.b_k", 1, width, 0);
    w.norm_gain = table_or<T>(s, "tupe.norm_gain", 1, s.d_model, 1);
    w.norm_bias = table_or<T>(s, "tupe.norm_bias", 1, s.d_model, 0);
  } else {
    for (const char* name : {"tupe.b_q", "tupe.b_k", "tupe.norm_gain", "tupe.norm_bias"})
      refuse_table(s, name, "tupe.variant=released");
  }
  return std::make_unique<Tupe>(std::move(w), options, s.rounding);
}

template <class T>
std::vector<Index> Tupe<T>::rows_of(PositionsIn positions) const {
  std::vector<Index> rows;
  for (const Position p : positions) {
    if (p < 0 || p > last_position())
      throw UsageError(fmt::format("position {}", p),
                       fmt::format("TUPE's table has positions 0 to {}", last_position()),
                       "raise tupe.length or choose an encoding that is defined at every position");
    rows.push_back(p + first_row());
  }
  return rows;
}

template <class T>
Matrix<T> Tupe<T>::rows_at(PositionsIn positions) const {
  return gathered(weights_.table, rows_of(positions));
}

template <class T>
Matrix<T> Tupe<T>::projected(const Matrix<T>& rows, const Matrix<T>& U, const Matrix<T>& b,
                             int head) const {
  const Index d = U.cols() / weights_.bias.cols();
  // The same bits for a row whatever others are asked for; Eigen's product has not.
  const Matrix<T> transposed = U.middleCols(head * d, d).transpose();
  Matrix<T> out = scores_of<T>(rows, transposed);
  if (released()) out.rowwise() += b.row(0).segment(head * d, d);
  return rounding_.rounded<T>(Stage::projected, std::move(out));
}

template <class T>
Matrix<T> Tupe<T>::products(const Matrix<T>& rows_m, const Matrix<T>& rows_n, int head,
                            const Scoring& scoring) const {
  return scaled_product<T>(projected(rows_m, weights_.U_q, weights_.b_q, head),
                           projected(rows_n, weights_.U_k, weights_.b_k, head), 2, scoring);
}

template <class T>
typename Tupe<T>::Thetas Tupe<T>::thetas(int head, const Scoring& scoring) const {
  if (!released()) return {weights_.theta(0, head), weights_.theta(1, head)};
  const Matrix<T> special = weights_.table.topRows(2);
  const Matrix<T> theta = products(special, special, head, scoring);
  return {theta(0, 0), theta(1, 1)};
}

template <class T>
Matrix<T> Tupe<T>::position_term(const ScoreInputs<T>& in) const {
  Matrix<T> term = products(rows_at(in.m), rows_at(in.n), in.head, in.scoring);
  if (!options_.untie_cls) return term;
  const Thetas theta = thetas(in.head, in.scoring);
  set_pairs_of_cls(in.m, in.n, theta.query, theta.key, term);
  return term;
}

template <class T>
IndexMatrix Tupe<T>::table_index(PositionsIn m, PositionsIn n) const {
  IndexMatrix index =
      index_matrix(m, n, [this](Position r) { return t5_bucket(r, t5_buckets, rounding_); });
  if (!options_.untie_cls) return index;
  const Index of_query = released() ? cls_query_bucket : no_bucket;
  const Index of_key = released() ? cls_key_bucket : no_bucket;
  set_pairs_of_cls(m, n, of_query, of_key, index);
  return index;
}

template <class T>
Matrix<T> Tupe<T>::relative_bias(const ScoreInputs<T>& in) const {
  const IndexMatrix index = table_index(in.m, in.n);
  return index.unaryExpr(
      [&](Index row) { return row == no_bucket ? T(0) : weights_.bias(row, in.head); });
}

template <class T>
std::vector<ScoreTerm<T>> Tupe<T>::score_terms(const ScoreInputs<T>& in) const {
  check_head(in.head, weights_.bias.cols());
  std::vector<ScoreTerm<T>> terms;
  terms.push_back({"content", content_product(in, 2)});
  terms.push_back({"position", position_term(in)});
  if (options_.relative_bias) terms.push_back({"relative_bias", relative_bias(in)});
  return terms;
}

template <class T>
Matrix<T> Tupe<T>::bias_by_distance(const Distances& distances, int head) const {
  Matrix<T> bias = Matrix<T>::Zero(1, distances.count);
  if (!options_.relative_bias) return bias;
  for (Index i = 0; i < bias.cols(); ++i)
    bias(0, i) = weights_.bias(t5_bucket(-(distances.first + i), t5_buckets, rounding_), head);
  return bias;
}

template <class T>
void Tupe<T>::untie_cls(const ScoreInputs<T>& in, const Distances& distances,
                        LogitFactors<T>& factors) const {
  const Thetas theta = thetas(in.head, in.scoring);
  const bool has_bias = released() && options_.relative_bias;
  const T of_query = theta.query + (has_bias ? weights_.bias(cls_query_bucket, in.head) : T(0));
  const T of_key = theta.key + (has_bias ? weights_.bias(cls_key_bucket, in.head) : T(0));
  const Index d = in.q.cols(), query_channel = 2 * d, key_channel = 2 * d + 1;
  const auto bias = [&](Position ahead) { return factors.bias(0, ahead - distances.first); };
  const Position cls_query = -in.m.front(), cls_key = -in.n.front();  // their rows, if any
  const auto queries = static_cast<Position>(in.m.size()),
             keys = static_cast<Position>(in.n.size());
  if (0 <= cls_key && cls_key < keys) {
    factors.k.row(cls_key).tail(d + 2).setZero();
    factors.k(cls_key, key_channel) = T(1);
    for (Index i = 0; i < factors.q.rows(); ++i)
      factors.q(i, key_channel) = of_key - bias(-in.m[static_cast<std::size_t>(i)]);
  }
  if (0 <= cls_query && cls_query < queries) {  // after the keys: the query wins where both meet
    factors.q.row(cls_query).tail(d + 2).setZero();
    factors.q(cls_query, query_channel) = T(1);
    for (Index j = 0; j < factors.k.rows(); ++j)
      factors.k(j, query_channel) = of_query - bias(in.n[static_cast<std::size_t>(j)]);
  }
}

template <class T>
std::optional<LogitFactors<T>> Tupe<T>::logit_factors(const ScoreInputs<T>& in,
                                                      const Distances& distances) const {
  check_head(in.head, weights_.bias.cols());
  const Index d = in.q.cols();
  if (weights_.U_q.cols() != d * weights_.bias.cols()) return std::nullopt;
  const auto scale = static_cast<T>(score_scale(2, d, in.scoring));
  const Index channels = 2 * d + (options_.untie_cls ? 2 : 0);
  LogitFactors<T> out{.q = Matrix<T>::Zero(in.q.rows(), channels),
                      .k = Matrix<T>::Zero(in.k.rows(), channels),
                      .bias = bias_by_distance(distances, in.head)};
  out.q.leftCols(d) = in.q * scale;
  out.k.leftCols(d) = in.k;
  out.q.middleCols(d, d) = projected(rows_at(in.m), weights_.U_q, weights_.b_q, in.head) * scale;
  out.k.middleCols(d, d) = projected(rows_at(in.n), weights_.U_k, weights_.b_k, in.head);
  if (options_.untie_cls) untie_cls(in, distances, out);
  if (!options_.relative_bias) out.bias.resize(0, 0);
  return out;
}

template <class T>
void Tupe<T>::add_row_gradients(const std::vector<Index>& rows, const Matrix<T>& d_rows,
                                Tables& d_tables) const {
  const Index width = weights_.table.cols();
  Matrix<T> d_given = d_rows;
  if (released())
    d_given =
        pull_layer_norm_back<T>(gathered(given_table_, rows), weights_.norm_gain, pytorch_epsilon,
                                d_rows, gradient_of(d_tables, "tupe.norm_gain", 1, width),
                                gradient_of(d_tables, "tupe.norm_bias", 1, width));
  Matrix<double>& d_table = gradient_of(d_tables, "tupe.table", weights_.table.rows(), width);
  for (std::size_t i = 0; i < rows.size(); ++i)
    d_table.row(rows[i]) += d_given.row(static_cast<Index>(i)).template cast<double>();
}

template <class T>
void Tupe<T>::add_projected_gradients(const std::vector<Index>& rows, const Projection& by,
                                      int head, const Matrix<T>& d_projected,
                                      Tables& d_tables) const {
  const Index d = d_projected.cols();
  if (released())
    gradient_of(d_tables, by.name_b, 1, by.b.cols()).middleCols(head * d, d) +=
        d_projected.colwise().sum().template cast<double>();
  const Matrix<T> d_rows =
      pull_head_projection_back<T>(gathered(weights_.table, rows), by.U, head, d_projected,
                                   gradient_of(d_tables, by.name_U, by.U.rows(), by.U.cols()));
  add_row_gradients(rows, d_rows, d_tables);
}

template <class T>
void Tupe<T>::add_product_gradients_of(const std::vector<Index>& rows_m,
                                       const std::vector<Index>& rows_n, const ScoreInputs<T>& in,
                                       const Matrix<T>& d_products, Tables& d_tables) const {
  const Projection of_m{weights_.U_q, "tupe.U_q", weights_.b_q, "tupe.b_q"},
      of_n{weights_.U_k, "tupe.U_k", weights_.b_k, "tupe.b_k"};
  const Matrix<T> a = projected(gathered(weights_.table, rows_m), of_m.U, of_m.b, in.head),
                  b = projected(gathered(weights_.table, rows_n), of_n.U, of_n.b, in.head);
  Matrix<T> d_a = Matrix<T>::Zero(a.rows(), a.cols()), d_b = Matrix<T>::Zero(b.rows(), b.cols());
  add_product_gradients<T>(a, b, d_products, score_scale(2, a.cols(), in.scoring), d_a, d_b);
  add_projected_gradients(rows_m, of_m, in.head, d_a, d_tables);
  add_projected_gradients(rows_n, of_n, in.head, d_b, d_tables);
}

template <class T>
void Tupe<T>::add_position_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                     Tables& d_tables) const {
  Matrix<T> d_term = d_logits;
  if (options_.untie_cls) {
    set_pairs_of_cls(in.m, in.n, T(0), T(0), d_term);
    // What each θ stands for: 1 where it does.
    Matrix<T> of_query = Matrix<T>::Zero(d_term.rows(), d_term.cols()), of_key = of_query;
    set_pairs_of_cls(in.m, in.n, T(1), T(0), of_query);
    set_pairs_of_cls(in.m, in.n, T(0), T(1), of_key);
    const T d_query = of_query.cwiseProduct(d_logits).sum(),
            d_key = of_key.cwiseProduct(d_logits).sum();
    if (released()) {
      Matrix<T> d_special = Matrix<T>::Zero(2, 2);
      d_special.diagonal() << d_query, d_key;
      add_product_gradients_of({0, 1}, {0, 1}, in, d_special, d_tables);
    } else {
      Matrix<double>& d_theta = gradient_of(d_tables, "tupe.theta", 2, weights_.theta.cols());
      d_theta(0, in.head) += static_cast<double>(d_query);
      d_theta(1, in.head) += static_cast<double>(d_key);
    }
  }
  add_product_gradients_of(rows_of(in.m), rows_of(in.n), in, d_term, d_tables);
}

template <class T>
void Tupe<T>::add_relative_bias_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                          Tables& d_tables) const {
  const IndexMatrix index = table_index(in.m, in.n);
  Matrix<T> d_bias = d_logits;
  for (Index i = 0; i < d_bias.size(); ++i)
    if (index.data()[i] == no_bucket) d_bias.data()[i] = 0;
  add_gathered_gradients<T>(
      d_bias, index.cwiseMax(0), in.head,
      gradient_of(d_tables, "tupe.bias_table", table_rows(), weights_.bias.cols()));
}

template <class T>
void Tupe<T>::add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                  const ScoreGradients<T>& d) const {
  check_head(in.head, weights_.bias.cols());
  add_content_gradients<T>(in, 2, d_logits, d);
  add_position_gradients(in, d_logits, d.tables);
  if (options_.relative_bias) add_relative_bias_gradients(in, d_logits, d.tables);
}

template class Tupe<float>;
template class Tupe<double>;

}  // namespace orrery
