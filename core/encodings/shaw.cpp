#include "core/encodings/shaw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/content.h"
#include "core/errors.h"

namespace orrery {

Index shaw_index(Position r, Position clip) { return std::clamp(-r, -clip, clip) + clip; }

template <class T>
Shaw<T>::Shaw(Matrix<T> key_table, Matrix<T> value_table, const StageRounding& rounding)
    : key_table_(rounding.rounded<T>(Stage::table, std::move(key_table))),
      value_table_(rounding.rounded<T>(Stage::table, std::move(value_table))),
      clip_(key_table_.rows() / 2) {
  const bool odd = key_table_.rows() % 2 == 1;
  if (odd && (value_table_.size() == 0 || value_table_.rows() == key_table_.rows())) return;
  throw UsageError(fmt::format("tables of {} and {} rows", key_table_.rows(), value_table_.rows()),
                   "both must have 2·clip + 1 rows", "give one row for each of −clip … clip");
}

template <class T>
EncodingInfo Shaw<T>::info() {
  ParamSpec clip{.key = "shaw.clip",
                 .symbol = "k",
                 .unit = "tokens",
                 .description = "Distances beyond it share the vector at its edge.",
                 .kind = ParamKind::integer,
                 .default_value = std::int64_t{16},
                 .min = 0,
                 .max = 65536,
                 .logarithmic = false};
  ParamSpec variant{
      .key = "shaw.variant",
      .description = "Where the vectors of the relative position are added.",
      .kind = ParamKind::choice,
      .default_value = std::string("keys_and_values"),
      .choices = {{"keys_and_values", "a table each: the paper"},
                  {"keys_only", "the scores alone: what the paper's ablation finds enough"},
                  {"tied", "one table for both: NEZHA, bert4keras"}}};
  const std::string initial = "normal, deviation √(2/(2k + 1 + d)): tensor2tensor's Glorot scale";
  return {.name = "shaw",
          .label = "Shaw",
          .title = "Shaw's relative position vectors",
          .statement = "Adds a trained vector of the clipped distance to keys and to values.",
          .formula =
              "logit_mn = q_m·(k_n + a^K_r)/√d, o_m = Σ A_mn (v_n + a^V_r), r = clip(n − m, −k, k)",
          .source = "Shaw et al. 2018 eq. (3), (4); RoFormer eq. (5)",
          .params = {std::move(clip), std::move(variant)},
          .tables = {{"shaw.key_table", "[2k + 1, d_head]", "Added to keys, n − m = −k first.",
                      initial},
                     {"shaw.value_table", "[2k + 1, d_head]", "Added to values.", initial}},
          .stages = {Stage::table}};
}

template <class T>
std::unique_ptr<Shaw<T>> Shaw<T>::make(const EncodingSettings& s) {
  const Index rows = 2 * s.params.integer("shaw.clip") + 1;
  const double deviation = std::sqrt(2.0 / static_cast<double>(rows + s.d_head));
  const auto table = [&](const char* name) {
    return table_of<T>(s, name, rows, s.d_head, deviation);
  };
  const Matrix<T> keys = table("shaw.key_table");
  const std::string& variant = s.params.text("shaw.variant");
  if (variant == "keys_only") return std::make_unique<Shaw>(keys, Matrix<T>(), s.rounding);
  return std::make_unique<Shaw>(keys, variant == "tied" ? keys : table("shaw.value_table"),
                                s.rounding);
}

template <class T>
IndexMatrix Shaw<T>::table_index(PositionsIn m, PositionsIn n) const {
  return index_matrix(m, n, [this](Position r) { return shaw_index(r, clip_); });
}

template <class T>
std::vector<ScoreTerm<T>> Shaw<T>::score_terms(const ScoreInputs<T>& in) const {
  const IndexMatrix index = table_index(in.m, in.n);
  std::vector<ScoreTerm<T>> terms;
  terms.push_back(scaled_content_term<T>(in));
  terms.push_back({"content_to_position",
                   gather_by_query<T>(scaled_product<T>(in.q, key_table_, 1, in.scoring), index)});
  return terms;
}

template <class T>
void Shaw<T>::add_to_output(const ValueInputs<T>& in, MatrixOut<T> out) const {
  if (value_table_.size() == 0) return;
  if (out.cols() != value_table_.cols())
    throw UsageError(fmt::format("values with {} channels", out.cols()),
                     fmt::format("the value table has {}", value_table_.cols()),
                     "give v with as many channels");
  // Weights of equal index first add up: [N_q, 2k + 1] times the table.
  Matrix<T> by_index = Matrix<T>::Zero(in.weights.rows(), value_table_.rows());
  const IndexMatrix index = table_index(in.m, in.n);
  for (Index i = 0; i < index.rows(); ++i)
    for (Index j = 0; j < index.cols(); ++j) by_index(i, index(i, j)) += in.weights(i, j);
  out += by_index * value_table_;
}

template class Shaw<float>;
template class Shaw<double>;

}  // namespace orrery
