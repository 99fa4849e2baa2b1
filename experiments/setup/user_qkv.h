#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "experiments/model/experiment.h"
#include "experiments/setup/eigen_arrays.h"

namespace orrery {

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

}  // namespace orrery
