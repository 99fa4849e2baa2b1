#include "experiments/decay_dial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/encodings/catalogue.h"
#include "core/encodings/relative_index.h"
#include "experiments/shared_params.h"
#include "experiments/tensor_matrix.h"

namespace orrery {
namespace {

constexpr double widest_scale = 0x1p20;  // position terms are scaled by 1/this … this
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A table whose bias falls with the logarithm of distance: −ln(1 + r), r the first distance of the
/// bucket. Buckets that no distance reaches get 0.
Matrix<double> logarithmic_table(const Encoding& t5, Index buckets, int heads, Index farthest) {
  Matrix<double> table = Matrix<double>::Zero(buckets, heads);
  const auto* index = dynamic_cast<const TableIndex*>(&t5);
  const Positions origin{0};
  for (Position r = farthest; r >= 0; --r)  // downwards: the first distance has the last word
    table.row(index->table_index(Positions{r}, origin)(0, 0))
        .setConstant(-std::log1p(static_cast<double>(r)));
  return table;
}

/// Powers of two from 1/widest to widest.
double scale_at(double u) { return std::pow(widest_scale, 2.0 * u - 1.0); }

/// The mean logit when its position terms are scaled.
double scaled(const MeanLogits& logits, std::size_t r, double scale) {
  return logits.total[r] + (scale - 1.0) * logits.position[r];
}

}  // namespace

DecayDial::DecayDial(std::string name, const ParamSet& params, const Inputs& inputs)
    : name_(std::move(name)), params_(params), head_(head_of(params)) {
  if (name_ == "t5") read_t5_table(inputs);
  const auto encoding = make(params_);
  kind_ = kind_of(*encoding);
  known_ = std::min<Index>(params_.integer("max_distance"), encoding->last_position());
  squared_norm_ = squared_norm_for(*encoding, d(), params_.real("match"), head_);
  at_default_ =
      mean_logits(*encoding, d(), squared_norm_, consecutive_positions(known_ + 1), head_);
  slope_ = known_ > 0 ? at_default_.position[0] - at_default_.position[1] : 0.0;
}

double DecayDial::default_setting() const {
  if (kind_ == Kind::base) return params_.real("base");
  return name_ == "alibi" ? slope_ : 1.0;
}

double DecayDial::setting(double u) const {
  if (kind_ != Kind::base) return (name_ == "alibi" ? slope_ : 1.0) * scale_at(u);
  const ParamSpec& base = params_.spec("base");
  const double value = std::exp(std::log(base.max) + u * (std::log(base.min) - std::log(base.max)));
  return std::clamp(value, base.min, base.max);
}

std::string DecayDial::setting_text(double value) const {
  if (kind_ == Kind::nothing) return "nothing to set";
  if (kind_ == Kind::untrained) return "seeded tables";
  const std::string number = fmt::format("{:.5g}", value);
  if (kind_ == Kind::base) return "base " + number;
  return (name_ == "alibi" ? "slope " : "scale ") + number;
}

std::vector<double> DecayDial::default_curve() const { return curve_of(at_default_, 1.0); }

std::vector<double> DecayDial::curve(double u) const {
  if (kind_ == Kind::scale) return curve_of(at_default_, scale_at(u));
  return curve_of(logits_at(u, consecutive_positions(known_ + 1)), 1.0);
}

std::optional<double> DecayDial::value(double u, Index distance) const {
  if (distance > known_) return std::nullopt;
  if (kind_ == Kind::base) {
    const MeanLogits two = logits_at(u, Positions{0, distance});
    return measure(two.total[0], two.total[1]);
  }
  const double scale = kind_ == Kind::scale ? scale_at(u) : 1.0;
  return measure(scaled(at_default_, 0, scale),
                 scaled(at_default_, static_cast<std::size_t>(distance), scale));
}

DecayDial::Kind DecayDial::kind_of(const Encoding& encoding) const {
  const bool has_tables = !find_encoding(name_).info.tables.empty();
  if (has_tables && tables_.empty()) return Kind::untrained;
  if (dynamic_cast<const ScoreTerms<double>*>(&encoding)) return Kind::scale;
  return reads_base() ? Kind::base : Kind::nothing;
}

bool DecayDial::reads_base() const {
  const auto& specs = find_encoding(name_).info.params;
  return std::any_of(specs.begin(), specs.end(),
                     [](const ParamSpec& spec) { return spec.key == "base"; });
}

std::unique_ptr<Encoding> DecayDial::make(const ParamSet& params) const {
  return make_encoding<double>(name_, {.d_model = d(),
                                       .d_head = d(),
                                       .heads = static_cast<int>(params.integer("heads")),
                                       .params = params,
                                       .tables = &tables_});
}

void DecayDial::read_t5_table(const Inputs& inputs) {
  const auto given = inputs.find("t5_table");
  if (given != inputs.end()) {
    tables_["t5.table"] = table_matrix(std::get<Tensor>(given->second));
    return;
  }
  // Far enough for every bucket to be reached.
  const Index farthest =
      std::max<Index>(params_.integer("max_distance"), params_.integer("t5.max_distance"));
  tables_["t5.table"] = logarithmic_table(*make(params_), params_.integer("t5.buckets"),
                                          static_cast<int>(params_.integer("heads")), farthest);
}

MeanLogits DecayDial::logits_at(double u, const Positions& distances) const {
  ParamSet params = params_;
  if (kind_ == Kind::base) params.set_value("base", setting(u));
  return mean_logits(*make(params), d(), squared_norm_, distances, head_);
}

std::optional<double> DecayDial::measure(double at_zero, double there) const {
  if (params_.text("measure") == "weight") return std::exp(there - at_zero);
  if (at_zero <= 0) return std::nullopt;
  return there / at_zero;
}

std::vector<double> DecayDial::curve_of(const MeanLogits& logits, double scale) const {
  std::vector<double> curve(static_cast<std::size_t>(params_.integer("max_distance")) + 1,
                            not_a_number);
  const double at_zero = scaled(logits, 0, scale);
  for (std::size_t r = 0; r < logits.total.size(); ++r)
    curve[r] = measure(at_zero, scaled(logits, r, scale)).value_or(not_a_number);
  return curve;
}

}  // namespace orrery
