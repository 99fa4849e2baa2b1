#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/figure/document/document.h"

namespace orrery {

/// The passport of a model as a page; of two, which a null `other` is not, what differs comes first
/// and they stand side by side. Both must be as require_passport demands.
Document passport_page(const nlohmann::ordered_json& one, const nlohmann::ordered_json& other);

}  // namespace orrery
