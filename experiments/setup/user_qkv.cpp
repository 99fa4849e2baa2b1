#include "experiments/setup/user_qkv.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/setup/common_params.h"

namespace orrery {

ParamSpec user_param(const std::string& key, const std::string& what) {
  return array_file_param(
      key, what + ", $[N, d]$ or [heads, $N$, $d$], of a .npy, .npz or .safetensors file.");
}

ParamSpec head_of_files_param() {
  return count_param("head", "Which head of the files, counted from 0.", 0, 0, 1023);
}

std::vector<PairedFiles> paired_qk() {
  return {{.first = "q", .second = "k", .reader = "attention", .on_screen_only = true}};
}

ParamSpec unless_q_is_given(ParamSpec spec) { return read_while("q", {""}, std::move(spec)); }

UserQkv user_qkv(const Inputs& inputs) {
  return {tensor_of(inputs, "q"), tensor_of(inputs, "k"), tensor_of(inputs, "v")};
}

std::size_t rows_of(const Tensor& tensor) {
  static_cast<void>(heads_of(tensor));  // throws for another rank
  return tensor.shape[tensor.shape.size() - 2];
}

template <class T>
std::pair<Matrix<T>, Matrix<T>> queries_and_keys(const UserQkv& given, const HeadOf<T>& head_of) {
  if (!given.q || !given.k)
    throw UsageError(given.q ? "q without k" : "k or v without q", "attention needs q and k",
                     "give both, q=FILE.npy k=FILE.npy, or neither");
  Matrix<T> q = head_of(*given.q);
  Matrix<T> k = head_of(*given.k);
  if (q.rows() != k.rows() || q.cols() != k.cols())
    throw DataError(fmt::format("{} and {}", shape_text(*given.q), shape_text(*given.k)),
                    "q and k must have the same N and d", "save them from the same head");
  return {std::move(q), std::move(k)};
}

template <class T>
Matrix<T> values_or_keys(const UserQkv& given, const Matrix<T>& keys, const HeadOf<T>& head_of) {
  if (!given.v) return keys;
  Matrix<T> v = head_of(*given.v);
  if (v.rows() != keys.rows())
    throw DataError(fmt::format("{} and {}", shape_text(*given.k), shape_text(*given.v)),
                    "k and v must have the same N", "save them from the same head");
  return v;
}

template std::pair<Matrix<float>, Matrix<float>> queries_and_keys(const UserQkv&,
                                                                  const HeadOf<float>&);
template std::pair<Matrix<double>, Matrix<double>> queries_and_keys(const UserQkv&,
                                                                    const HeadOf<double>&);
template Matrix<float> values_or_keys(const UserQkv&, const Matrix<float>&, const HeadOf<float>&);
template Matrix<double> values_or_keys(const UserQkv&, const Matrix<double>&,
                                       const HeadOf<double>&);

std::vector<Choice> qk_content_choices(std::vector<Choice> others) {
  std::vector<Choice> choices{
      {"ones", "$q = k = (1, …, 1)$"},
      {"equal", "$q = k$, standard normal: a token that attends to itself"},
      {"random", "$q$ and $k$ independent standard normals: no decay on average"}};
  for (Choice& other : others) choices.push_back(std::move(other));
  return choices;
}

std::vector<QkPair> qk_pairs(const std::string& content, Index d, std::int64_t draws,
                             Random& random) {
  const Matrix<double> ones = Matrix<double>::Ones(1, d);
  if (content == "ones") return {{ones, ones}};
  std::vector<QkPair> pairs;
  for (std::int64_t i = 0; i < draws; ++i) {
    const Matrix<double> q = normal_matrix<double>(random, 1, d);
    pairs.push_back({q, content == "equal" ? q : normal_matrix<double>(random, 1, d)});
  }
  return pairs;
}

}  // namespace orrery
