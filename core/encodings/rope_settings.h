#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/encodings/rope_convention.h"
#include "core/encodings/settings.h"

namespace orrery {

/// The kind as rope.scaling names it.
std::string_view name(RopeScalingKind kind);

/// A part of a rope's convention as a parameter: how it is declared, and where it is kept.
struct RopeSetting {
  ParamSpec spec;
  /// None where the convention leaves it open: a list of factors, a factor on cos and sin.
  std::optional<ParamValue> (*value)(const RopeConvention&);
  /// Throws UsageError where d_head allows no such share of channels.
  void (*set)(RopeConvention&, const ParamValue&);
};

/// Every setting of a rope, in the order of lists and panels: base, pairing, the share that turns,
/// and the scaling.
const std::vector<RopeSetting>& rope_settings();
/// The one of that key; null when there is none.
const RopeSetting* find_rope_setting(std::string_view key);

/// The declarations of those settings. Sections have exponents of their own: with_sections leaves
/// p-RoPE out.
std::vector<ParamSpec> rope_params(bool with_sections);
/// The lists of factors, one number per pair.
std::vector<TableSpec> rope_tables();

/// What the settings say of a rope on one axis; those that a set lacks stay at their defaults.
/// Throws UsageError: d_head or the channels that turn odd or below 2, a list of another length
/// than the pairs, or a table that the chosen scaling does not read.
RopeConvention rope_convention_of(const EncodingSettings& settings);
/// The reverse: the value of each setting that the convention's scaling reads and that it says.
std::vector<std::pair<std::string, ParamValue>> settings_of(const RopeConvention& convention);
/// Throws UsageError for a value that the parameter does not take.
void check_settings(const RopeConvention& convention);

}  // namespace orrery
