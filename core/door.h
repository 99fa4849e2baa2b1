#pragma once

#include <string_view>

namespace orrery {

/// Where position enters attention; core/encoding.h has a class for each.
enum class Door { input_term, qk_transform, score_terms, value_term };

/// "input_term", "qk_transform", "score_terms" or "value_term".
constexpr std::string_view name(Door door) {
  switch (door) {
    case Door::input_term:
      return "input_term";
    case Door::qk_transform:
      return "qk_transform";
    case Door::score_terms:
      return "score_terms";
    case Door::value_term:
      break;
  }
  return "value_term";
}

}  // namespace orrery
