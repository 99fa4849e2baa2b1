#include "experiments/studies/rotation/vectors.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"

namespace orrery {
namespace {

ParamSpec of_file(ParamSpec spec) { return read_while("content", {"file"}, std::move(spec)); }

ParamSpec vector_param(const std::string& key, const std::string& what) {
  return of_file(
      array_file_param(key, what + ", $[N, d]$ or [heads, $N$, $d$], before the rotation."));
}

ParamSpec channel_param(const ParamName& name, const std::string& description, double value) {
  return read_while("content", {"plane"}, real_param(name, description, value, -2, 2));
}

QkPair vectors_in_plane(const ParamSet& params) {
  QkPair v{Matrix<double>(1, 2), Matrix<double>(1, 2)};
  v.q << params.real("q1"), params.real("q2");
  v.k << params.real("k1"), params.real("k2");
  return v;
}

Matrix<double> row_of(const Tensor& tensor, const ParamSet& params) {
  const auto head = tensor.shape.size() == 3 ? params.integer("head") : 0;
  const auto row = params.integer("row");
  const Matrix<double> rows = head_matrix<double>(tensor, static_cast<std::size_t>(head),
                                                  static_cast<std::size_t>(row + 1));
  if (rows.rows() <= row)
    throw DataError(shape_text(tensor), fmt::format("has no row {}", row),
                    fmt::format("choose row=0 to row={}", rows.rows() - 1));
  return rows.row(row);
}

/// The channels 0, 2, … and behind them 1, 3, …: what stood side by side is half a row apart.
Matrix<double> even_first(const Matrix<double>& row) {
  Matrix<double> ordered = row;
  const Index half = row.cols() / 2;
  for (Index t = 0; t < half; ++t) {
    ordered(0, t) = row(0, 2 * t);
    ordered(0, t + half) = row(0, 2 * t + 1);
  }
  return ordered;
}

QkPair vectors_of_file(const ParamSet& params, const Inputs& inputs) {
  const Tensor* q = tensor_of(inputs, "q");
  const Tensor* k = tensor_of(inputs, "k");
  if (!q)
    throw UsageError("content=file", "reads q from a file, and none is named", "give q=FILE.npy");
  QkPair v{row_of(*q, params), row_of(k ? *k : *q, params)};
  if (v.q.cols() != v.k.cols())
    throw DataError(fmt::format("{} and {}", shape_text(*q), shape_text(*k)),
                    "q and k must have the same d", "save them from the same head");
  return v;
}

}  // namespace

std::vector<ParamSpec> vector_params() {
  return {
      choice_param("content", "What $q$ and $k$ are before they are rotated.", "equal",
                   qk_content_choices(
                       {{"file", "a row of your own $q$ and $k$"},
                        {"plane", "$q = (q_1, q_2)$ and $k = (k_1, k_2)$: one pair, $d = 2$"}})),
      read_while("content", {"ones", "equal", "random"}, dim_param(64)),
      vector_param("q", "Your own queries"),
      vector_param("k", "Your own keys; without a file the same as $q$"),
      of_file(count_param("head", "Which head of the file, counted from 0.", 0, 0, 255)),
      of_file(count_param("row", "Which row of the file, counted from 0.", 0, 0, 1e6)),
      read_while(
          "content", {"ones", "equal", "random", "file"},
          choice_param("channels", "Order in which the channels of $q$ and $k$ stand.", "as_given",
                       {{"as_given", "as they are"},
                        {"even_first",
                         "0, 2, … and then 1, 3, …: as a checkpoint is converted from "
                         "interleaved to half_split"}})),
      channel_param({"q1", "$q_1$"}, "First channel of the query.", 1.0),
      channel_param({"q2", "$q_2$"}, "Second channel of the query.", 0.5),
      channel_param({"k1", "$k_1$"}, "First channel of the key.", 0.8),
      channel_param({"k2", "$k_2$"}, "Second channel of the key.", -0.6)};
}

QkPair vectors_of(const ParamSet& params, const Inputs& inputs) {
  const std::string& content = params.text("content");
  if (content == "plane") return vectors_in_plane(params);
  Random random(params.integer("seed"), "q and k of rotation");
  QkPair v = content == "file" ? vectors_of_file(params, inputs)
                               : qk_pairs(content, params.integer("dim"), 1, random).front();
  if (params.text("channels") == "even_first") v = {even_first(v.q), even_first(v.k)};
  return v;
}

}  // namespace orrery
