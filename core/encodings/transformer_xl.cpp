#include "core/encodings/transformer_xl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/attention/content.h"
#include "core/attention/tiles.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/sinusoidal.h"
#include "core/errors.h"
#include "core/param_specs.h"
#include "core/product.h"

namespace orrery {
namespace {

/// A distance has a sinusoid where fp64 holds it; two positions can be twice as far apart.
void check_distance(Position query, Position key, Position distance) {
  if (std::abs(distance) <= max_position) return;
  throw UsageError(
      fmt::format("the distance {} between the query at {} and the key at {}", distance, query,
                  key),
      "must lie within ±2^53, where fp64 holds every whole number: Transformer-XL takes its "
      "sinusoid",
      "give positions that are nearer to each other, or set transformer_xl.clamp_len");
}

/// Every distance that occurs, as the encoding counts it, once, ascending.
template <class Clamp>
Positions distinct_distances(PositionsIn m, PositionsIn n, const Clamp& clamped) {
  check_positions(m);
  check_positions(n);
  Positions distances;
  if (const std::optional<Distances> near = consecutive_distances(m, n)) {
    for (Index i = 0; i < near->count; ++i) distances.push_back(clamped(-(near->first + i)));
  } else {
    distances.reserve(m.size() * n.size());
    for (const Position query : m)
      for (const Position key : n) {
        distances.push_back(clamped(relative_position(query, key)));
        check_distance(query, key, distances.back());
      }
  }
  std::ranges::sort(distances);
  distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
  return distances;
}

Index place_of(const Positions& sorted, Position distance) {
  return std::ranges::lower_bound(sorted, distance) - sorted.begin();
}

/// 0 where query and key are of one segment, 1 elsewhere.
IndexMatrix segment_index(const SegmentsIn& segments) {
  IndexMatrix index(static_cast<Index>(segments.queries.size()),
                    static_cast<Index>(segments.keys.size()));
  for (Index i = 0; i < index.rows(); ++i)
    for (Index j = 0; j < index.cols(); ++j)
      index(i, j) = segments.queries[static_cast<std::size_t>(i)] ==
                            segments.keys[static_cast<std::size_t>(j)]
                        ? 0
                        : 1;
  return index;
}

void check_segments(const SegmentsIn& segments, Index queries, Index keys) {
  const auto given_queries = static_cast<Index>(segments.queries.size());
  const auto given_keys = static_cast<Index>(segments.keys.size());
  if (given_queries == queries && given_keys == keys) return;
  throw UsageError(fmt::format("segments of {} queries and {} keys", given_queries, given_keys),
                   fmt::format("must be of {} and {}: one per token", queries, keys),
                   "give one id for each row of q and of k, or no segments");
}

}  // namespace

template <class T>
typename TransformerXl<T>::Weights TransformerXl<T>::behind_W_q(const Weights& weights,
                                                                const Matrix<T>& W_q,
                                                                const StageRounding& rounding) {
  const Index heads = weights.u.rows();
  if (heads < 1 || weights.v.rows() != heads || weights.u.cols() != W_q.rows() ||
      weights.v.cols() != W_q.rows() || W_q.cols() % heads != 0)
    throw UsageError("u, v and W_q", "must be [heads, d_model] twice and [d_model, heads·d_head]",
                     "give arrays of one layer");
  const Index d = W_q.cols() / heads;
  const Matrix<T> W = rounding.rounded<T>(Stage::table, W_q);
  const auto queries = [&](const Matrix<T>& contents) {
    const Matrix<T> stored = rounding.rounded<T>(Stage::table, contents);
    Matrix<T> q(heads, d);
    for (Index h = 0; h < heads; ++h) q.row(h) = stored.row(h) * W.middleCols(h * d, d);
    return rounding.rounded<T>(Stage::projected, std::move(q));
  };
  return {queries(weights.u), queries(weights.v), weights.W_kR, weights.s, weights.segments};
}

template <class T>
TransformerXl<T>::TransformerXl(Weights weights, double base, const StageRounding& rounding,
                                Position clamp_len, SinusoidalLayout layout)
    : weights_(std::move(weights)),
      base_(base),
      rounding_(rounding),
      clamp_len_(clamp_len),
      layout_(layout) {
  const Index heads = weights_.u.rows();
  const Index d = weights_.u.cols();
  if (weights_.v.rows() != heads || weights_.v.cols() != d || weights_.W_kR.cols() != heads * d)
    throw UsageError("u, v and W_kR", "must be [heads, d_head] twice and [d_model, heads·d_head]",
                     "give arrays of one layer");
  const bool no_segments = weights_.s.size() == 0 && weights_.segments.size() == 0;
  if (!no_segments && (weights_.s.rows() != heads || weights_.s.cols() != d ||
                       weights_.segments.rows() != 2 || weights_.segments.cols() != heads * d))
    throw UsageError("s and the table of segments", "must be [heads, d_head] and [2, heads·d_head]",
                     "give arrays of one layer, or neither");
  if (clamp_len < 0)
    throw UsageError(fmt::format("transformer_xl.clamp_len={}", clamp_len), "must be 0 or more",
                     "0 leaves every distance as it is");
  static_cast<void>(Sinusoidal<T>(weights_.W_kR.rows(), base));  // refuses what has no sinusoids
  for (Matrix<T>* weight :
       {&weights_.u, &weights_.v, &weights_.W_kR, &weights_.s, &weights_.segments})
    rounding_.apply<T>(Stage::table, *weight);
}

template <class T>
EncodingInfo TransformerXl<T>::info() {
  ParamSpec biases =
      choice_param("transformer_xl.biases", "Where $u$ and $v$ live.", "queries",
                   {{"queries", "$u·k_n$, $v·r_D$: the paper and its code"},
                    {"roformer", "behind $W_q$, $uᵀW_qᵀ$ and $vᵀW_qᵀ$, as RoFormer prints (7)"}});
  ParamSpec clamp_len = count_param(
      {"transformer_xl.clamp_len", "", "tokens"},
      "Distances are bounded to ±clamp_len before their sinusoid; 0 bounds none.", 0, 0, 1e6);
  ParamSpec layout = choice_param(
      "transformer_xl.layout",
      "Where the sines and cosines of a distance stand: which rows of $W_{kR}$.", "concatenated",
      {{"concatenated", "all sines, then all cosines: the authors' code, XLNet"},
       {"interleaved", "row $2t$ for the sine, $2t+1$ for the cosine: Conformers"}});
  const std::string initial = "normal, deviation 0.02 (the authors' init_std)";
  return {
      .name = "transformer_xl",
      .label = "Transformer-XL",
      .title = "Transformer-XL's relative positions",
      .statement =
          "Scores keys by content and by a sinusoid of the distance, each with $q$ and a bias.",
      .source = "Dai et al. 2019 §3.3; Yang et al. 2019 (XLNet) §2.5; RoFormer eq. (7)",
      .formulas =
          {{R"(\ell_{m,n} = (\mathbf{q}_m^\top \mathbf{k}_n + \mathbf{q}_m^\top \mathbf{r}_{m-n} + \mathbf{u}^\top \mathbf{k}_n + \mathbf{v}^\top \mathbf{r}_{m-n}) / \sqrt{d})",
            "Dai et al. 2019"},
           {R"(\mathbf{r}_D = \mathbf{R}_D \mathbf{W}_{kR}, \quad \mathbf{R}_D = [\sin D\omega \; | \; \cos D\omega])",
            "", in_descriptions},
           {R"(\text{with segments } {} + (\mathbf{q}_m + \mathbf{s})^\top \mathbf{g}_{[\mathrm{seg}_m \neq \mathrm{seg}_n]} / \sqrt{d})",
            "Yang et al. 2019", in_descriptions}},
      .symbols = {{"r_m−n", "projected vector of the distance"},
                  {"u", "trained query of every token, for contents"},
                  {"v", "trained query of every token, for distances"}},
      .params = {base_param(), std::move(biases), std::move(clamp_len), std::move(layout)},
      .tables =
          {{"transformer_xl.u", "[heads, d_head]", "Global content bias.", initial},
           {"transformer_xl.v", "[heads, d_head]", "Global position bias.", initial},
           {"transformer_xl.W_q", "[d_model, heads·d_head]",
            "With biases=roformer only: projects $u$ and $v$, then [heads, d_model].", initial},
           {"transformer_xl.W_kR", "[d_model, heads·d_head]",
            "Projects the sinusoid of a distance to a key, head by head.", initial},
           {"transformer_xl.s", "[heads, d_head]",
            "With segments only: XLNet's bias of the segment term, r_s_bias.", initial},
           {"transformer_xl.segment_table", "[2, heads·d_head]",
            "With segments only: $g_0$ for the same segment, $g_1$ for another; XLNet's seg_embed.",
            initial}},
      .stages = {Stage::distance, Stage::inv_freq, Stage::angle, Stage::cos_sin, Stage::table,
                 Stage::projected},
      .term_symbols = {{"content_to_position", R"(\mathbf{q}_m^\top \mathbf{r}_{m-n})"},
                       {"global_content", R"(\mathbf{u}^\top \mathbf{k}_n)"},
                       {"global_position", R"(\mathbf{v}^\top \mathbf{r}_{m-n})"},
                       {"segment", R"((\mathbf{q}_m + \mathbf{s})^\top \mathbf{g})"}}};
}

template <class T>
void TransformerXl<T>::check(const EncodingSettings& s) {
  check_table_size("transformer_xl.W_kR", s.d_model, s.heads * s.d_head, "heads or the channels");
}

template <class T>
std::unique_ptr<TransformerXl<T>> TransformerXl<T>::make(const EncodingSettings& s) {
  const auto table = [&](const char* name, Index rows, Index columns) {
    return table_of<T>(s, name, rows, columns, initial_deviation);
  };
  const bool printed = s.params.text("transformer_xl.biases") == "roformer";
  const Index width = s.heads * s.d_head;
  const Index of_bias = printed ? s.d_model : s.d_head;
  Weights weights{
      table("transformer_xl.u", s.heads, of_bias), table("transformer_xl.v", s.heads, of_bias),
      table("transformer_xl.W_kR", s.d_model, width), table("transformer_xl.s", s.heads, s.d_head),
      table("transformer_xl.segment_table", 2, width)};
  std::optional<Behind> behind;
  if (printed) {
    behind = {weights.u, weights.v, table("transformer_xl.W_q", s.d_model, width)};
    weights = behind_W_q(weights, behind->W_q, s.rounding);
  } else {
    refuse_table(s, "transformer_xl.W_q", "transformer_xl.biases=roformer");
  }
  auto made = std::make_unique<TransformerXl>(std::move(weights), s.params.real("base"), s.rounding,
                                              s.params.integer("transformer_xl.clamp_len"),
                                              layout_named(s.params.text("transformer_xl.layout")));
  made->behind_ = std::move(behind);
  return made;
}

template <class T>
Position TransformerXl<T>::clamped(Position distance) const {
  return clamp_len_ == 0 ? distance : std::clamp(distance, -clamp_len_, clamp_len_);
}

template <class T>
typename TransformerXl<T>::MapOfDistances TransformerXl<T>::distances_of(
    const ScoreInputs<T>& in) const {
  MapOfDistances map{distinct_distances(in.m, in.n, [this](Position r) { return clamped(r); }), {}};
  map.index =
      index_matrix(in.m, in.n, [&](Position r) { return place_of(map.distances, clamped(r)); });
  return map;
}

template <class T>
Matrix<T> TransformerXl<T>::sinusoids(PositionsIn distances, Index first, Index count) const {
  // The position that sinusoids take is a distance here.
  const Sinusoidal<T> of(weights_.W_kR.rows(), base_, layout_,
                         rounding_.with(Stage::position, Stage::distance));
  return of.table(
      distances.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
}

template <class T>
Matrix<T> TransformerXl<T>::position_keys(PositionsIn distances, int head) const {
  const Index d = weights_.u.cols(), count = static_cast<Index>(distances.size());
  const Matrix<T> W = weights_.W_kR.middleCols(head * d, d).transpose();
  Matrix<T> keys(count, d);
  for (Index first = 0; first < count; first += distances_at_once) {
    const Index rows = std::min(distances_at_once, count - first);
    // The same bits for a distance whatever others are asked for; Eigen's product has not.
    keys.middleRows(first, rows) = scores_of<T>(sinusoids(distances, first, rows), W);
  }
  rounding_.apply<T>(Stage::projected, keys);
  return keys;
}

template <class T>
void TransformerXl<T>::add_key_gradients(PositionsIn distances, const Matrix<T>& d_keys, int head,
                                         Tables& d_tables) const {
  const Index d = weights_.u.cols(), count = static_cast<Index>(distances.size());
  Matrix<double>& d_W =
      gradient_of(d_tables, "transformer_xl.W_kR", weights_.W_kR.rows(), weights_.W_kR.cols());
  for (Index first = 0; first < count; first += distances_at_once) {
    const Index rows = std::min(distances_at_once, count - first);
    d_W.middleCols(head * d, d) +=
        transposed_product<T>(sinusoids(distances, first, rows), d_keys.middleRows(first, rows))
            .template cast<double>();
  }
}

template <class T>
ScoreTerm<T> TransformerXl<T>::segment_term(const ScoreInputs<T>& in) const {
  if (weights_.segments.size() == 0)
    throw UsageError("segments of tokens", "need s and a table of segments, which are empty",
                     "give both to TransformerXl, or no segments");
  check_segments(in.segments, in.q.rows(), in.k.rows());
  const Index d = weights_.u.cols();
  const Matrix<T> q = in.q.rowwise() + weights_.s.row(in.head);
  const Matrix<T> g = weights_.segments.middleCols(in.head * d, d);
  return {"segment",
          gather_by_query<T>(scaled_product<T>(q, g, 1, in.scoring), segment_index(in.segments))};
}

template <class T>
std::vector<ScoreTerm<T>> TransformerXl<T>::score_terms(const ScoreInputs<T>& in) const {
  check_head(in.head, weights_.u.rows());
  const auto [distances, index] = distances_of(in);
  const Matrix<T> r = position_keys(distances, in.head);
  // One row for all queries: what does not depend on the query is the same for each to the bit.
  const Matrix<T> of_content = scaled_product<T>(weights_.u.row(in.head), in.k, 1, in.scoring);
  const Matrix<T> of_distance = scaled_product<T>(weights_.v.row(in.head), r, 1, in.scoring);
  const Index queries = in.q.rows();
  std::vector<ScoreTerm<T>> terms;
  terms.push_back(scaled_content_term<T>(in));
  terms.push_back({"content_to_position",
                   gather_by_query<T>(scaled_product<T>(in.q, r, 1, in.scoring), index)});
  terms.push_back({"global_content", of_content.replicate(queries, 1)});
  terms.push_back(
      {"global_position", gather_by_query<T>(of_distance.replicate(queries, 1), index)});
  if (in.segments.given()) terms.push_back(segment_term(in));
  return terms;
}

template <class T>
std::optional<LogitFactors<T>> TransformerXl<T>::logit_factors(const ScoreInputs<T>& in,
                                                               const Distances& distances) const {
  check_head(in.head, weights_.u.rows());
  if (in.segments.given() || weights_.u.cols() != in.q.cols()) return std::nullopt;
  // The distances that clamp_len and the mask leave, as n − m.
  const Position last =
      std::clamp(distances.last_seen, distances.first, distances.first + distances.count - 1);
  const Position first_kept = -clamped(-distances.first), last_kept = -clamped(-last);
  Positions kept;
  for (Position ahead = first_kept; ahead <= last_kept; ++ahead) kept.push_back(-ahead);
  const auto scale = static_cast<T>(score_scale(1, in.q.cols(), in.scoring));
  return LogitFactors<T>{.q = (in.q.rowwise() + weights_.u.row(in.head)) * scale,
                         .q_of_distance = (in.q.rowwise() + weights_.v.row(in.head)) * scale,
                         .by_query = {.rows = position_keys(kept, in.head), .first = first_kept}};
}

template <class T>
void TransformerXl<T>::add_bias_gradient(const char* name, const Matrix<T>& d_bias, int head,
                                         Tables& d_tables) const {
  const bool of_u = std::string_view(name) == "transformer_xl.u";
  const Matrix<T>& as_used = of_u ? weights_.u : weights_.v;
  if (!behind_) {
    gradient_of(d_tables, name, as_used.rows(), as_used.cols()).row(head) +=
        d_bias.template cast<double>();
    return;
  }
  const Matrix<T>& given = of_u ? behind_->u : behind_->v;
  const Matrix<T>& W = behind_->W_q;
  gradient_of(d_tables, name, given.rows(), given.cols()).row(head) +=
      pull_head_projection_back<T>(given.row(head), W, head, d_bias,
                                   gradient_of(d_tables, "transformer_xl.W_q", W.rows(), W.cols()))
          .template cast<double>();
}

// (q + u)·k and (q + v)·r.
template <class T>
void TransformerXl<T>::add_position_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                              const ScoreGradients<T>& d) const {
  const double scale = score_scale(1, in.q.cols(), in.scoring);
  const Matrix<T> with_u = in.q.rowwise() + weights_.u.row(in.head);
  const Matrix<T> with_v = in.q.rowwise() + weights_.v.row(in.head);
  Matrix<T> d_with_u = Matrix<T>::Zero(in.q.rows(), in.q.cols()), d_with_v = d_with_u;
  add_product_gradients<T>(with_u, in.k, d_logits, scale, d_with_u, d.k);
  const auto [distances, index] = distances_of(in);
  const Matrix<T> r = position_keys(distances, in.head);
  Matrix<T> d_r = Matrix<T>::Zero(r.rows(), r.cols());
  add_product_gradients<T>(with_v, r, sums_by_query<T>(d_logits, index, r.rows()), scale, d_with_v,
                           d_r);
  add_to<T>(d.q, d_with_u + d_with_v);
  add_bias_gradient("transformer_xl.u", d_with_u.colwise().sum(), in.head, d.tables);
  add_bias_gradient("transformer_xl.v", d_with_v.colwise().sum(), in.head, d.tables);
  add_key_gradients(distances, d_r, in.head, d.tables);
}

template <class T>
void TransformerXl<T>::add_segment_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                             const ScoreGradients<T>& d) const {
  check_segments(in.segments, in.q.rows(), in.k.rows());
  const Index width = weights_.u.cols();
  const Matrix<T> q = in.q.rowwise() + weights_.s.row(in.head);
  const Matrix<T> g = weights_.segments.middleCols(in.head * width, width);
  Matrix<T> d_q = Matrix<T>::Zero(q.rows(), q.cols()), d_g = Matrix<T>::Zero(2, width);
  add_product_gradients<T>(q, g, sums_by_query<T>(d_logits, segment_index(in.segments), 2),
                           score_scale(1, in.q.cols(), in.scoring), d_q, d_g);
  add_to<T>(d.q, d_q);
  gradient_of(d.tables, "transformer_xl.s", weights_.s.rows(), width).row(in.head) +=
      d_q.colwise().sum().template cast<double>();
  gradient_of(d.tables, "transformer_xl.segment_table", 2, weights_.segments.cols())
      .middleCols(in.head * width, width) += d_g.template cast<double>();
}

template <class T>
void TransformerXl<T>::add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                           const ScoreGradients<T>& d) const {
  check_head(in.head, weights_.u.rows());
  add_position_gradients(in, d_logits, d);
  if (in.segments.given()) add_segment_gradients(in, d_logits, d);
}

template class TransformerXl<float>;
template class TransformerXl<double>;

}  // namespace orrery
