#include "experiments/equal_half_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/mean_logits.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/relative_index.h"
#include "core/errors.h"
#include "experiments/half_distance.h"
#include "experiments/shared_params.h"
#include "experiments/tensor_matrix.h"

namespace orrery {
namespace {

constexpr double half = 0.5;
constexpr double tolerance = 1e-10;      // of the curve at the half distance
constexpr int search_steps = 128;        // over the whole range of a setting
constexpr double widest_scale = 0x1p20;  // position terms are scaled by 1/this … this

/// Means over all directions of contents cost d² a distance.
ParamSpec small_dim_param(std::int64_t default_value) {
  ParamSpec dim = dim_param(default_value);
  dim.max = 512;
  return dim;
}

std::vector<ParamSpec> declared_params() {
  return with_encoding_params(
      {encodings_param({"rope", "alibi", "t5", "sinusoidal"}),
       small_dim_param(64),
       {.key = "half_distance",
        .symbol = "h",
        .unit = "tokens",
        .description = "Where every curve is made to have fallen to one half.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{64},
        .min = 1,
        .max = 8192,
        .logarithmic = true},
       {.key = "max_distance",
        .symbol = "r_max",
        .unit = "tokens",
        .description = "Largest relative distance m − n.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{256},
        .min = 1,
        .max = 16384,
        .logarithmic = true},
       {.key = "measure",
        .description = "What falls to one half; both are 1 at distance 0 for every encoding.",
        .kind = ParamKind::choice,
        .default_value = std::string("logit"),
        .choices = {{"logit", "L(r)/L(0): the mean logit of like tokens"},
                    {"weight", "e^(L(r) − L(0)): what softmax makes of it, up to the row's sum"}}},
       {.key = "match",
        .symbol = "L_c",
        .description = "Logit of like tokens by content alone, the same for every encoding.",
        .kind = ParamKind::real,
        .default_value = 8.0,
        .min = 0.01,
        .max = 1000.0,
        .logarithmic = true},
       {.key = "heads",
        .symbol = "H",
        .description = "Heads of the layer; ALiBi's slopes depend on it.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{8},
        .min = 1,
        .max = 256},
       {.key = "head",
        .description = "Which head is meant, counted from 0.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{4},
        .min = 0,
        .max = 255},
       {.key = "t5_table",
        .description =
            "Trained bias [buckets, heads] of a .npy, .npz or .safetensors file; without "
            "one, −ln(1 + r), r the first distance of each bucket.",
        .kind = ParamKind::file,
        .default_value = std::string(),
        .file_types = {"npy", "npz", "safetensors"},
        .used_when = Condition{"encoding", {"t5"}}}});
}

ExperimentInfo make_info() {
  return {.name = "equal_half_distance",
          .version = 1,
          .title = "Equal half distance",
          .question = "How do encodings differ once each has lost half its logit at one distance?",
          .equations = {"L(r) = mean of logit(r, 0) over like contents, x_m = x_0, any direction",
                        "RoPE: L(r)/L(0) = B_r/(d/2); ALiBi: 1 − s r/L_c; T5: 1 + c b(r)/L_c",
                        "find the setting with L(h)/L(0) = 1/2"},
          .params = declared_params()};
}

int head_of(const ParamSet& params) {
  const std::int64_t head = params.integer("head");
  if (head < params.integer("heads")) return static_cast<int>(head);
  throw UsageError(fmt::format("head={}", head),
                   fmt::format("must be below heads={}, counted from 0", params.integer("heads")),
                   fmt::format("try head={}", params.integer("heads") - 1));
}

Index last_distance(const ParamSet& params) {
  const std::int64_t h = params.integer("half_distance");
  if (h <= params.integer("max_distance")) return params.integer("max_distance");
  throw UsageError(fmt::format("half_distance={}", h),
                   fmt::format("must be at most max_distance={}", params.integer("max_distance")),
                   fmt::format("try max_distance={}", 4 * h));
}

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

/// What a search turns: a base that is a parameter, or a factor on all position terms.
enum class Knob { base, scale, nothing };

/// One encoding with everything that its curve depends on but the setting.
class Subject {
 public:
  Subject(std::string name, const ParamSet& params, const Inputs& inputs)
      : name_(std::move(name)), params_(params), head_(head_of(params)) {
    const Index last = last_distance(params_);
    if (name_ == "t5") read_t5_table(inputs, last);
    const auto encoding = make(params_);
    known_ = std::min<Index>(last, encoding->last_position());
    squared_norm_ = squared_norm_for(*encoding, d(), params_.real("match"), head_);
    if (dynamic_cast<const ScoreTerms<double>*>(encoding.get()))
      knob_ = Knob::scale;
    else if (reads_base())
      knob_ = Knob::base;
    else if (dynamic_cast<const InputTerm<double>*>(encoding.get()))
      knob_ = Knob::scale;
    at_default_ =
        mean_logits(*encoding, d(), squared_norm_, consecutive_positions(known_ + 1), head_);
    slope_ = known_ > 0 ? at_default_.position[0] - at_default_.position[1] : 0.0;
  }

