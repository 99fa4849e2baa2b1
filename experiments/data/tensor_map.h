#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/data/array_codec.h"
#include "experiments/model/experiment.h"
#include "experiments/model/inputs.h"

namespace orrery {

/// The tensors of a file by name.
using TensorMap = std::map<std::string, Tensor, std::less<>>;

/// "weights.npz#layer0.q": a tensor of a file, in messages and captions.
std::string tensor_label(std::string_view file, std::string_view tensor);

/// The name among `names` that a user asked for; an empty `wanted` means the only one.
/// @param file  the file's name in messages
/// Throws UsageError: an unknown name (the nearest is suggested), or no name where there are
/// several (the first 8 are listed).
const std::string& resolve_tensor_name(const std::vector<std::string>& names,
                                       std::string_view wanted, const std::string& file);

/// A file of tensors whose header is read and checked at once, and whose values are decoded one
/// tensor at a time: a model's file has hundreds, of which a run needs one.
class TensorArchive {
 public:
  virtual ~TensorArchive() = default;
  /// Sorted, without duplicates, at least one.
  virtual std::vector<std::string> names() const = 0;
  /// @param name  one of names()
  /// Throws DataError: damaged, or outside the limits of a Tensor (see parse_npy).
  virtual Tensor tensor(const std::string& name, Values allowed = Values::finite) const = 0;
  /// Where its values lie, all checked but the values themselves. Empty where they are packed.
  /// Throws DataError as tensor() does for what is not a value.
  virtual std::optional<PlacedArray> place(const std::string& name) const = 0;
  /// Throws DataError for what the header alone tells: a shape or a type that is not read. Reads
  /// none of the values.
  virtual void require_readable(const std::string& name) const { place(name); }
};

/// Every tensor of the archive.
/// @param file  the file's name in messages
/// Throws DataError as TensorArchive::tensor does, and when all tensors together have more than
/// most_elements.
TensorMap all_tensors(const TensorArchive& archive, std::string_view file,
                      std::size_t most_elements = max_elements);

/// The tensor of a file parameter, taken out of the inputs; empty when the parameter is.
inline std::optional<Tensor> take_tensor(Inputs& inputs, const char* key) {
  const auto found = inputs.find(key);
  if (found == inputs.end()) return std::nullopt;
  std::optional<Tensor> tensor(std::move(std::get<Tensor>(found->second)));
  inputs.erase(found);
  return tensor;
}

}  // namespace orrery
