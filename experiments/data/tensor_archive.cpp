#include "experiments/data/tensor_archive.h"

#include <fmt/format.h>

#include <utility>

#include "core/errors.h"

namespace orrery {

TensorMap all_tensors(const TensorArchive& archive, std::string_view file,
                      std::size_t most_elements) {
  TensorMap tensors;
  std::size_t elements = 0;
  for (const std::string& name : archive.names()) {
    Tensor tensor = archive.tensor(name);
    elements += tensor.values.size();
    if (elements > most_elements)
      throw DataError(file,
                      fmt::format("has more elements than the limit of {} per run", most_elements),
                      "name one tensor, as in FILE#NAME");
    tensors.emplace(name, std::move(tensor));
  }
  return tensors;
}

}  // namespace orrery
