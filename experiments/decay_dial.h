#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/mean_logits.h"
#include "core/encodings/settings.h"
#include "experiments/experiment.h"

namespace orrery {

/// An encoding, and the one setting that says how fast its mean logit falls: the base where
/// frequencies say it, a factor on the position terms where biases or tables do.
class DecayDial {
 public:
  enum class Kind {
    base,
    scale,
    nothing,    ///< no position at all
    untrained,  ///< tables decide, which training would fill: seeded ones have no decay to set
  };

  /// Reads dim, heads, head, match, measure, max_distance and the encoding's own parameters; for T5
  /// a table "t5_table" of the inputs, or −ln(1 + first distance of each bucket). Throws UsageError
  /// for a head that is not there and a table of another shape.
  DecayDial(std::string name, const ParamSet& params, const Inputs& inputs);

  const std::string& name() const { return name_; }
  Kind kind() const { return kind_; }

  double default_setting() const;
  /// u in [0, 1]: at 0 the decay is slowest, which is the largest base or the least scale.
  double setting(double u) const;
  /// "base 16704", "slope 0.0625", "scale 0.96", "nothing to set", "seeded tables".
  std::string setting_text(double value) const;

  /// The measure at 0, 1, … max_distance, 1 at distance 0; NaN where the encoding knows no position
  /// and where there is no positive logit to begin with.
  std::vector<double> default_curve() const;
  std::vector<double> curve(double u) const;
  /// curve(u)[distance], by itself; nothing where the encoding knows no such position and where
  /// there is no positive logit to begin with, so that a NaN is a computation gone wrong.
  std::optional<double> value(double u, Index distance) const;

 private:
  Index d() const { return params_.integer("dim"); }
  Kind kind_of(const Encoding& encoding) const;
  bool reads_base() const;
  std::unique_ptr<Encoding> make(const ParamSet& params) const;
  void read_t5_table(const Inputs& inputs);
  MeanLogits logits_at(double u, const Positions& distances) const;
  std::optional<double> measure(double at_zero, double there) const;
  std::vector<double> curve_of(const MeanLogits& logits, double scale) const;

  std::string name_;
  ParamSet params_;
  int head_;
  Tables tables_{};
  Kind kind_{Kind::nothing};
  Index known_{};          ///< the last distance that the encoding knows
  double squared_norm_{};  ///< of the contents
  double slope_{};         ///< lost from distance 0 to 1 by position alone
  MeanLogits at_default_{};
};

}  // namespace orrery
