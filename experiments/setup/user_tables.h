#pragma once

#include <string>
#include <vector>

#include "core/encodings/settings.h"
#include "experiments/data/tensor_map.h"

namespace orrery {

/// The user's tables as an encoding takes them. Throws DataError for one that is no vector or
/// matrix.
Tables tables_of(const TensorMap& given);

/// Throws UsageError, with the nearest name, for a table that neither the encoding nor `also`
/// reads.
void check_table_names(const EncodingInfo& info, const TensorMap& given,
                       const std::vector<std::string>& also = {});

}  // namespace orrery
