#include "core/encodings/rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/encodings/common_formulas.h"
#include "core/encodings/rope_scaling_params.h"
#include "core/encodings/rotation.h"
#include "core/errors.h"
#include "core/product.h"

namespace orrery {
namespace {

RopeConfig completed(RopeConfig config) {
  config.rotary_dims = checked_rotary_dims(config.d_head, config.rotary_dims);
  return config;
}

/// The pairs that have a frequency, be it 0.
Index pairs_of(const RopeConfig& config) {
  return (config.partial == RopePartial::truncated ? config.rotary_dims : config.d_head) / 2;
}

std::vector<double> frequencies_of(const RopeConfig& config, Precision format) {
  std::vector<double> theta =
      scaled_frequencies(pairs_of(config), config.base, config.scaling, format);
  if (config.partial == RopePartial::truncated) return theta;
  std::fill(theta.begin() + config.rotary_dims / 2, theta.end(), 0.0);
  return theta;
}

std::string band_name(std::size_t band) { return fmt::format("band{}", band); }

std::vector<Choice> band_choices() {
  std::vector<Choice> choices;
  for (std::size_t band = 0; band < mixer_bands; ++band)
    choices.push_back({band_name(band),
                       fmt::format("pairs t of P with floor({} t / P) = {}", mixer_bands, band)});
  choices.front().description += ": the fastest";
  choices.back().description += ": the slowest";
  return choices;
}

std::array<bool, mixer_bands> muted_of(const ParamSet& params) {
  std::array<bool, mixer_bands> muted{};
  if (!params.has("rope.muted")) return muted;
  const std::vector<std::string>& names = params.list("rope.muted");
  for (std::size_t band = 0; band < mixer_bands; ++band)
    muted[band] = std::find(names.begin(), names.end(), band_name(band)) != names.end();
  return muted;
}

void check_some_pair_counts(std::size_t pairs, const std::array<bool, mixer_bands>& muted) {
  std::set<std::size_t> holding;  // bands with a pair
  for (std::size_t t = 0; t < pairs; ++t) holding.insert(mixer_band_of(t, pairs));
  std::vector<std::string> names;
  for (const std::size_t band : holding) {
    if (!muted[band]) return;
    names.push_back(band_name(band));
  }
  throw UsageError(fmt::format("rope.muted={}", fmt::join(names, "+")),
                   fmt::format("leaves none of {} pairs to compare", pairs),
                   fmt::format("unmute one of {}", fmt::join(names, ", ")));
}

Positions mirrored(PositionsIn positions) {
  Positions out(positions.begin(), positions.end());
  for (Position& p : out) p = -p;
  return out;
}

}  // namespace

template <class T>
Rope<T>::Rope(const RopeConfig& config)
    : config_(completed(config)),
      theta_(frequencies_of(config_, Precision::fp64)),
      rounded_theta_(frequencies_of(config_, config_.rounding.format(Stage::inv_freq))),
      attention_factor_(orrery::attention_factor(config_.scaling)),
      table_(rounded_theta_, attention_factor_),
      value_table_(rounded_theta_) {
  check_some_pair_counts(theta_.size(), config_.muted);
}

template <class T>
// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
EncodingInfo Rope<T>::info() {
  ParamSpec partial{
      .key = "rope.partial",
      .description = "How a fraction below 1 is meant.",
      .kind = ParamKind::choice,
      .default_value = std::string("truncated"),
      .choices = {{"truncated", "the first r channels, frequencies base^(−2t/r): GPT-NeoX"},
                  {"proportional", "p-RoPE: frequencies base^(−2t/d), the lowest set to 0"}},
      .idle = [](const ParamSet& params) { return params.real("rope.fraction") == 1.0; }};
  ParamSpec value{
      .key = "rope.rotary_value",
      .description = "Whether values turn too.",
      .kind = ParamKind::choice,
      .default_value = std::string("none"),
      .choices = {{"none", "the paper"},
                  {"rotated", "by R_n, not undone: rotary_value in Hugging Face's RoFormer"},
                  {"counter_rotated", "by R_n, and the output by R_mᵀ: RoPER, DeepSeek-V4"}}};
  ParamSpec muted{
      .key = "rope.muted",
      .description =
          "Bands taken out of the score: it is Σ Re h_t e^{i(m−n)θ_t} over the other pairs.",
      .kind = ParamKind::choice_list,
      .default_value = std::vector<std::string>{},
      .choices = band_choices(),
      .may_be_empty = true};
  std::vector<ParamSpec> params{base_param(), rope_pairing_param(), rope_fraction_param(),
                                std::move(partial)};
  for (ParamSpec& spec : rope_scaling_params()) params.push_back(std::move(spec));
  params.push_back(std::move(value));
  params.push_back(std::move(muted));
  return {
      .name = "rope",
      .label = "RoPE",
      .title = "RoPE, rotary position embedding",
      .statement = "Rotates each pair of channels of q and k by an angle proportional to position.",
      .source = "Su et al. 2021 (RoFormer) §3.2, eq. (14)–(16), (34)",
      .formulas =
          {{R"(\mathbf{q}_m = \mathbf{R}_{\Theta,m} \mathbf{W}_q \mathbf{x}_m, \quad \varphi_t = m\theta_t)",
            "eq. (14)"},
           frequency_formula,
           {R"(a = 0.1 \ln s + 1)", "YaRN, arXiv 2309.00071", in_descriptions},
           {R"(a = \sqrt{1 + \frac{\ln s}{\ln L_0}})", "LongRoPE, arXiv 2402.13753",
            in_descriptions}},
      .score_formulas =
          {{R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathrm{Re} \sum_{t=0}^{d/2-1} h_t e^{\mathrm{i}(m-n)\theta_t})",
            "eq. (35)"},
           {R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{R}_{\Theta,n-m} \mathbf{W}_k \mathbf{x}_n)",
            "eq. (16)", in_descriptions}},
      .symbols = {frequency_meaning,
                  {"φ_t", "angle by which pair t is rotated, in rad"},
                  {"h_t", "product of the query's and the key's pair t, as complex numbers"},
                  {"a", "attention factor of a scaling, by which q and k are multiplied"},
                  {"s", "factor of a scaling"},
                  {"L_0", "context of the training, in tokens"}},
      .params = std::move(params),
      .tables = rope_scaling_tables(),
      .decay = {.param = "base"},
      .stages = {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin, Stage::products,
                 Stage::rotated_qk},
      .same_heads = true};
}

