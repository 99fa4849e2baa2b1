#include "experiments/studies/equal_half_distance/decay_parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/analysis/mean_logits.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/relative_index.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"

namespace orrery {
namespace {

constexpr int search_steps = 128;                      // over the whole range of a setting
constexpr std::size_t most_calls = search_steps + 60;  // as search_half promises
constexpr double widest_scale = 0x1p20;  // position terms are with_scaled_terms by 1/this … this
constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// A table whose bias falls with the logarithm of distance: −ln(1 + r), r the first distance of the
/// bucket. Buckets that no distance reaches get 0.
Matrix<double> logarithmic_table(const TableIndex& encoding, int heads, Index farthest) {
  Matrix<double> table = Matrix<double>::Zero(encoding.table_rows(), heads);
  const Positions origin{0};
  for (Position r = farthest; r >= 0; --r)  // downwards: the first distance has the last word
    table.row(encoding.table_index(Positions{r}, origin)(0, 0))
        .setConstant(-std::log1p(static_cast<double>(r)));
  return table;
}

/// Powers of two from 1/widest to widest.
double scale_at(double u) { return std::pow(widest_scale, 2.0 * u - 1.0); }

/// The mean logit when its position terms are with_scaled_terms.
double with_scaled_terms(const MeanLogits& logits, std::size_t r, double scale) {
  return logits.total[r] + (scale - 1.0) * logits.position[r];
}

/// What says how fast the mean logit of an encoding falls, as EncodingInfo::decay has it.
enum class DecayKind {
  param,      ///< a parameter of the encoding
  scale,      ///< a factor on the terms that depend on position
  nothing,    ///< no position at all
  untrained,  ///< tables decide, which training would fill: seeded ones have no decay to set
};

/// An encoding, and the one setting that says how fast its mean logit falls.
class DecayParameter {
 public:
  DecayParameter(std::string name, const ParamSet& params, const Inputs& inputs)
      : name_(std::move(name)), params_(params), decay_(info().decay), head_(head_of(params)) {
    if (const TableSpec* table = bias_table(info())) read_bias_table(*table, inputs);
    const auto encoding = make(params_);
    kind_ = kind_of(*encoding);
    known_ = std::min<Index>(params_.integer("max_distance"), last_askable(*encoding));
    squared_norm_ = squared_norm_for(*encoding, d(), params_.real("match"), head_);
    at_default_ =
        mean_logits(*encoding, d(), squared_norm_, consecutive_positions(known_ + 1), head_);
    slope_ = known_ > 0 ? at_default_.position[0] - at_default_.position[1] : 0.0;
  }

  DecayKind kind() const { return kind_; }
  double default_setting() const {
    if (kind_ == DecayKind::param) return params_.real(decay_.param);
    return decay_.is_slope ? slope_ : 1.0;
  }
  /// u in [0, 1]: at 0 the decay is slowest, which is the largest parameter or the least scale.
  double value_at(double u) const {
    if (kind_ != DecayKind::param) return (decay_.is_slope ? slope_ : 1.0) * scale_at(u);
    const ParamSpec& spec = params_.spec(decay_.param);
    const double value =
        std::exp(std::log(spec.max) + u * (std::log(spec.min) - std::log(spec.max)));
    return std::clamp(value, spec.min, spec.max);
  }
  /// "base 16704", "slope 0.0625", "scale 0.96", "nothing to set", "seeded tables".
  std::string setting_text(double value) const {
    if (kind_ == DecayKind::nothing) return "nothing to set";
    if (kind_ == DecayKind::untrained) return "seeded tables";
    const std::string number = fmt::format("{:.5g}", value);
    if (kind_ == DecayKind::param) return decay_.param + " " + number;
    return (decay_.is_slope ? "slope " : "scale ") + number;
  }

  std::vector<double> default_curve() const { return curve_of(at_default_, 1.0); }
  std::vector<double> curve(double u) const {
    if (kind_ == DecayKind::scale) return curve_of(at_default_, scale_at(u));
    return curve_of(logits_at(u, consecutive_positions(known_ + 1)), 1.0);
  }
  /// curve(u)[distance], by itself; nothing where the position is undefined and where
  /// there is no positive logit to begin with, so that a NaN is a computation gone wrong.
  std::optional<double> value(double u, Index distance) const {
    if (distance > known_) return std::nullopt;
    if (kind_ == DecayKind::param) {
      const MeanLogits two = logits_at(u, Positions{0, distance});
      return measure(two.total[0], two.total[1]);
    }
    const double scale = kind_ == DecayKind::scale ? scale_at(u) : 1.0;
    return measure(with_scaled_terms(at_default_, 0, scale),
                   with_scaled_terms(at_default_, static_cast<std::size_t>(distance), scale));
  }

