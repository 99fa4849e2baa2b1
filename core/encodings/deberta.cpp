#include "core/encodings/deberta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/tiles.h"
#include "core/encodings/relative_index.h"
#include "core/errors.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

constexpr double layer_norm_epsilon = 1e-7;  // layer_norm_eps of every released configuration
constexpr Position fewest_log_buckets = 4;

void check_log_buckets(const DebertaOptions& options) {
  if (!options.log_buckets) return;
  if (options.span < fewest_log_buckets)
    throw UsageError(fmt::format("deberta.span={} with deberta.version=v2", options.span),
                     fmt::format("logarithmic buckets need {} a side or more", fewest_log_buckets),
                     "DeBERTa v2 uses deberta.span=256");
  const Position least = options.span / 2 + 2;
  if (options.max_distance < least)
    throw UsageError(
        fmt::format("deberta.max_distance={} with deberta.span={}", options.max_distance,
                    options.span),
        fmt::format("max_distance must be {} or more, because half of the buckets hold one "
                    "distance each",
                    least),
        fmt::format("take deberta.max_distance={}, or a smaller span", least));
}

DebertaOptions deberta_options_of(const ParamSet& params) {
  DebertaOptions options{.span = params.integer("deberta.span")};
  options.log_buckets = params.text("deberta.version") == "v2";
  options.max_distance = params.integer("deberta.max_distance");
  if (params.text("deberta.p2c") == "code") options.index = DebertaIndex::code;
  if (params.text("deberta.clamp") == "microsoft") options.clamp = DebertaClamp::first;
  const std::string& terms = params.text("deberta.terms");
  if (terms == "c2p") options.terms = DebertaTerms::content_to_position;
  if (terms == "p2c") options.terms = DebertaTerms::position_to_content;
  options.layer_norm = params.text("deberta.norm") == "layer_norm";
  return options;
}

}  // namespace

Index deberta_delta(Position r, Position k) { return std::clamp<Position>(r + k, 0, 2 * k - 1); }

Position deberta_bucket(Position r, Position buckets, Position max_distance, DebertaClamp clamp,
                        const StageRounding& rounding) {
  const Position mid = buckets / 2;
  if (clamp == DebertaClamp::first) r = std::clamp(r, 1 - max_distance, max_distance - 1);
  const Position distance = std::abs(r);
  if (distance <= mid) return r;
  const double half = static_cast<double>(mid);
  const double place = std::ceil(
      log_place(distance, half, static_cast<double>(max_distance - 1), half - 1, rounding));
  // A small format may have overflowed: then the last row.
  const Position bucket = std::isfinite(place) ? static_cast<Position>(place) + mid : buckets;
  return r < 0 ? -bucket : bucket;
}

template <class T>
Deberta<T>::Deberta(Weights weights, DebertaOptions options, const StageRounding& rounding)
    : weights_(std::move(weights)), options_(options), rounding_(rounding) {
  const Index d = weights_.d_head;
  const bool fits = options_.span >= 1 && weights_.table.rows() == 2 * options_.span && d > 0 &&
                    weights_.W_qr.rows() == weights_.table.cols() &&
                    weights_.W_kr.rows() == weights_.table.cols() &&
                    weights_.W_qr.cols() == weights_.W_kr.cols() && weights_.W_qr.cols() % d == 0;
  if (!fits)
    throw UsageError("DeBERTa's table, W_qr and W_kr",
                     "must be [2·span, d_model] and [d_model, heads·d_head] twice",
                     "give arrays of one layer");
  check_log_buckets(options_);
  for (const Matrix<T>* b : {&weights_.b_qr, &weights_.b_kr})
    if (b->size() != 0 && (b->rows() != 1 || b->cols() != weights_.W_qr.cols()))
      throw UsageError(
          fmt::format("b_qr or b_kr of shape [{}, {}]", b->rows(), b->cols()),
          fmt::format("must be [1, {}], one per channel of every head", weights_.W_qr.cols()),
          "give the biases of the same projections, or none");
  for (Matrix<T>* weight : {&weights_.table, &weights_.W_qr, &weights_.W_kr, &weights_.b_qr,
                            &weights_.b_kr, &weights_.norm_gain, &weights_.norm_bias})
    rounding_.apply<T>(Stage::table, *weight);
  if (!options_.layer_norm) return;
  given_table_ = weights_.table;
  weights_.table = rounding_.rounded<T>(
      Stage::projected,
      layer_normalised(weights_.table, weights_.norm_gain, weights_.norm_bias, layer_norm_epsilon));
}