  const std::string& name() const { return name_; }
  Knob knob() const { return knob_; }
  double default_setting() const {
    if (knob_ == Knob::base) return params_.real("base");
    return name_ == "alibi" ? slope_ : 1.0;
  }
  /// u = 0 decays most slowly: the largest base, the least scale.
  double setting(double u) const {
    if (knob_ == Knob::base) {
      const ParamSpec& base = params_.spec("base");
      return std::exp(std::log(base.max) + u * (std::log(base.min) - std::log(base.max)));
    }
    return (name_ == "alibi" ? slope_ : 1.0) * scale(u);
  }
  std::string setting_text(double value) const {
    if (knob_ == Knob::nothing) return "nothing to set";
    const std::string number = fmt::format("{:.5g}", value);
    if (knob_ == Knob::base) return "base " + number;
    return (name_ == "alibi" ? "slope " : "scale ") + number;
  }

  /// The measure at 0, 1, …; NaN where the encoding knows no position.
  std::vector<double> default_curve() const { return curve_of(at_default_, 1.0); }
  std::vector<double> curve(double u) const {
    if (knob_ == Knob::scale) return curve_of(at_default_, scale(u));
    return curve_of(logits_at(u, consecutive_positions(known_ + 1)), 1.0);
  }
  /// The measure at one distance.
  double value(double u, Index distance) const {
    if (distance > known_) return std::numeric_limits<double>::quiet_NaN();
    if (knob_ != Knob::base) {
      const double c = knob_ == Knob::scale ? scale(u) : 1.0;
      return measure(scaled(at_default_, 0, c),
                     scaled(at_default_, static_cast<std::size_t>(distance), c));
    }
    const MeanLogits two = logits_at(u, Positions{0, distance});
    return measure(two.total[0], two.total[1]);
  }

 private:
  Index d() const { return params_.integer("dim"); }

  bool reads_base() const {
    const auto& specs = find_encoding(name_).info.params;
    return std::any_of(specs.begin(), specs.end(),
                       [](const ParamSpec& spec) { return spec.key == "base"; });
  }

  std::unique_ptr<Encoding> make(const ParamSet& params) const {
    return make_encoding<double>(name_, {.d_model = d(),
                                         .d_head = d(),
                                         .heads = static_cast<int>(params.integer("heads")),
                                         .params = params,
                                         .tables = &tables_});
  }

  void read_t5_table(const Inputs& inputs, Index last) {
    const auto given = inputs.find("t5_table");
    if (given != inputs.end()) {
      tables_["t5.table"] = table_matrix(std::get<Tensor>(given->second));
      return;
    }
    // Large enough for the last bucket to be reached.
    const Index farthest = std::max<Index>(last, params_.integer("t5.max_distance"));
    tables_["t5.table"] = logarithmic_table(*make(params_), params_.integer("t5.buckets"),
                                            static_cast<int>(params_.integer("heads")), farthest);
  }

