#pragma once

#include <string>
#include <vector>

#include "experiments/checkpoints/family.h"
#include "experiments/checkpoints/keys.h"
#include "experiments/checkpoints/placed_tensors.h"
#include "experiments/checkpoints/tensor_store.h"

namespace orrery {

/// Finds tensors by a family's names.
class TensorFinder {
 public:
  /// Both must outlive it.
  TensorFinder(const TensorStore& store, const TensorNames& names);

  /// The first of the names that the file has, behind a prefix or without.
  /// @param suffix  ".weight", or "" for a tensor that has none
  PlacedTensor find(std::string_view names, std::string_view suffix) const;
  /// Throws DataError: the file has none of them.
  [[noreturn]] void refuse_missing(std::string_view names, std::string_view suffix) const;
  const TensorStore& store() const { return store_; }

 private:
  const TensorStore& store_;
  std::vector<std::string> prefixes_{};  ///< "" is the last
};

/// The places of a stack's weights, each of the shape and presence that the keys and the plan imply.
/// Sets the number of kv heads in the design, where the files do not say it.
/// @param plan  of the layers of the stack
/// Throws DataError, naming file and tensor: one that is missing, of another shape, of a type that is
/// not decoded, or that some layers have and others lack.
Places find_places(const TensorStore& store, const TensorNames& names,
                   const std::vector<LayerPlan>& plan, ModelKeys& keys);

/// The tensors of the file that no place names and that are no buffers of the code, as
/// "attn.masked_bias" is: a part of the model that the family does not have.
std::vector<std::string> unread_tensors(const TensorStore& store,
                                        const std::vector<const Places*>& places);

}  // namespace orrery
