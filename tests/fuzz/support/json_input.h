#pragma once

#include <nlohmann/json.hpp>

#include "experiments/results/json_fields.h"
#include "tests/fuzz/harness.h"

namespace orrery::fuzz {

using Json = nlohmann::ordered_json;

/// The document; empty when it is not JSON.
inline std::optional<Json> parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

/// What a reader makes of our own JSON. Its caller turns both errors into a DataError.
template <class Read>
auto accepted_json(Read read) {
  return accepted<MalformedJson, nlohmann::json::exception>(read);
}

}  // namespace orrery::fuzz