  /// Powers of two from 1/widest to widest.
  static double scale(double u) { return std::pow(widest_scale, 2.0 * u - 1.0); }

  MeanLogits logits_at(double u, const Positions& distances) const {
    ParamSet params = params_;
    if (knob_ == Knob::base) {
      const ParamSpec& base = params.spec("base");
      params.set_value("base", std::clamp(setting(u), base.min, base.max));
    }
    return mean_logits(*make(params), d(), squared_norm_, distances, head_);
  }

  static double scaled(const MeanLogits& logits, std::size_t r, double scale) {
    return logits.total[r] + (scale - 1.0) * logits.position[r];
  }

  double measure(double at_zero, double there) const {
    if (params_.text("measure") == "weight") return std::exp(there - at_zero);
    // Without a positive logit to begin with there is no half of it.
    return at_zero > 0 ? there / at_zero : std::numeric_limits<double>::quiet_NaN();
  }

  std::vector<double> curve_of(const MeanLogits& logits, double scale) const {
    std::vector<double> curve(static_cast<std::size_t>(last_distance(params_)) + 1,
                              std::numeric_limits<double>::quiet_NaN());
    const double at_zero = scaled(logits, 0, scale);
    for (std::size_t r = 0; r < logits.total.size(); ++r)
      curve[r] = measure(at_zero, scaled(logits, r, scale));
    return curve;
  }

  std::string name_;
  ParamSet params_;
  int head_;
  Tables tables_{};
  Knob knob_{Knob::nothing};
  Index known_{};
  double squared_norm_{};
  double slope_{};
  MeanLogits at_default_{};
};

/// What was found for one encoding.
struct Finding {
  std::string name{};
  HalfSearch search{};
  bool has_knob{};
  double setting{};  ///< NaN unless found
  std::string setting_text{};
  double default_setting{};
  std::string default_text{};
  std::vector<double> equal{};  ///< the curve at the setting; empty unless found
  std::vector<double> own{};    ///< at the default

