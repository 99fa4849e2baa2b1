#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "app/session/view_state.h"
#include "experiments/model/result.h"

namespace orrery {

/// More grey curves than this cannot be told apart.
inline constexpr std::size_t max_references = 4;

/// How the settings of two results of one experiment differ, in words. Settings that only one of
/// them reads follow from the others and are left out.
struct SettingsContrast {
  std::string shown_encodings{};  ///< "ALiBi"; empty where the encodings are the same
  std::string other_encodings{};  ///< "RoPE + T5"
  std::string shown{};            ///< the other settings that differ: "dim 128 · base 10 000"
  std::string other{};            ///< "dim 64 · base 500 000"
  std::string other_values{};     ///< "64 · 500 000"

  bool same() const { return shown_encodings.empty() && shown.empty(); }
};
SettingsContrast contrast_of(const Provenance& shown, const Provenance& other);

/// What sets `other` apart, "RoPE · base 500 000", or in short "RoPE · 500 000"; "same settings"
/// where nothing does.
std::string reference_name(const SettingsContrast& contrast);
std::string short_reference_name(const SettingsContrast& contrast);

/// The key of an experiment's parameter of that role; empty without one.
std::string key_of_role(const std::string& experiment, ParamRole role);

/// "RoPE" for "rope"; the name itself where no encoding is called so.
std::string encoding_title(std::string_view name);

/// Adds a reference at the end, in place of the oldest where there are max_references. Returns what
/// to tell the user. A result with the settings of a reference becomes the last one.
std::string pin_reference(ViewState& shown, const std::shared_ptr<const Result>& result);
void unpin_reference(ViewState& shown, std::size_t index);

}  // namespace orrery
