#include "core/encodings/inkling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/encodings/relative_index.h"
#include "core/errors.h"
#include "core/param_specs.h"
#include "core/product.h"

namespace orrery {

template <class T>
Inkling<T>::Inkling(Matrix<T> mixing, Matrix<T> profiles, Index d_head,
                    const StageRounding& rounding)
    : mixing_(rounding.rounded<T>(Stage::table, std::move(mixing))),
      profiles_(rounding.rounded<T>(Stage::table, std::move(profiles))),
      d_head_(d_head) {
  if (d_head_ > 0 && mixing_.rows() > 0 && mixing_.rows() % d_head_ == 0 &&
      mixing_.cols() == profiles_.rows() && profiles_.size() > 0)
    return;
  throw UsageError(fmt::format("mixing [{}, {}] and profiles [{}, {}]", mixing_.rows(),
                               mixing_.cols(), profiles_.rows(), profiles_.cols()),
                   "must be [heads·d_head, profiles] and [profiles, extent]",
                   "save both from the same layer");
}

template <class T>
EncodingInfo Inkling<T>::info() {
  ParamSpec extent =
      log_count_param({"inkling.extent", "", "tokens"},
                      "Distances with a bias; farther keys have none.", 1024, 1, 1e6);
  ParamSpec profiles = count_param(
      "inkling.profiles", "Profiles of bias against distance that a query mixes.", 16, 1, 1024);
  return {
      .name = "inkling",
      .label = "Inkling",
      .title = "Inkling's content-mixed relative bias",
      .statement = "Adds a bias by distance that each query mixes of a few trained profiles.",
      .source = "Transformers, modeling_inkling",
      .formulas =
          {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} + \mathbf{r}_m^\top \mathbf{P}_{m-n}, \quad \mathbf{r}_m = \mathbf{W}_h^\top \mathbf{q}_m)",
            "modeling_inkling"},
           {R"(\mathbf{P}_{m-n} = \mathbf{0} \text{ for } m - n < 0 \text{ and from } m - n = \mathrm{extent} \text{ on})",
            "modeling_inkling", in_descriptions}},
      .symbols = {{"r_m", "shares of the profiles, read from the query"},
                  {"P_{m-n}", "value of each trained profile at a distance"}},
      .params = {std::move(extent), std::move(profiles)},
      .tables = {{"inkling.mixing", "[heads·d_head, profiles]",
                  "Makes shares of the profiles of a query, head by head.",
                  "normal, deviation $d_\\mathrm{head}^{−1/2}$"},
                 {"inkling.profiles", "[profiles, extent]", "Bias against distance, for all heads.",
                  "normal, deviation 0.02"}},
      .stages = {Stage::table},
      .term_symbols = {{"mixed_bias", R"(\mathbf{r}_m^\top \mathbf{P}_{m-n})"}}};
}

template <class T>
void Inkling<T>::check(const EncodingSettings& s) {
  const Index profiles = s.params.integer("inkling.profiles");
  check_table_size("inkling.profiles", profiles, s.params.integer("inkling.extent"),
                   "inkling.extent");
  check_table_size("inkling.mixing", s.heads * s.d_head, profiles, "inkling.profiles");
}

template <class T>
std::unique_ptr<Inkling<T>> Inkling<T>::make(const EncodingSettings& s) {
  check(s);
  const Index profiles = s.params.integer("inkling.profiles");
  return std::make_unique<Inkling>(
      table_of<T>(s, "inkling.mixing", s.heads * s.d_head, profiles,
                  1.0 / std::sqrt(static_cast<double>(s.d_head))),
      table_of<T>(s, "inkling.profiles", profiles, s.params.integer("inkling.extent"),
                  initial_deviation),
      s.d_head, s.rounding);
}

template <class T>
Index Inkling<T>::row_of(Position distance) const {
  const Index extent = profiles_.cols();
  return distance < 0 || distance >= extent ? extent : static_cast<Index>(distance);
}

template <class T>
Matrix<T> Inkling<T>::vectors_of(const ScoreInputs<T>& in) const {
  check_head(in.head, mixing_.rows() / d_head_);
  if (in.q.cols() != d_head_)
    throw UsageError(fmt::format("q with {} channels", in.q.cols()),
                     fmt::format("this bias was made for d_head={}", d_head_),
                     "give q and k with as many channels");
  Matrix<T> rows = Matrix<T>::Zero(profiles_.cols() + 1, d_head_);
  const Matrix<T> profiles = profiles_.transpose();
  rows.topRows(profiles_.cols()) = product_with_transpose<T>(
      profiles, mixing_.middleRows(static_cast<Index>(in.head) * d_head_, d_head_));
  return rows;
}

template <class T>
void Inkling<T>::add_vector_gradients(int head, Index first, const Matrix<T>& d_rows,
                                      Tables& d_tables) const {
  // The row behind those of the profiles is always zeros.
  const Index count = std::min(d_rows.rows(), profiles_.cols() - first);
  if (count <= 0) return;
  const Index begin = static_cast<Index>(head) * d_head_;
  const Matrix<T> d_vectors = d_rows.topRows(count).transpose();
  gradient_of(d_tables, "inkling.mixing", mixing_.rows(), mixing_.cols())
      .middleRows(begin, d_head_) +=
      product_with_transpose<T>(d_vectors, profiles_.middleCols(first, count))
          .template cast<double>();
  gradient_of(d_tables, "inkling.profiles", profiles_.rows(), profiles_.cols())
      .middleCols(first, count) +=
      transposed_product<T>(mixing_.middleRows(begin, d_head_), d_vectors).template cast<double>();
}

template <class T>
std::vector<TableTerm<T>> Inkling<T>::table_terms(const ScoreInputs<T>& in) const {
  std::vector<TableTerm<T>> terms;
  terms.push_back(
      {.name = "mixed_bias",
       .scaled = false,
       .count = profiles_.cols() + 1,
       .index =
           [this](PositionsIn m, PositionsIn n) {
             return index_matrix(m, n, [this](Position r) { return row_of(r); });
           },
       .rows = [vectors = vectors_of(in)](Index first, Index count) -> Matrix<T> {
         return vectors.middleRows(first, count);
       },
       .add_gradients =
           [this, head = in.head](Index first, const Matrix<T>& d_rows, Tables& d_tables) {
             add_vector_gradients(head, first, d_rows, d_tables);
           }});
  return terms;
}

template class Inkling<float>;
template class Inkling<double>;

}  // namespace orrery
