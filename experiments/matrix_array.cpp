#include "experiments/matrix_array.h"

namespace orrery {

template <class T>
ArrayPtr array_of(const Matrix<T>& values, std::string name, std::string description,
                  std::vector<std::string> axes) {
  const auto size = static_cast<std::size_t>(values.size());
  return std::make_shared<const Array>(
      Array{std::move(name),
            std::move(description),
            {static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols())},
            std::move(axes),
            std::vector<T>(values.data(), values.data() + size)});
}

ArrayPtr mask_array(const Mask& mask, Index n) {
  if (mask.allows_everything()) return nullptr;
  mask.check_shape(n, n);
  Matrix<float> masked(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) masked(i, j) = mask.allows(i, j) ? 0.0f : 1.0f;
  return array_of<float>(masked, "masked", "1 where the query does not see the key",
                         {"query", "key"});
}

template ArrayPtr array_of(const Matrix<float>&, std::string, std::string,
                           std::vector<std::string>);
template ArrayPtr array_of(const Matrix<double>&, std::string, std::string,
                           std::vector<std::string>);

}  // namespace orrery
