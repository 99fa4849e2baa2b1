#pragma once

#include <toml++/toml.h>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/desktop_state.h"

namespace orrery::session {

// Values of the session's text, each with both directions. What write() returns is TOML; read()
// throws UsageError naming `key` when the node does not hold such a value.

/// Writes and reads values of one type.
template <class Value>
struct TomlCodec {
  std::string (*write)(const Value&);
  Value (*read)(const toml::node&, std::string_view key);
};

extern const TomlCodec<std::string> toml_text;
extern const TomlCodec<bool> toml_flag;
extern const TomlCodec<double> toml_nonnegative;
extern const TomlCodec<double> toml_positive;
extern const TomlCodec<double> toml_screen_scale;
/// Two numbers, the lower one first.
extern const TomlCodec<Range> toml_range;
extern const TomlCodec<std::vector<double>> toml_numbers;
extern const TomlCodec<std::array<double, 2>> toml_number_pair;
extern const TomlCodec<std::vector<std::string>> toml_words;
extern const TomlCodec<std::set<std::string>> toml_word_set;
extern const TomlCodec<Theme> toml_theme;
extern const TomlCodec<AxisScale> toml_axis_scale;
extern const TomlCodec<ViewLayout> toml_layout;
extern const TomlCodec<Minification> toml_minification;

/// A parameter's value as TOML.
std::string param_value_text(const ParamValue& value);
/// A parameter's value as ParamSet::set reads it. Throws UsageError.
std::string read_param_value(const toml::node& node, std::string_view key);
/// The table in `node`. Throws UsageError.
const toml::table& read_table(const toml::node& node, std::string_view key);

}  // namespace orrery::session
