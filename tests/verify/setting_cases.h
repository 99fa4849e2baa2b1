#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/params.h"
#include "tests/verify/agreement.h"

namespace orrery::test {

/// Of the layers that settings are made for.
inline constexpr Index setting_d = 8, setting_d_model = 12;
inline constexpr int setting_heads = 2;

using Words = std::vector<std::pair<const char*, const char*>>;
/// Tables as an encoding has them, by name.
using Given = std::map<std::string, Rows>;

ParamSet params_with(const std::string& encoding, const Words& words);

/// A table of the settings: drawn with that deviation where it is not given, or all of one value.
struct TableShape {
  std::string name;
  Index rows{}, columns{};
  double deviation{0};
  double value{0};
};

/// What one encoding gives under some settings, pair by pair.
struct Setting {
  std::string label;
  std::string encoding;
  Words words{};
  std::vector<TableShape> tables{};
  std::function<literal::Terms(const literal::Head&, int h, const Given&)> terms{};
  std::function<Rows(const literal::Head&, const Rows& weights, const Given&)> output{};
  /// Of an encoding that adds to the input, in place of terms: what it adds.
  std::function<Rows(const Positions&, const Given&)> added{};
  literal::Ids query_segments{}, key_segments{};
  double angle{0};
};

/// The paper's encodings under settings that name each parameter and each table.
std::vector<Setting> setting_cases();

}  // namespace orrery::test