template <class T>
// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
EncodingInfo Deberta<T>::info() {
  ParamSpec version =
      choice_param("deberta.version", "How a distance becomes a row of the table.", "v1",
                   {{"v1", "clipped to $±k$"}, {"v2", "logarithmic buckets, as v2 and v3"}});
  ParamSpec span =
      log_count_param({"deberta.span", "$k$", "tokens"},
                      "v1: distances beyond it are clipped; v2: buckets per side.", 64, 1, 65536);
  ParamSpec max_distance = read_while(
      "deberta.version", {"v2"},
      log_count_param({"deberta.max_distance", "", "tokens"},
                      "The largest distance that v2's logarithmic scale is laid out for, plus one.",
                      512, 2, 1e6));
  ParamSpec index = choice_param("deberta.p2c", "Which row position_to_content takes.", "paper",
                                 {{"paper", "$δ(n, m)$: eq. (4) of the paper"},
                                  {"code", "$δ(m, n)$: Microsoft's code and Hugging Face's"}});
  ParamSpec terms =
      choice_param("deberta.terms", "Which terms are added to the content's.", "both",
                   {{"both", "content to position and position to content, over $\\sqrt{3d}$"},
                    {"c2p", "content to position alone, over $\\sqrt{2d}$"},
                    {"p2c", "position to content alone, over $\\sqrt{2d}$"}});
  ParamSpec clamp = read_while(
      "deberta.version", {"v2"},
      choice_param("deberta.clamp",
                   "Where v2's distances end: the two differ far ahead of the query.",
                   "hugging_face",
                   {{"hugging_face", "at the edge of the table: row 0 for $r$ ≤ −max_distance"},
                    {"microsoft", "at ±(max_distance − 1), before the logarithm: row 1"}}));
  ParamSpec norm =
      choice_param("deberta.norm", "What is done to the table before it is projected.", "none",
                   {{"none", "nothing: the paper, v1"},
                    {"layer_norm", "LayerNorm, epsilon 1e-7: norm_rel_ebd of v2, v3"}});
  const std::string initial = "normal, deviation 0.02 (BERT)";
  return {
      .name = "deberta",
      .label = "DeBERTa",
      .title = "DeBERTa's disentangled attention",
      .statement =
          "Adds content-to-position and position-to-content scores of the clipped distance.",
      .source = "He et al. 2021 §3.1 eq. (4); RoFormer eq. (10)",
      .formulas =
          {{R"(\ell_{m,n} = (\mathbf{q}_m^\top \mathbf{k}_n + \mathbf{q}_m^\top \mathbf{K}_{\delta(m,n)} + \mathbf{k}_n^\top \mathbf{Q}_{\delta(n,m)}) / \sqrt{3d})",
            "He et al. 2021"},
           {R"(\mathbf{K} = \mathbf{P} \mathbf{W}_{kr} + \mathbf{b}_{kr}, \quad \mathbf{Q} = \mathbf{P} \mathbf{W}_{qr} + \mathbf{b}_{qr})",
            "", in_descriptions}},
      .params = {std::move(version), std::move(span), std::move(max_distance), std::move(clamp),
                 std::move(index), std::move(terms), std::move(norm)},
      .tables =
          {{"deberta.table", "[2k, d_model]",
            "$P$, vectors of relative positions, $δ = 0$ first, for keys $k$ or more ahead.",
            initial},
           {"deberta.W_qr", "[d_model, heads·d_head]", "Projects them to queries.", initial},
           {"deberta.W_kr", "[d_model, heads·d_head]", "Projects them to keys.", initial},
           {"deberta.b_qr", "[1, heads·d_head]",
            "Bias of $W_{qr}$: pos_q_proj of v1, query_proj of v2 and v3.", "zeros: the paper"},
           {"deberta.b_kr", "[1, heads·d_head]",
            "Bias of $W_{kr}$: none in v1, key_proj of v2 and v3.", "zeros: the paper"},
           {"deberta.norm_gain", "[1, d_model]", "With norm=layer_norm only: its weight.", "ones"},
           {"deberta.norm_bias", "[1, d_model]", "With norm=layer_norm only: its bias.", "zeros"}},
      .stages = {Stage::distance, Stage::log, Stage::table, Stage::projected},
      .term_symbols = {{"content_to_position", R"(\mathbf{q}_m^\top \mathbf{K}_{\delta(m,n)})"},
                       {"position_to_content", R"(\mathbf{k}_n^\top \mathbf{Q}_{\delta(n,m)})"}}};
}

template <class T>
void Deberta<T>::check(const EncodingSettings& s) {
  const DebertaOptions options = deberta_options_of(s.params);
  check_log_buckets(options);
  check_table_size("deberta.table", 2 * options.span, s.d_model, "deberta.span or the channels");
  check_table_size("deberta.W_qr", s.d_model, s.heads * s.d_head, "heads or the channels");
}

template <class T>
std::unique_ptr<Deberta<T>> Deberta<T>::make(const EncodingSettings& s) {
  const DebertaOptions options = deberta_options_of(s.params);
  const auto table = [&](const char* name, Index rows, Index columns) {
    return table_of<T>(s, name, rows, columns, initial_deviation);
  };
  const Index width = s.heads * s.d_head;
  Weights weights{table("deberta.table", 2 * options.span, s.d_model),
                  table("deberta.W_qr", s.d_model, width), table("deberta.W_kr", s.d_model, width),
                  s.d_head};
  weights.b_qr = table_or<T>(s, "deberta.b_qr", 1, width, 0);
  weights.b_kr = table_or<T>(s, "deberta.b_kr", 1, width, 0);
  if (options.layer_norm) {
    weights.norm_gain = table_or<T>(s, "deberta.norm_gain", 1, s.d_model, 1);
    weights.norm_bias = table_or<T>(s, "deberta.norm_bias", 1, s.d_model, 0);
  } else {
    for (const char* name : {"deberta.norm_gain", "deberta.norm_bias"})
      refuse_table(s, name, "deberta.norm=layer_norm");
  }
  return std::make_unique<Deberta>(std::move(weights), options, s.rounding);
}

