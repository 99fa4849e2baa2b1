#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attention/mask.h"
#include "core/encodings/settings.h"
#include "core/random.h"
#include "experiments/model/experiment.h"

namespace orrery {

// Matrices of the core to arrays of a result, and tensors of the user to matrices.

using ArrayPtr = std::shared_ptr<const Array>;

/// A matrix as an array of a result, in its own precision. axes names rows and columns.
template <class T>
ArrayPtr to_array(const Matrix<T>& values, std::string name, std::string description,
                  std::vector<std::string> axes, FigureRole role = {});

/// 1 where one of n queries does not see one of n keys, [n, n]; null when every one sees all.
/// Throws UsageError when the mask has another shape.
ArrayPtr mask_array(const Mask& mask, Index n);

/// The tensor that a file parameter named, or null.
const Tensor* tensor_of(const Inputs& inputs, std::string_view key);

/// "q.npy of shape [4, 64]": for messages.
std::string shape_text(const Tensor& tensor);

/// Heads of a [N, d] or [heads, N, d] array: 1 or its first dimension. Throws DataError for another
/// rank.
std::size_t heads_of(const Tensor& tensor);

/// One head of such an array, at most `most_rows` rows of it. Throws DataError when there is no
/// such head.
template <class T>
Matrix<T> head_matrix(const Tensor& tensor, std::size_t head, std::size_t most_rows);

/// Matrices [N, d] in an array of rank 2 or more: the product of its other dimensions. Throws
/// DataError for rank 1.
std::size_t matrices_in(const Tensor& tensor);

/// The matrix [N, d] of that number, counted with the last of the other dimensions fastest.
template <class T>
Matrix<T> matrix_in(const Tensor& tensor, std::size_t number);

/// A table or vector, which becomes one row. Throws DataError for rank 0 or above 2.
Matrix<double> to_matrix(const Tensor& tensor);

// Queries and keys that neither a text nor a projection provides: the user's own q, k and v, files
// of [N, d] or [heads, N, d] of which one head is taken, and drawn ones.

/// The parameter of one of these files; `what` is "Your own queries".
ParamSpec user_param(const std::string& key, const std::string& what);
/// "head": which one of the files.
ParamSpec head_of_files_param();
/// q and k, which attention reads together.
std::vector<PairedFiles> paired_qk();
/// Restricts a parameter to runs without q: it describes how q, k and v are made without files.
ParamSpec unless_q_is_given(ParamSpec spec);

/// Null where no file was given.
struct UserQkv {
  const Tensor* q{};
  const Tensor* k{};
  const Tensor* v{};
  bool any() const { return q || k || v; }
};

UserQkv user_qkv(const Inputs& inputs);

/// N of a file of [N, d] or [heads, N, d].
std::size_t rows_of(const Tensor& tensor);

/// Takes the head that is meant out of a file, [N, d].
template <class T>
using HeadOf = std::function<Matrix<T>(const Tensor&)>;

/// q and k, each [N, d]. Throws UsageError unless both are given, DataError unless they have the
/// same shape, and what head_of does.
template <class T>
std::pair<Matrix<T>, Matrix<T>> queries_and_keys(const UserQkv& given, const HeadOf<T>& head_of);

/// v [N, d_v], or the keys where none is given. Throws DataError for another N than that of the
/// keys.
template <class T>
Matrix<T> values_or_keys(const UserQkv& given, const Matrix<T>& keys, const HeadOf<T>& head_of);

/// A query and a key before any rotation.
struct QkPair {
  Matrix<double> q;  ///< [1, d]
  Matrix<double> k;  ///< [1, d]
};

/// The choices "ones", "equal" and "random", and behind them `others`.
std::vector<Choice> qk_content_choices(std::vector<Choice> others);

/// Pairs of d channels by one of these choices: one pair of "ones", otherwise `draws` pairs, q
/// drawn before k.
std::vector<QkPair> qk_pairs(const std::string& content, Index d, std::int64_t draws,
                             Random& random);

// Trained tables of the user: files of arrays, each under the table's own name, and `tables`, one
// file of several.

/// A file of one table.
ParamSpec table_param(const std::string& name, const std::string& description);
/// A file for each table of each encoding, read while "encoding" names that encoding; and "tables".
std::vector<ParamSpec> encoding_table_params();

/// Those that are given. Throws DataError for one that is no vector or matrix.
Tables tables_of(const ParamSet& params, const Inputs& inputs);

}  // namespace orrery
