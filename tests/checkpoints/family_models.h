#pragma once

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/largest.h"
#include "core/types.h"
#include "experiments/data/npz.h"
#include "experiments/files/file.h"
#include "tests/support/paths.h"

namespace orrery::test {

/// Models of tests/golden/transformer: a folder each, with what Transformers computes of it.
inline std::vector<std::filesystem::path> family_models() {
  std::vector<std::filesystem::path> models;
  for (const auto& entry :
       std::filesystem::directory_iterator(tests_folder() + "/golden/transformer"))
    if (entry.is_directory()) models.push_back(entry.path());
  std::sort(models.begin(), models.end());
  return models;
}

/// What Transformers computed for a model.
class Expected {
 public:
  explicit Expected(const std::filesystem::path& model)
      : bytes_(read_file(model / "expected.npz", 1 << 24)),
        arrays_(parse_npz(bytes_, "expected.npz")) {}

  bool has(const std::string& name) const { return arrays_.count(name) == 1; }
  const TensorMap& arrays() const { return arrays_; }

  /// An array as a matrix of its last dimension; of one with heads that of a head.
  Matrix<double> matrix(const std::string& name, std::size_t head = 0) const {
    const auto& tensor = arrays_.at(name);
    const std::size_t columns = tensor.shape.back();
    const std::size_t rows = tensor.shape.size() < 2 ? 1 : tensor.shape[tensor.shape.size() - 2];
    const double* first = tensor.values.data() + head * rows * columns;
    return Eigen::Map<const Matrix<double>>(first, static_cast<Index>(rows),
                                            static_cast<Index>(columns));
  }

  std::vector<std::int32_t> integers(const std::string& name) const {
    std::vector<std::int32_t> ids;
    if (has(name))
      for (const double value : arrays_.at(name).values)
        ids.push_back(static_cast<std::int32_t>(value));
    return ids;
  }

 private:
  std::string bytes_;
  TensorMap arrays_;
};

/// The largest difference, over the largest number of what was expected; NaN keeps a NaN, and other
/// shapes are infinitely far.
template <class T>
double relative_error(const Matrix<T>& computed, const Matrix<double>& expected) {
  if (computed.rows() != expected.rows() || computed.cols() != expected.cols())
    return std::numeric_limits<double>::infinity();
  const Matrix<double> wide = computed.template cast<double>();
  return largest_difference<double>(wide, expected) / largest_magnitude<double>(expected);
}

}  // namespace orrery::test