template <class T>
Index Deberta<T>::row_of(Position r) const {
  if (!options_.log_buckets) return deberta_delta(r, options_.span);
  return deberta_delta(
      deberta_bucket(r, options_.span, options_.max_distance, options_.clamp, rounding_),
      options_.span);
}

template <class T>
Index Deberta<T>::mirrored_row_of(Position r) const {
  return row_of(options_.index == DebertaIndex::paper ? -r : r);
}

template <class T>
bool Deberta<T>::has(DebertaTerms term) const {
  return options_.terms == DebertaTerms::both || options_.terms == term;
}

template <class T>
Matrix<T> Deberta<T>::projected(Index first, Index count, const Matrix<T>& W, const Matrix<T>& b,
                                int head) const {
  const Index d = weights_.d_head;
  // The same bits for a row whatever others are asked for; Eigen's product has not.
  const Matrix<T> transposed = W.middleCols(head * d, d).transpose();
  Matrix<T> rows = scores_of<T>(weights_.table.middleRows(first, count), transposed);
  if (b.size() != 0) rows.rowwise() += b.row(0).segment(head * d, d);
  return rounding_.rounded<T>(Stage::projected, std::move(rows));
}

template <class T>
void Deberta<T>::add_projected_gradients(Index first, const Matrix<T>& d_rows, const Matrix<T>& W,
                                         const char* name_W, const Matrix<T>& b, const char* name_b,
                                         int head, Tables& d_tables) const {
  const Index d = weights_.d_head;
  if (b.size() != 0)
    gradient_of(d_tables, name_b, 1, b.cols()).middleCols(head * d, d) +=
        d_rows.colwise().sum().template cast<double>();
  const Matrix<T> d_table =
      pull_head_projection_back<T>(weights_.table.middleRows(first, d_rows.rows()), W, head, d_rows,
                                   gradient_of(d_tables, name_W, W.rows(), W.cols()));
  add_table_gradients(first, d_table, d_tables);
}

template <class T>
void Deberta<T>::add_table_gradients(Index first, const Matrix<T>& d_rows, Tables& d_tables) const {
  const Index width = weights_.table.cols();
  auto d_given = gradient_of(d_tables, "deberta.table", weights_.table.rows(), width)
                     .middleRows(first, d_rows.rows());
  if (!options_.layer_norm) {
    d_given += d_rows.template cast<double>();
    return;
  }
  const Matrix<T> rows = given_table_.middleRows(first, d_rows.rows());
  d_given += pull_layer_norm_back<T>(rows, weights_.norm_gain, layer_norm_epsilon, d_rows,
                                     gradient_of(d_tables, "deberta.norm_gain", 1, width),
                                     gradient_of(d_tables, "deberta.norm_bias", 1, width))
                 .template cast<double>();
}

template <class T>
IndexMatrix Deberta<T>::table_index(PositionsIn m, PositionsIn n) const {
  return index_matrix(m, n, [this](Position r) { return row_of(r); });
}

template <class T>
std::vector<TableTerm<T>> Deberta<T>::table_terms(const ScoreInputs<T>& in) const {
  check_head(in.head, weights_.W_qr.cols() / weights_.d_head);
  std::vector<TableTerm<T>> terms;
  const auto add = [&](const char* name, typename TableTerm<T>::Side side, auto index,
                       const Matrix<T>& W, const char* name_W, const Matrix<T>& b,
                       const char* name_b) {
    terms.push_back(
        {.name = name,
         .side = side,
         .count = table_rows(),
         .index = [index](PositionsIn m, PositionsIn n) { return index_matrix(m, n, index); },
         .rows = [this, &W, &b, head = in.head](
                     Index first, Index count) { return projected(first, count, W, b, head); },
         .add_gradients =
             [=, this, &W, &b, head = in.head](Index first, const Matrix<T>& d_rows,
                                               Tables& d_tables) {
               add_projected_gradients(first, d_rows, W, name_W, b, name_b, head, d_tables);
             }});
  };
  if (has(DebertaTerms::content_to_position))
    add(
        "content_to_position", TableTerm<T>::Side::query, [this](Position r) { return row_of(r); },
        weights_.W_kr, "deberta.W_kr", weights_.b_kr, "deberta.b_kr");
  if (has(DebertaTerms::position_to_content))
    add(
        "position_to_content", TableTerm<T>::Side::key,
        [this](Position r) { return mirrored_row_of(r); }, weights_.W_qr, "deberta.W_qr",
        weights_.b_qr, "deberta.b_qr");
  return terms;
}

template class Deberta<float>;
template class Deberta<double>;

}  // namespace orrery
