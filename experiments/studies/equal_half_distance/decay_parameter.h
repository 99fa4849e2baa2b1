#pragma once

#include <string>
#include <vector>

#include "core/analysis/decay.h"
#include "core/encodings/settings.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// The encoding's only table, if it holds biases by distance: then it is known without training.
/// Null otherwise.
const TableSpec* bias_table(const EncodingInfo& encoding);
/// "t5_table": key of the parameter that is a file with such a table.
std::string bias_table_key(const std::string& encoding);

/// The findings on one encoding. Curves are the measure at 0, 1, … max_distance, 1 at distance 0;
/// NaN where a position is undefined and where there is no positive logit to begin with.
struct HalvedDecay {
  std::string name{};
  bool can_be_set{};  ///< a parameter, or a factor on the terms that depend on position
  bool untrained{};  ///< tables decide, which training would fill: seeded ones have no decay to set
  HalfSearch search{};
  bool without_value{};        ///< at some setting the curve has no value at the half distance
  double setting{};            ///< NaN unless found
  std::string setting_text{};  ///< "base 16704", "slope 0.0625", "scale 0.96"
  double default_setting{};
  std::string default_text{};
  std::vector<double> equal{};  ///< the curve at the setting; empty unless found
  std::vector<double> own{};    ///< at the default

  bool found() const { return can_be_set && search.outcome == HalfOutcome::found; }
};

/// Searches the setting of an encoding whose curve is one half at half_distance. Reads dim, heads,
/// head, match, measure, max_distance and the encoding's own parameters; its bias table from the
/// inputs, or −ln(1 + first distance of each bucket). Throws UsageError for a head that is not there
/// and a table of another shape.
HalvedDecay halved_decay(const std::string& name, const ParamSet& params, const Inputs& inputs,
                         Progress& progress);

}  // namespace orrery
