#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/mean_logits.h"
#include "core/encodings/settings.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// The encoding's only table, if it holds biases by distance: then it is known without training.
/// Null otherwise.
const TableSpec* bias_table(const EncodingInfo& encoding);
/// "t5_table": key of the parameter that is a file with such a table.
std::string bias_table_key(const std::string& encoding);

/// An encoding, and the one setting that says how fast its mean logit falls, as
/// EncodingInfo::decay has it: a parameter, or a factor on the terms that depend on position.
class DecayParameter {
 public:
  enum class Kind {
    param,
    scale,
    nothing,    ///< no position at all
    untrained,  ///< tables decide, which training would fill: seeded ones have no decay to set
  };

  /// Reads dim, heads, head, match, measure, max_distance and the encoding's own parameters; its
  /// bias table from the inputs, or −ln(1 + first distance of each bucket). Throws UsageError
  /// for a head that is not there and a table of another shape.
  DecayParameter(std::string name, const ParamSet& params, const Inputs& inputs);

  const std::string& name() const { return name_; }
  Kind kind() const { return kind_; }

  double default_setting() const;
  /// u in [0, 1]: at 0 the decay is slowest, which is the largest parameter or the least scale.
  double value_at(double u) const;
  /// "base 16704", "slope 0.0625", "scale 0.96", "nothing to set", "seeded tables".
  std::string setting_text(double value) const;

  /// The measure at 0, 1, … max_distance, 1 at distance 0; NaN where a position is undefined
  /// and where there is no positive logit to begin with.
  std::vector<double> default_curve() const;
  std::vector<double> curve(double u) const;
  /// curve(u)[distance], by itself; nothing where the position is undefined and where
  /// there is no positive logit to begin with, so that a NaN is a computation gone wrong.
  std::optional<double> value(double u, Index distance) const;

 private:
  Index d() const { return params_.integer("dim"); }
  Kind kind_of(const Encoding& encoding) const;
  const EncodingInfo& info() const;
  std::unique_ptr<Encoding> make(const ParamSet& params) const;
  void read_bias_table(const TableSpec& table, const Inputs& inputs);
  MeanLogits logits_at(double u, const Positions& distances) const;
  std::optional<double> measure(double at_zero, double there) const;
  std::vector<double> curve_of(const MeanLogits& logits, double scale) const;

  std::string name_;
  ParamSet params_;
  DecaySetting decay_;
  int head_;
  Tables tables_{};
  Kind kind_{Kind::nothing};
  Index known_{};          ///< the last distance at which the encoding is defined
  double squared_norm_{};  ///< of the contents
  double slope_{};         ///< lost from distance 0 to 1 by position alone
  MeanLogits at_default_{};
};

}  // namespace orrery
