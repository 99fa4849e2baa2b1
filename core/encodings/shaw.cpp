#include "core/encodings/shaw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/param_specs.h"
#include "core/product.h"

namespace orrery {

namespace {

ShawOptions symmetric_clip(Index rows) {
  if (rows % 2 == 0)
    throw UsageError(fmt::format("a table of {} rows", rows), "must have 2·clip + 1 rows",
                     "give one row for each of −clip … clip");
  return {.left = rows / 2, .right = rows / 2};
}

ShawOptions shaw_options_of(const ParamSet& params) {
  const Position clip = params.integer("shaw.clip");
  const Position ahead = params.integer("shaw.clip_ahead");
  ShawOptions options{.left = clip, .right = ahead < 0 ? clip : ahead};
  if (params.text("shaw.rows") == "query_minus_key") options.rows = ShawRows::query_minus_key;
  return options;
}

}  // namespace

Index shaw_index(Position r, const ShawOptions& options) {
  const Position clipped = std::clamp(-r, -options.left, options.right);
  return options.rows == ShawRows::key_minus_query ? clipped + options.left
                                                   : options.right - clipped;
}

Index shaw_index(Position r, Position clip) {
  return shaw_index(r, ShawOptions{.left = clip, .right = clip});
}

template <class T>
Shaw<T>::Shaw(Matrix<T> key_table, Matrix<T> value_table, const ShawOptions& options,
              const StageRounding& rounding)
    : key_table_(rounding.rounded<T>(Stage::table, std::move(key_table))),
      value_table_(rounding.rounded<T>(Stage::table, std::move(value_table))),
      options_(options) {
  const Index rows = options.left + options.right + 1;
  const bool fits = options.left >= 0 && options.right >= 0 && key_table_.rows() == rows;
  if (fits && (value_table_.size() == 0 || value_table_.rows() == rows)) return;
  throw UsageError(fmt::format("tables of {} and {} rows", key_table_.rows(), value_table_.rows()),
                   fmt::format("both must have {} + {} + 1 rows, one per distance that is kept",
                               options.left, options.right),
                   "give one row for each of −k_left … k_right");
}

template <class T>
Shaw<T>::Shaw(Matrix<T> key_table, Matrix<T> value_table, const StageRounding& rounding)
    : Shaw(key_table, std::move(value_table), symmetric_clip(key_table.rows()), rounding) {}

template <class T>
EncodingInfo Shaw<T>::info() {
  ParamSpec clip = count_param({"shaw.clip", "$k$", "tokens"},
                               "Distances beyond it share the vector at its edge.", 16, 0, 65536);
  ParamSpec ahead = count_param({"shaw.clip_ahead", "$k_\\mathrm{right}$", "tokens"},
                                "The clip for keys ahead of the query; −1 takes that of shaw.clip.",
                                -1, -1, 65536);
  ParamSpec rows = choice_param(
      "shaw.rows", "Which distance row 0 of the tables holds.", "key_minus_query",
      {{"key_minus_query", "$n − m = −k$, the key furthest behind: Shaw"},
       {"query_minus_key", "$m − n = −k_\\mathrm{right}$, furthest ahead: BERT in Transformers"}});
  ParamSpec variant = choice_param(
      "shaw.variant", "Where the vectors of the relative position are added.", "keys_and_values",
      {{"keys_and_values", "a table each: the paper"},
       {"keys_only", "$q·a$, scores alone: the paper's ablation, BERT's relative_key"},
       {"queries_and_keys",
        "$q·a + k·a$, scores alone: Huang's method 4, BERT's relative_key_query"},
       {"tied", "one table for both: NEZHA, bert4keras"}});
  const std::string initial =
      "normal, deviation $\\sqrt{2/(k + k_\\mathrm{right} + 1 + d)}$: tensor2tensor's Glorot scale";
  return {
      .name = "shaw",
      .label = "Shaw",
      .title = "Shaw's relative position vectors",
      .statement = "Adds a trained vector of the clipped distance to keys and to values.",
      .source = "Shaw et al. 2018 eq. (3), (4); Huang et al. 2020, method 4; RoFormer eq. (5)",
      .formulas =
          {{R"(\ell_{m,n} = \mathbf{q}_m^\top (\mathbf{k}_n + \mathbf{a}_r) / \sqrt{d}, \quad r = \mathrm{clip}(n - m, -k, k))",
            "Shaw et al. 2018"},
           {R"(\mathbf{o}_m = \sum_n a_{m,n} (\mathbf{v}_n + \mathbf{a}_r^V), \quad r = \mathrm{clip}(n - m, -k, k_{\mathrm{right}}), \quad k_{\mathrm{right}} = k \text{ by default})",
            "", in_descriptions}},
      .symbols = {{"a_r", "trained vector of the distance"}},
      .params = {std::move(clip), std::move(ahead), std::move(rows), std::move(variant)},
      .tables = {{"shaw.key_table", "[k + k_right + 1, d_head]",
                  "Added to keys, one row per distance in the order of shaw.rows.", initial},
                 {"shaw.value_table", "[k + k_right + 1, d_head]",
                  "With variant=keys_and_values only: added to values.", initial}},
      .stages = {Stage::table},
      .term_symbols = {{"content_to_position", R"(\mathbf{q}_m^\top \mathbf{a}_r)"},
                       {"position_to_content", R"(\mathbf{k}_n^\top \mathbf{a}_r)"}},
      .same_heads = true};
}

template <class T>
void Shaw<T>::check(const EncodingSettings& s) {
  const ShawOptions options = shaw_options_of(s.params);
  check_table_size("shaw.key_table", options.left + options.right + 1, s.d_head,
                   "shaw.clip, shaw.clip_ahead or the channels");
}

template <class T>
std::unique_ptr<Shaw<T>> Shaw<T>::make(const EncodingSettings& s) {
  ShawOptions options = shaw_options_of(s.params);
  const Index rows = options.left + options.right + 1;
  const double deviation = std::sqrt(2.0 / static_cast<double>(rows + s.d_head));
  const auto table = [&](const char* name) {
    return table_of<T>(s, name, rows, s.d_head, deviation);
  };
  const Matrix<T> keys = table("shaw.key_table");
  const std::string& variant = s.params.text("shaw.variant");
  if (variant == "keys_and_values")
    return std::make_unique<Shaw>(keys, table("shaw.value_table"), options, s.rounding);
  refuse_table(s, "shaw.value_table", "shaw.variant=keys_and_values");
  if (variant == "queries_and_keys") options.scores = ShawScores::queries_and_keys;
  const bool tied = variant == "tied";
  auto shaw = std::make_unique<Shaw>(keys, tied ? keys : Matrix<T>(), options, s.rounding);
  if (tied) shaw->value_name_ = "shaw.key_table";
  return shaw;
}

template <class T>
IndexMatrix Shaw<T>::table_index(PositionsIn m, PositionsIn n) const {
  return index_matrix(m, n, [this](Position r) { return shaw_index(r, options_); });
}

template <class T>
std::vector<TableTerm<T>> Shaw<T>::table_terms(const ScoreInputs<T>&) const {
  const TableTerm<T> of_query{
      .name = "content_to_position",
      .count = key_table_.rows(),
      .index = [this](PositionsIn m, PositionsIn n) { return table_index(m, n); },
      .rows = [this](Index first, Index count) -> Matrix<T> {
        return key_table_.middleRows(first, count);
      },
      .add_gradients =
          [this](Index first, const Matrix<T>& d_rows, Tables& d_tables) {
            gradient_of(d_tables, "shaw.key_table", key_table_.rows(), key_table_.cols())
                .middleRows(first, d_rows.rows()) += d_rows.template cast<double>();
          }};
  if (options_.scores != ShawScores::queries_and_keys) return {of_query};
  TableTerm<T> of_key = of_query;
  of_key.name = "position_to_content";
  of_key.side = TableTerm<T>::Side::key;
  return {of_query, std::move(of_key)};
}

template <class T>
void Shaw<T>::check_values(Index channels) const {
  if (channels == value_table_.cols()) return;
  throw UsageError(fmt::format("values with {} channels", channels),
                   fmt::format("the value table has {}", value_table_.cols()),
                   "give v with as many channels");
}

template <class T>
void Shaw<T>::add_to_output(const ValueInputs<T>& in, MatrixOut<T> out) const {
  if (value_table_.size() == 0) return;
  check_values(out.cols());
  // Weights of equal index first add up: [N_q, rows] times the table.
  const UsedRows used = used_rows(table_index(in.m, in.n));
  const Matrix<T> by_index = sums_by_query<T>(in.weights, used.index, used.count);
  out += assigned_product<T>(by_index, value_table_.middleRows(used.first, used.count));
}

template <class T>
void Shaw<T>::add_value_gradients(const ValueInputs<T>& in, const MatrixIn<T>& d_out,
                                  MatrixOut<T> d_weights, MatrixOut<T>, Tables& d_tables) const {
  if (value_table_.size() == 0) return;
  check_values(d_out.cols());
  const UsedRows used = used_rows(table_index(in.m, in.n));
  const Matrix<T> by_index = sums_by_query<T>(in.weights, used.index, used.count);
  const Matrix<T> d_by_index =
      product_with_transpose<T>(d_out, value_table_.middleRows(used.first, used.count));
  d_weights += gather_by_query<T>(d_by_index, used.index);
  gradient_of(d_tables, value_name_, value_table_.rows(), value_table_.cols())
      .middleRows(used.first, used.count) +=
      transposed_product<T>(by_index, d_out).template cast<double>();
}

template <class T>
std::optional<DistanceVectors<T>> Shaw<T>::value_vectors(const Distances& distances) const {
  if (value_table_.size() == 0) return DistanceVectors<T>{};
  return distance_vectors(value_table_, distances,
                          [this](Position ahead) { return shaw_index(-ahead, options_); });
}

template class Shaw<float>;
template class Shaw<double>;

}  // namespace orrery