template <class T>
void Rope<T>::check(const EncodingSettings& s) {
  make(s);  // it has no table to draw
}

template <class T>
std::unique_ptr<Rope<T>> Rope<T>::make(const EncodingSettings& s) {
  RopeConfig config{.d_head = s.d_head,
                    .base = s.params.real("base"),
                    .pairing = rope_pairing_of(s.params),
                    .rotary_dims = rotary_dims_of(s),
                    .rounding = s.rounding};
  if (s.params.text("rope.partial") == "proportional") config.partial = RopePartial::proportional;
  const std::string& value = s.params.text("rope.rotary_value");
  if (value == "rotated") config.rotary_value = RotaryValue::rotated;
  if (value == "counter_rotated") config.rotary_value = RotaryValue::counter_rotated;
  config.muted = muted_of(s.params);
  config.scaling = rope_scaling_of(s, pairs_of(config));
  return std::make_unique<Rope>(config);
}

template <class T>
TurningPairs Rope<T>::turning_pairs() const {
  TurningPairs pairs{.theta = theta_, .rounded_theta = rounded_theta_, .gain = attention_factor_};
  for (std::size_t t = 0; t < theta_.size(); ++t) {
    pairs.muted.push_back(is_muted(t));
    pairs.channels.emplace_back(channels(t).a, channels(t).b);
  }
  return pairs;
}

template <class T>
void Rope<T>::rotate_exactly(PositionsIn positions, const RotationTable& table,
                             MatrixOut<T> x) const {
  if (config_.pairing == RopePairing::interleaved)
    table.rotate_interleaved<T>(positions, x);
  else
    table.rotate_half_split<T>(positions, x);
}

template <class T>
void Rope<T>::rotate_row_rounded(Position position, double amplitude, T* row) const {
  const auto product = [this](T x, T y) { return config_.rounding(Stage::products, x * y); };
  for (std::size_t t = 0; t < rounded_theta_.size(); ++t) {
    const CosSin turn = rounded_rotation(position, rounded_theta_[t], config_.rounding, amplitude);
    const T c = static_cast<T>(turn.cos);
    const T s = static_cast<T>(turn.sin);
    T& a = row[channels(t).a];
    T& b = row[channels(t).b];
    const T turned_a = product(a, c) - product(b, s);
    const T turned_b = product(a, s) + product(b, c);
    a = turned_a;
    b = turned_b;
  }
}

template <class T>
void Rope<T>::rotate(PositionsIn positions, const RotationTable& table, MatrixOut<T> x) const {
  check_positions(positions, x.rows());
  if (x.cols() != config_.d_head)
    throw UsageError(fmt::format("q or k with {} channels", x.cols()),
                     fmt::format("this RoPE was made for d_head={}", config_.d_head),
                     "give q and k with as many channels");
  if (rounds_rotation(config_.rounding) || config_.rounding.rounds(Stage::products))
    for (Index i = 0; i < x.rows(); ++i)
      rotate_row_rounded(positions[static_cast<std::size_t>(i)], table.amplitude(),
                         x.row(i).data());
  else
    rotate_exactly(positions, table, x);
  config_.rounding.template apply<T>(Stage::rotated_qk,
                                     x.leftCols(2 * static_cast<Index>(theta_.size())));
}

template <class T>
void Rope<T>::turn(PositionsIn positions, MatrixOut<T> x) const {
  rotate(positions, table_, x);
  for (std::size_t t = 0; t < theta_.size(); ++t) {
    if (!is_muted(t)) continue;
    x.col(channels(t).a).setZero();
    x.col(channels(t).b).setZero();
  }
}

template <class T>
void Rope<T>::add_to_output(const ValueInputs<T>& in, MatrixOut<T> out) const {
  if (config_.rotary_value == RotaryValue::none) return;
  Matrix<T> turned = in.v;
  rotate(in.n, value_table_, turned);
  Matrix<T> sum = product<T>(in.weights, turned);
  if (config_.rotary_value == RotaryValue::counter_rotated)
    rotate(mirrored(in.m), value_table_, sum);
  out = sum;
}

template class Rope<float>;
template class Rope<double>;

}  // namespace orrery
