#include "experiments/setup/eigen_arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/setup/common_params.h"

namespace orrery {

template <class T>
ArrayPtr to_array(const Matrix<T>& values, std::string name, std::string description,
                  std::vector<std::string> axes, FigureRole role) {
  const auto size = static_cast<std::size_t>(values.size());
  return std::make_shared<const Array>(
      Array{std::move(name),
            std::move(description),
            {static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols())},
            std::move(axes),
            std::vector<T>(values.data(), values.data() + size),
            std::move(role)});
}

ArrayPtr mask_array(const Mask& mask, Index n) {
  if (mask.allows_everything()) return nullptr;
  mask.check_shape(n, n);
  Matrix<float> masked(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) masked(i, j) = mask.allows(i, j) ? 0.0f : 1.0f;
  return to_array<float>(masked, "masked", "1 where the query does not see the key",
                         {"query", "key"});
}

const Tensor* tensor_of(const Inputs& inputs, std::string_view key) {
  const auto found = inputs.find(key);
  return found == inputs.end() ? nullptr : std::get_if<Tensor>(&found->second);
}

std::string shape_text(const Tensor& tensor) {
  return fmt::format("{} of shape [{}]", tensor.name, fmt::join(tensor.shape, ", "));
}

std::size_t heads_of(const Tensor& tensor) {
  const std::size_t rank = tensor.shape.size();
  if (rank == 2) return 1;
  if (rank == 3) return tensor.shape.front();
  throw DataError(shape_text(tensor), "must be [N, d] or [heads, N, d]",
                  "reshape it and save it again");
}

template <class T>
Matrix<T> head_matrix(const Tensor& tensor, std::size_t head, std::size_t most_rows) {
  const std::size_t heads = heads_of(tensor);
  if (head >= heads)
    throw DataError(shape_text(tensor), fmt::format("has no head {}", head),
                    fmt::format("choose head=0 to head={}", heads - 1));
  const std::size_t rows = tensor.shape[tensor.shape.size() - 2];
  const std::size_t columns = tensor.shape.back();
  const std::size_t used = std::min<std::size_t>(rows, most_rows);
  Matrix<T> values(static_cast<Index>(used), static_cast<Index>(columns));
  const std::size_t offset = head * rows * columns;
  for (std::size_t i = 0; i < used * columns; ++i)
    values.data()[i] = static_cast<T>(tensor.values[offset + i]);
  return values;
}

std::size_t matrices_in(const Tensor& tensor) {
  if (tensor.shape.size() < 2)
    throw DataError(shape_text(tensor), "must have rows and channels, [N, d]",
                    "reshape it and save it again");
  return tensor.values.size() / (tensor.shape.back() * tensor.shape[tensor.shape.size() - 2]);
}

template <class T>
Matrix<T> matrix_in(const Tensor& tensor, std::size_t number) {
  const std::size_t rows = tensor.shape[tensor.shape.size() - 2];
  const std::size_t columns = tensor.shape.back();
  Matrix<T> values(static_cast<Index>(rows), static_cast<Index>(columns));
  for (std::size_t i = 0; i < rows * columns; ++i)
    values.data()[i] = static_cast<T>(tensor.values[number * rows * columns + i]);
  return values;
}

Matrix<double> to_matrix(const Tensor& tensor) {
  const std::size_t rank = tensor.shape.size();
  if (rank != 1 && rank != 2)
    throw DataError(shape_text(tensor), "must be a vector or a matrix",
                    "reshape it and save it again");
  const auto columns = static_cast<Index>(tensor.shape.back());
  const Index rows = rank == 2 ? static_cast<Index>(tensor.shape.front()) : 1;
  Matrix<double> table(rows, columns);
  std::copy(tensor.values.begin(), tensor.values.end(), table.data());
  return table;
}

template ArrayPtr to_array(const Matrix<float>&, std::string, std::string, std::vector<std::string>,
                           FigureRole);
template ArrayPtr to_array(const Matrix<double>&, std::string, std::string,
                           std::vector<std::string>, FigureRole);
template Matrix<float> head_matrix(const Tensor&, std::size_t, std::size_t);
template Matrix<double> head_matrix(const Tensor&, std::size_t, std::size_t);
template Matrix<float> matrix_in(const Tensor&, std::size_t);
template Matrix<double> matrix_in(const Tensor&, std::size_t);

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

ParamSpec table_param(const std::string& name, const std::string& description) {
  ParamSpec spec = array_file_param(name, description);
  spec.symbol.clear();
  spec.group = table_group;
  return spec;
}

std::vector<ParamSpec> encoding_table_params() {
  std::vector<ParamSpec> specs{file_param(
      "tables", "A file of several tables under their own names.", {"npz", "safetensors"})};
  specs.back().group = table_group;
  const std::vector<ParamSpec> settings = with_encoding_params({});
  const auto find = [](const std::vector<ParamSpec>& some, const std::string& key) {
    return std::ranges::find(some, key, &ParamSpec::key);
  };
  for (const EncodingEntry& entry : encoding_catalogue())
    for (const TableSpec& table : entry.info.tables) {
      const bool is_list = find(settings, table.name) != settings.end();
      const std::string key = table.name + (is_list ? ".file" : "");
      if (const auto known = find(specs, key); known != specs.end()) {
        specs[static_cast<std::size_t>(known - specs.begin())].used_when->any_of.push_back(
            entry.info.name);
        continue;
      }
      specs.push_back(read_while(
          "encoding", {entry.info.name},
          table_param(key, fmt::format("{} Otherwise {}.", table.description, table.initial))));
    }
  return specs;
}

Tables tables_of(const ParamSet& params, const Inputs& inputs) {
  Tables tables;
  for (const ParamSpec& spec : params.specs())
    if (const Tensor* given = spec.group == table_group ? tensor_of(inputs, spec.key) : nullptr)
      tables.emplace(table_of_key(spec.key), to_matrix(*given));
  return tables;
}

}  // namespace orrery
