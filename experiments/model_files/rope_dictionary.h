#pragma once

#include <map>
#include <string>
#include <string_view>

#include "experiments/model_files/config_values.h"

namespace orrery {

/// The dictionary of RoPE's settings that a type of layers reads, from rope_parameters,
/// rope_scaling or the keys of older files.
struct RopeDictionary {
  Json values = Json::object();
  std::map<std::string, std::string, std::less<>> reasons{};  ///< by key
  bool is_null{};             ///< the file has null for this type of layers: no position encoding
  bool is_nested{};           ///< one dictionary per type
  bool outer_truncate{true};  ///< `truncate` beside the nested dictionaries

  /// Null where the dictionary has no such key, or null for it.
  const Json* find(std::string_view key) const;
  /// Throws DataError unless the value is a finite number.
  Valued<double> number(std::string_view key, const ConfigValues& config) const;
};

/// Precedence as in Transformers 5.23: rope_scaling, where it is not empty, in place of
/// rope_parameters; a dictionary is nested where a VALUE of it is a dictionary. Throws DataError.
RopeDictionary rope_dictionary(const ConfigValues& config, std::string_view layer_type);

}  // namespace orrery