 private:
  Index d() const { return params_.integer("dim"); }
  const EncodingInfo& info() const { return find_encoding(name_).info; }
  DecayKind kind_of(const Encoding& encoding) const {
    if (info().draws_tables() && tables_.empty()) return DecayKind::untrained;
    if (dynamic_cast<const ScoreTerms<double>*>(&encoding)) return DecayKind::scale;
    return decay_.param.empty() ? DecayKind::nothing : DecayKind::param;
  }
  std::unique_ptr<Encoding> make(const ParamSet& params) const {
    return make_encoding<double>(name_, {.d_model = d(),
                                         .d_head = d(),
                                         .heads = static_cast<int>(params.integer("heads")),
                                         .params = params,
                                         .tables = &tables_});
  }
  void read_bias_table(const TableSpec& table, const Inputs& inputs) {
    const auto given = inputs.find(bias_table_key(name_));
    if (given != inputs.end()) {
      tables_[table.name] = to_matrix(std::get<Tensor>(given->second));
      return;
    }
    const auto encoding = make(params_);
    const auto* index = dynamic_cast<const TableIndex*>(encoding.get());
    if (!index) return;
    // Far enough for every bucket to be reached.
    const Index farthest =
        std::max<Index>(params_.integer("max_distance"), index->stated_reach().value_or(0));
    tables_[table.name] =
        logarithmic_table(*index, static_cast<int>(params_.integer("heads")), farthest);
  }
  MeanLogits logits_at(double u, const Positions& distances) const {
    ParamSet params = params_;
    if (kind_ == DecayKind::param) params.set_value(decay_.param, value_at(u));
    return mean_logits(*make(params), d(), squared_norm_, distances, head_);
  }
  std::optional<double> measure(double at_zero, double there) const {
    if (params_.text("measure") == "weight") return std::exp(there - at_zero);
    if (at_zero <= 0) return std::nullopt;
    return there / at_zero;
  }
  std::vector<double> curve_of(const MeanLogits& logits, double scale) const {
    std::vector<double> curve(static_cast<std::size_t>(params_.integer("max_distance")) + 1,
                              no_value);
    const double at_zero = with_scaled_terms(logits, 0, scale);
    for (std::size_t r = 0; r < logits.total.size(); ++r)
      curve[r] = measure(at_zero, with_scaled_terms(logits, r, scale)).value_or(no_value);
    return curve;
  }

  std::string name_;
  ParamSet params_;
  DecaySetting decay_;
  int head_;
  Tables tables_{};
  DecayKind kind_{DecayKind::nothing};
  Index known_{};          ///< the last distance at which the encoding is defined
  double squared_norm_{};  ///< of the contents
  double slope_{};         ///< lost from distance 0 to 1 by position alone
  MeanLogits at_default_{};
};

}  // namespace

const TableSpec* bias_table(const EncodingInfo& encoding) {
  const auto& tables = encoding.tables;
  return tables.size() == 1 && tables.front().biases ? &tables.front() : nullptr;
}

std::string bias_table_key(const std::string& encoding) { return encoding + "_table"; }

HalvedDecay halved_decay(const std::string& name, const ParamSet& params, const Inputs& inputs,
                         Progress& progress) {
  const DecayParameter parameter(name, params, inputs);
  HalvedDecay found{
      .name = name,
      .can_be_set = parameter.kind() == DecayKind::param || parameter.kind() == DecayKind::scale,
      .untrained = parameter.kind() == DecayKind::untrained,
      .setting = no_value};
  std::size_t calls = 0;
  const auto value = [&](double u) {
    checkpoint(progress, ++calls, most_calls, "setting of " + name);
    const std::optional<double> there = parameter.value(u, params.integer("half_distance"));
    found.without_value = found.without_value || !there;
    return there.value_or(no_value);
  };
  found.search = search_half(value, found.can_be_set ? search_steps : 1);
  found.default_setting = parameter.default_setting();
  found.default_text = parameter.setting_text(found.default_setting);
  found.own = parameter.default_curve();
  if (!found.found()) return found;
  found.setting = parameter.value_at(found.search.u);
  found.setting_text = parameter.setting_text(found.setting);
  found.equal = parameter.curve(found.search.u);
  return found;
}

}  // namespace orrery
