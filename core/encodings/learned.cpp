#include "core/encodings/learned.h"

#include <fmt/format.h>

#include "core/encodings/common_formulas.h"
#include "core/errors.h"
#include "core/param_specs.h"

namespace orrery {

template <class T>
Learned<T>::Learned(Matrix<T> table, StageRounding rounding)
    : table_(rounding.rounded<T>(Stage::table, std::move(table))), rounding_(rounding) {}

template <class T>
EncodingInfo Learned<T>::info() {
  ParamSpec length =
      log_count_param({"learned.length", "$L$", "tokens"},
                      "Rows of the table: positions 0 to $L − 1$ exist, no other.", 512, 1, 1e6);
  return {.name = "learned",
          .label = "learned",
          .title = "Learned absolute positions",
          .statement = "Adds a trained vector of each position to the input.",
          .source = "RoFormer eq. (3); Gehring et al. 2017; Devlin et al. 2019 (BERT)",
          .formulas = {{R"(\mathbf{q}_m = \mathbf{W}_q (\mathbf{x}_m + \mathbf{p}_m))", "eq. (3)"},
                       {R"(\mathbf{p}_m \text{ trained}, \quad m < L)", "", in_descriptions}},
          .score_formulas = {four_terms_formula},
          .symbols = {query_vector_meaning,
                      key_vector_meaning,
                      {"L", "number of positions that are trained"}},
          .params = {std::move(length)},
          .tables = {{"learned.table", "[L, d_model]", "The vector of each position.",
                      "normal, deviation 0.02 (BERT)"}},
          .length_param = "learned.length",
          .stages = {Stage::table, Stage::input},
          .term_symbols = four_term_symbols(),
          .same_heads = true};
}

template <class T>
void Learned<T>::check(const EncodingSettings& s) {
  check_table_size("learned.table", s.params.integer("learned.length"), s.d_model,
                   "learned.length or the channels");
}

template <class T>
std::unique_ptr<Learned<T>> Learned<T>::make(const EncodingSettings& s) {
  const Index length = s.params.integer("learned.length");
  return std::make_unique<Learned>(
      table_of<T>(s, "learned.table", length, s.d_model, initial_deviation), s.rounding);
}

template <class T>
void Learned<T>::check_width(const MatrixIn<T>& x) const {
  if (x.cols() == table_.cols()) return;
  throw UsageError(fmt::format("x with {} channels", x.cols()),
                   fmt::format("the learned table has d_model={}", table_.cols()),
                   "give x with as many channels");
}

template <class T>
Index Learned<T>::row_of(Position position) const {
  if (position >= 0 && position < table_.rows()) return position;
  throw UsageError(
      fmt::format("position {}", position),
      fmt::format("the learned table has positions 0 to {}", table_.rows() - 1),
      "give fewer tokens, raise learned.length or choose an encoding that is defined at every "
      "position");
}

template <class T>
void Learned<T>::add_to_input(PositionsIn positions, MatrixOut<T> x) const {
  check_positions(positions, x.rows());
  check_width(x);
  for (Index i = 0; i < x.rows(); ++i)
    x.row(i) += table_.row(row_of(positions[static_cast<std::size_t>(i)]));
  rounding_.apply<T>(Stage::input, x);
}

template <class T>
void Learned<T>::add_input_gradients(PositionsIn positions, const MatrixIn<T>& d_x,
                                     Tables& d_tables) const {
  check_positions(positions, d_x.rows());
  check_width(d_x);
  Matrix<double>& d_table = gradient_of(d_tables, "learned.table", table_.rows(), table_.cols());
  for (Index i = 0; i < d_x.rows(); ++i)
    d_table.row(row_of(positions[static_cast<std::size_t>(i)])) +=
        d_x.row(i).template cast<double>();
}

template class Learned<float>;
template class Learned<double>;

}  // namespace orrery