  bool found() const { return search.outcome == HalfOutcome::found; }
};

Finding examine(const Subject& subject, Index h, Progress& progress, double from, double to) {
  int calls = 0;
  const auto value = [&](double u) {
    const double done = std::min(1.0, ++calls / (search_steps + 60.0));
    checkpoint(progress, from + (to - from) * done, "setting of " + subject.name());
    return subject.value(u, h);
  };
  Finding finding{.name = subject.name(), .has_knob = subject.knob() != Knob::nothing};
  finding.search = search_half(value, finding.has_knob ? search_steps : 1);
  finding.default_setting = subject.default_setting();
  finding.default_text = subject.setting_text(finding.default_setting);
  finding.own = subject.default_curve();
  finding.setting = std::numeric_limits<double>::quiet_NaN();
  if (!finding.found()) return finding;
  finding.setting = subject.setting(finding.search.u);
  finding.setting_text = subject.setting_text(finding.setting);
  finding.equal = subject.curve(finding.search.u);
  return finding;
}

double or_nan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::string note_of(const Finding& finding, std::int64_t h) {
  switch (finding.search.outcome) {
    case HalfOutcome::never_falls:
      if (!finding.has_knob) return "no position in its mean logit";
      return fmt::format("never: {:.3g} at least at r = {}", finding.search.value, h);
    case HalfOutcome::falls_earlier:
      return fmt::format("below one half at r = {} at every setting", h);
    case HalfOutcome::undefined:
      return fmt::format("no value at r = {}", h);
    case HalfOutcome::found:
      break;
  }
  const double first = or_nan(first_at_or_below(finding.equal, half + tolerance));
  if (first < static_cast<double>(h) - half) return fmt::format("first at r = {:.4g}", first);
  return "first there";
}

Check check_of(const Finding& finding, std::int64_t h) {
  const std::string label = encoding_label(finding.name);
  const std::string equation = fmt::format("L({})/L(0) = 1/2", h);
  if (finding.found())
    return {.name = finding.name + "_is_halved",
            .statement = fmt::format("{} at {}: the curve is 1/2 at r = {} (difference)", label,
                                     finding.setting_text, h),
            .equation = equation,
            .measured = std::abs(finding.search.value - half),
            .bound = tolerance};
  if (finding.search.outcome == HalfOutcome::falls_earlier)
    return {.name = finding.name + "_falls_earlier",
            .statement = label + ": at or below one half there at every setting (slowest)",
            .equation = equation,
            .measured = finding.search.value,
            .bound = half};
  return {.name = finding.name + "_never_falls",
          .statement = label + ": above one half there at every setting (lowest value)",
          .equation = equation,
          .measured = finding.search.value,
          .relation = Relation::at_least,
          .bound = half};
}

/// The settings, and what T5's table is when none is given.
std::string caption_for(const ParamSet& params) {
  const bool own_table = params.is_used("t5_table") && params.text("t5_table").empty();
  return (own_table ? "T5's table: −ln(1 + first distance of the bucket) · " : "") +
         caption_of(params);
}

std::string measure_label(const ParamSet& params) {
  return params.text("measure") == "weight" ? "weight against distance 0"
                                            : "mean logit against distance 0";
}

LinePlot plot_of(const ParamSet& params) {
  const bool weight = params.text("measure") == "weight";
  const std::int64_t h = params.integer("half_distance");
  return {.x = {.label = "relative distance", .symbol = "m − n", .unit = "tokens"},
          .y = {.label = measure_label(params), .symbol = weight ? "e^(L(r) − L(0))" : "L(r)/L(0)"},
          .rules = {{Rule::Direction::horizontal, half, "one half"},
                    {Rule::Direction::vertical, static_cast<double>(h), fmt::format("h = {}", h)}}};
}

std::vector<double> distances_of(const ParamSet& params) {
  std::vector<double> distances(static_cast<std::size_t>(params.integer("max_distance")) + 1);
  for (std::size_t r = 0; r < distances.size(); ++r) distances[r] = static_cast<double>(r);
  return distances;
}

Figure equal_figure(const ParamSet& params, const std::vector<Finding>& findings) {
  LinePlot plot = plot_of(params);
  const std::vector<double> distances = distances_of(params);
  for (const Finding& f : findings) {
    const std::string label = encoding_label(f.name);
    plot.series.push_back({.name = f.found() ? label + ", " + f.setting_text
                                             : label + ", default: no setting does it",
                           .x = distances,
                           .y = f.found() ? f.equal : f.own,
                           .style = f.found() ? LineStyle::solid : LineStyle::dotted,
                           .color = encoding_color(f.name)});
  }
  return {"equal_half_distance",
          fmt::format("Encodings at equal half distance, h = {} tokens",
                      params.integer("half_distance")),
          caption_for(params), std::move(plot)};
}

Figure own_figure(const ParamSet& params, const std::vector<Finding>& findings) {
  LinePlot plot = plot_of(params);
  const std::vector<double> distances = distances_of(params);
  for (const Finding& f : findings) {
    const auto at = first_at_or_below(f.own, half);
    plot.series.push_back(
        {.name = fmt::format("{}: {}", encoding_label(f.name),
                             at ? fmt::format("half at {:.1f}", *at) : std::string("not halved")),
         .x = distances,
         .y = f.own,
         .color = encoding_color(f.name)});
  }
  return {"own_defaults", "The same at the settings given: each decays at a pace of its own",
          caption_for(params), std::move(plot)};
}

Figure table_figure(const ParamSet& params, const std::vector<Finding>& findings) {
  const std::int64_t h = params.integer("half_distance");
  TableFigure table{.header = {"encoding", "as given", "half at", fmt::format("for h = {}", h),
                               "reaches one half"}};
  for (const Finding& f : findings) {
    const auto at = first_at_or_below(f.own, half);
    table.rows.push_back({encoding_label(f.name), f.default_text,
                          at ? fmt::format("{:.2f} tokens", *at) : "–",
                          f.found() ? f.setting_text : "–", note_of(f, h)});
  }
  return {"settings", fmt::format("Settings that halve the mean logit at {} tokens", h),
          caption_for(params), std::move(table)};
}

Table settings_table(const std::vector<Finding>& findings, std::int64_t h) {
  std::vector<std::string> name, text, note;
  std::vector<double> given, given_half, setting, value, residual, first;
  for (const Finding& f : findings) {
    name.push_back(f.name);
    text.push_back(f.found() ? f.setting_text : "");
    note.push_back(note_of(f, h));
    given.push_back(f.default_setting);
    given_half.push_back(or_nan(first_at_or_below(f.own, half)));
    setting.push_back(f.setting);
    value.push_back(f.search.value);
    residual.push_back(f.search.value - half);
    first.push_back(or_nan(first_at_or_below(f.equal, half + tolerance)));
  }
  return {.name = "settings",
          .caption =
              "the setting of each encoding whose curve is one half at the half distance; "
              "value: the curve there, or the nearest it came",
          .columns = {{"encoding", "", std::move(name)},
                      {"given_setting", "", std::move(given)},
                      {"given_half_distance", "tokens", std::move(given_half)},
                      {"setting", "", std::move(setting)},
                      {"setting_text", "", std::move(text)},
                      {"value", "", std::move(value)},
                      {"residual", "", std::move(residual)},
                      {"first_distance", "tokens", std::move(first)},
                      {"note", "", std::move(note)}}};
}

Table curves_table(const ParamSet& params, const std::vector<Finding>& findings) {
  Table table{.name = "curves",
              .caption = "the measure by distance, at the settings found and as given",
              .columns = {{"distance", "tokens", distances_of(params)}}};
  for (const Finding& f : findings) {
    if (f.found()) table.columns.push_back({"equal_" + f.name, "", f.equal});
    table.columns.push_back({"given_" + f.name, "", f.own});
  }
  return table;
}

void add_scalars(const Finding& f, Result& result) {
  const std::string label = encoding_label(f.name);
  result.scalars.push_back(
      {.name = f.name + "_setting",
       .value = f.setting,
       .description = label + ": " + (f.found() ? f.setting_text : "no setting does it")});
  result.scalars.push_back({.name = f.name + "_given_half_distance",
                            .unit = "tokens",
                            .value = or_nan(first_at_or_below(f.own, half)),
                            .description = label + ": half distance as given"});
}

}  // namespace

const ExperimentInfo& EqualHalfDistance::info() const {
  static const ExperimentInfo info = make_info();
  return info;
}

Result EqualHalfDistance::run(const ParamSet& params, const Inputs& inputs,
                              Progress& progress) const {
  const std::vector<std::string>& names = params.list("encoding");
  const std::int64_t h = params.integer("half_distance");
  Result result{.provenance = provenance_of(info(), params)};
  std::vector<Finding> findings;
  for (std::size_t e = 0; e < names.size(); ++e) {
    const double share = 1.0 / static_cast<double>(names.size());
    const double from = share * static_cast<double>(e);
    checkpoint(progress, from, "curve of " + names[e]);
    const Subject subject(names[e], params, inputs);
    findings.push_back(examine(subject, h, progress, from, std::min(1.0, from + share)));
    add_scalars(findings.back(), result);
    // Where an encoding knows no such position there is nothing to claim.
    if (!std::isnan(findings.back().search.value))
      result.checks.push_back(check_of(findings.back(), h));
  }
  result.figures.push_back(equal_figure(params, findings));
  result.figures.push_back(own_figure(params, findings));
  result.figures.push_back(table_figure(params, findings));
  result.tables.push_back(settings_table(findings, h));
  result.tables.push_back(curves_table(params, findings));
  return result;
}

}  // namespace orrery
