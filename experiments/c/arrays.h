#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/params.h"
#include "core/position.h"
#include "experiments/c/orrery.h"
#include "experiments/data/array_codec.h"
#include "experiments/data/tensor_map.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// The values of a caller's array, exactly. Throws UsageError: no such type, a null pointer, another
/// struct_size; DataError as decode_array does.
Tensor tensor_of(const orrery_array& array, std::string_view name, Values allowed = Values::finite);

/// The positions in an array of whole numbers, [N]. Throws as tensor_of does, and DataError for
/// another shape or type.
Positions positions_of(const orrery_array& array, std::string_view name);

/// Writes the values, rounded once to the type of the caller's array. Throws UsageError: another
/// shape, or a type that is no floating point number.
void write_to(const orrery_array& out, const Array& values);

/// The array as the caller sees it: its numbers stay where they are.
orrery_array view_of(const Array& array);

/// The arrays of a call by their names, each taken once.
class Given {
 public:
  /// Throws UsageError: null where there are some, an array without a name, or one name twice.
  Given(const orrery_array* arrays, std::size_t count);

  /// Null when it was not given.
  const orrery_array* take(std::string_view name);
  std::optional<Tensor> take_tensor(std::string_view name, Values allowed = Values::finite);
  /// Says of the file parameters that have arrays here that these are given: `name_of_given`.
  void announce(ParamSet& params) const;
  /// What the file parameters name: the arrays of those that are announced, and the files of others.
  /// Throws UsageError where one was given a file as well, and what load_inputs throws.
  Inputs take_inputs(const ParamSet& params);
  std::vector<std::string> names() const;
  /// Throws UsageError, with the nearest of `known`, when one is left.
  void require_all_taken(const std::vector<std::string>& known) const;
  /// The same, of those that file parameters take.
  void require_all_taken(const ParamSet& params) const;

 private:
  struct One {
    std::string name;
    const orrery_array* array;
  };
  std::vector<One> arrays_{};
};

/// What a file parameter says whose array the caller gives.
inline constexpr std::string_view name_of_given = "(array)";

}  // namespace orrery
