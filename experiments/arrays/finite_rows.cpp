#include "experiments/arrays/finite_rows.h"

#include <cmath>

namespace orrery {

std::vector<bool> finite_rows(const Array& array) {
  const bool is_column = !array.axes.empty() && array.axes.back() == "query";
  const std::size_t columns = is_column || array.shape.empty() ? 1 : array.shape.back();
  return std::visit(
      [&](const auto& values) {
        std::vector<bool> finite(columns == 0 ? 0 : values.size() / columns, true);
        for (std::size_t i = 0; i < values.size(); ++i)
          if (!std::isfinite(values[i])) finite[i / columns] = false;
        return finite;
      },
      array.values);
}

}  // namespace orrery
