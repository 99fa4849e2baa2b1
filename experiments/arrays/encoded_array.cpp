#include "experiments/arrays/encoded_array.h"

#include <utility>

namespace orrery {

std::shared_ptr<const Array> encoded_array(
    const std::vector<std::size_t>& shape,
    std::variant<std::vector<double>, std::vector<float>> values) {
  Array out{.name = "encoded", .shape = shape};
  out.axes = {"batch", "head", "position", "channel"};
  out.axes.erase(out.axes.begin(), out.axes.end() - static_cast<std::ptrdiff_t>(shape.size()));
  out.values = std::move(values);
  return std::make_shared<const Array>(std::move(out));
}

}  // namespace orrery
