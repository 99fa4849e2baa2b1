#include "experiments/model/notices.h"

#include <fmt/format.h>

namespace orrery {
namespace {

constexpr std::string_view between_parts = " · ", between_clauses = "; ";

bool is_notice(std::string_view part) {
  const bool of_cut = part.starts_with("first ") && part.ends_with(" tokens") &&
                      part.find(" of ") != std::string_view::npos;
  return part == untrained_notice || part == trained_notice || part == small_models_notice ||
         of_cut || part.starts_with("assuming that ");
}

/// Calls `take` with each piece of the text between the separators.
template <class Take>
void split(std::string_view text, std::string_view separator, const Take& take) {
  for (;;) {
    const std::size_t at = text.find(separator);
    take(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + separator.size());
  }
}

}  // namespace

std::string cut_notice(std::size_t kept, std::size_t all, bool and_more) {
  return fmt::format("first {} of {}{} tokens", kept, and_more ? "more than " : "", all);
}

std::string assumption_notice(std::string_view what) {
  return fmt::format("assuming that {}", what);
}

std::string notices_in(std::string_view caption) {
  std::string notices;
  split(caption, between_parts, [&](std::string_view part) {
    split(part, between_clauses, [&](std::string_view clause) {
      if (!is_notice(clause)) return;
      if (!notices.empty()) notices += between_parts;
      notices += clause;
    });
  });
  return notices;
}

}  // namespace orrery
