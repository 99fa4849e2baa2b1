#pragma once

#include <string>
#include <vector>

#include "core/encodings/settings.h"
#include "experiments/model/experiment.h"

namespace orrery {

// Trained tables of the user: files of arrays, each under the table's own name, and `tables`, one
// file of several.

/// A file of one table.
ParamSpec table_param(const std::string& name, const std::string& description);
/// A file for each table of each encoding, read while "encoding" names that encoding; and "tables".
std::vector<ParamSpec> encoding_table_params();

/// Those that are given. Throws DataError for one that is no vector or matrix.
Tables tables_of(const ParamSet& params, const Inputs& inputs);

}  // namespace orrery
