#include "core/encodings/rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/encodings/common_formulas.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/rope_scaling.h"
#include "core/encodings/rope_settings.h"
#include "core/errors.h"
#include "core/param_specs.h"
#include "core/product.h"

namespace orrery {
namespace {

std::string band_name(std::size_t band) { return fmt::format("band{}", band); }

std::vector<Choice> band_choices() {
  std::vector<Choice> choices;
  for (std::size_t band = 0; band < mixer_bands; ++band)
    choices.push_back({band_name(band), fmt::format("pairs $t$ of $P$ with floor({} $t / P$) = {}",
                                                    mixer_bands, band)});
  choices.front().description += ": the fastest";
  choices.back().description += ": the slowest";
  return choices;
}

std::array<bool, mixer_bands> muted_of(const ParamSet& params) {
  std::array<bool, mixer_bands> muted{};
  if (!params.has("rope.muted")) return muted;
  const std::vector<std::string>& names = params.list("rope.muted");
  for (std::size_t band = 0; band < mixer_bands; ++band)
    muted[band] = std::ranges::find(names, band_name(band)) != names.end();
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
Rope<T>::Rope(RopeConvention convention, const RopeOptions& options)
    : convention_(completed(std::move(convention))),
      options_(options),
      theta_(turning_of(convention_, Precision::fp64)),
      rounded_theta_(turning_of(convention_, options_.rounding.format(Stage::inv_freq))),
      attention_factor_(orrery::attention_factor(convention_.scaling)),
      table_(rounded_theta_, attention_factor_),
      value_table_(rounded_theta_) {
  check_some_pair_counts(theta_.size(), options_.muted);
}

template <class T>
// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
EncodingInfo Rope<T>::info() {
  ParamSpec value =
      choice_param("rope.rotary_value", "Whether values turn too.", "none",
                   {{"none", "the paper"},
                    {"rotated", "by $R_n$, not undone: rotary_value in Hugging Face's RoFormer"},
                    {"counter_rotated", "by $R_n$, and the output by $R_mᵀ$: RoPER, DeepSeek-V4"}});
  ParamSpec muted{
      .key = "rope.muted",
      .description =
          "Bands taken out of the score: it is $Σ \\Re h_t e^{i(m−n)θ_t}$ over the other pairs.",
      .kind = ParamKind::choice_list,
      .default_value = std::vector<std::string>{},
      .choices = band_choices(),
      .may_be_empty = true};
  std::vector<ParamSpec> params = rope_params(false);
  params.push_back(std::move(value));
  params.push_back(std::move(muted));
  return {
      .name = "rope",
      .label = "RoPE",
      .title = "RoPE, rotary position embedding",
      .statement =
          "Rotates each pair of channels of $q$ and $k$ by an angle proportional to position.",
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
                  {"φ_t", "angle by which pair $t$ is rotated, in rad"},
                  {"h_t", "product of the query's and the key's pair $t$, as complex numbers"},
                  {"a", "attention factor of a scaling, by which $q$ and $k$ are multiplied"},
                  {"s", "factor of a scaling"},
                  {"L_0", "context of the training, in tokens"}},
      .params = std::move(params),
      .tables = rope_tables(),
      .decay = {.param = "base"},
      .stages = {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin, Stage::products,
                 Stage::rotated_qk},
      .same_heads = true};
}

template <class T>
std::unique_ptr<Rope<T>> Rope<T>::make(const EncodingSettings& s) {
  RopeOptions options{.muted = muted_of(s.params), .rounding = s.rounding};
  const std::string& value = s.params.text("rope.rotary_value");
  if (value == "rotated") options.rotary_value = RotaryValue::rotated;
  if (value == "counter_rotated") options.rotary_value = RotaryValue::counter_rotated;
  return std::make_unique<Rope>(rope_convention_of(s), options);
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
  if (convention_.pairing == RopePairing::interleaved)
    table.rotate_interleaved<T>(positions, x);
  else
    table.rotate_half_split<T>(positions, x);
}

template <class T>
void Rope<T>::rotate_rounded(PositionsIn positions, double amplitude, MatrixOut<T> x) const {
  std::vector<CosSin> turns(rounded_theta_.size());
  // a cos, b sin, a sin, b cos of each pair: rounded together, which is many times as fast.
  std::vector<T> products(4 * turns.size());
  for (Index i = 0; i < x.rows(); ++i) {
    const Position m = positions[static_cast<std::size_t>(i)];
    if (i == 0 || m != positions[static_cast<std::size_t>(i) - 1])
      std::ranges::transform(rounded_theta_, turns.begin(), [&](double theta) {
        return rounded_rotation(m, theta, options_.rounding, amplitude);
      });
    for (std::size_t t = 0; t < turns.size(); ++t) {
      const T c = static_cast<T>(turns[t].cos), s = static_cast<T>(turns[t].sin);
      const T a = x(i, channels(t).a), b = x(i, channels(t).b);
      T* of_pair = &products[4 * t];
      of_pair[0] = a * c;
      of_pair[1] = b * s;
      of_pair[2] = a * s;
      of_pair[3] = b * c;
    }
    if (!options_.rounding.template leaves<T>(Stage::products))
      round_all<T>(options_.rounding.format(Stage::products), products);
    for (std::size_t t = 0; t < turns.size(); ++t) {
      const T* of_pair = &products[4 * t];
      x(i, channels(t).a) = of_pair[0] - of_pair[1];
      x(i, channels(t).b) = of_pair[2] + of_pair[3];
    }
  }
}

template <class T>
void Rope<T>::check_shape(PositionsIn positions, const MatrixIn<T>& x) const {
  check_positions(positions, x.rows());
  if (x.cols() == convention_.d_head) return;
  throw UsageError(fmt::format("q or k with {} channels", x.cols()),
                   fmt::format("this RoPE was made for d_head={}", convention_.d_head),
                   "give q and k with as many channels");
}

template <class T>
MatrixOut<T> Rope<T>::paired(MatrixOut<T> x) const {
  return x.middleCols(first_channel(convention_), 2 * pairs_of(convention_));
}

template <class T>
void Rope<T>::rotate(PositionsIn positions, const RotationTable& table, MatrixOut<T> x) const {
  check_shape(positions, x);
  if (rounds_rotation(options_.rounding) || options_.rounding.rounds(Stage::products))
    rotate_rounded(positions, table.amplitude(), x);
  else
    rotate_exactly(positions, table, paired(x));
  options_.rounding.template apply<T>(Stage::rotated_qk, paired(x));
}

template <class T>
void Rope<T>::rotate_back(PositionsIn positions, const RotationTable& table, MatrixOut<T> x) const {
  check_shape(positions, x);
  rotate_exactly(mirrored(positions), table, paired(x));
}

template <class T>
void Rope<T>::set_muted_to_zero(MatrixOut<T> x) const {
  for (std::size_t t = 0; t < theta_.size(); ++t) {
    if (!is_muted(t)) continue;
    x.col(channels(t).a).setZero();
    x.col(channels(t).b).setZero();
  }
}

template <class T>
void Rope<T>::turn(PositionsIn positions, MatrixOut<T> x) const {
  rotate(positions, table_, x);
  set_muted_to_zero(x);
}

template <class T>
void Rope<T>::turn_back(PositionsIn positions, MatrixOut<T> d_x) const {
  set_muted_to_zero(d_x);
  rotate_back(positions, table_, d_x);
}

template <class T>
Matrix<T> Rope<T>::turned_values(const ValueInputs<T>& in) const {
  Matrix<T> turned = in.v;
  rotate(in.n, value_table_, turned);
  return turned;
}

template <class T>
void Rope<T>::add_to_output(const ValueInputs<T>& in, MatrixOut<T> out) const {
  if (options_.rotary_value == RotaryValue::none) return;
  Matrix<T> sum = product<T>(in.weights, turned_values(in));
  if (options_.rotary_value == RotaryValue::counter_rotated)
    rotate(mirrored(in.m), value_table_, sum);
  out = sum;
}

template <class T>
void Rope<T>::add_value_gradients(const ValueInputs<T>& in, const MatrixIn<T>& d_out,
                                  MatrixOut<T> d_weights, MatrixOut<T> d_v, Tables&) const {
  if (options_.rotary_value == RotaryValue::none) return;
  Matrix<T> d_sum = d_out;
  if (options_.rotary_value == RotaryValue::counter_rotated)
    rotate_back(mirrored(in.m), value_table_, d_sum);
  Matrix<T> d_values = transposed_product<T>(in.weights, d_sum);
  rotate_back(in.n, value_table_, d_values);
  // Less Σ_n A_mn v_n, whose place the rotated sum takes.
  d_weights +=
      product_with_transpose<T>(d_sum, turned_values(in)) - product_with_transpose<T>(d_out, in.v);
  d_v += d_values - transposed_product<T>(in.weights, d_out);
}

template <class T>
Matrix<T> repaired_rows(const MatrixIn<T>& rows, Index heads, RopePairing from, RopePairing to) {
  const RopeConvention rope = completed({.d_head = rows.rows() / heads});
  Matrix<T> out(rows.rows(), rows.cols());
  for (Index first = 0; first < rows.rows(); first += rope.d_head)
    for (Index t = 0; t < pairs_of(rope); ++t) {
      const ChannelPair old = channels_of(rope, t, from), now = channels_of(rope, t, to);
      out.row(first + now.a) = rows.row(first + old.a);
      out.row(first + now.b) = rows.row(first + old.b);
    }
  return out;
}

template Matrix<float> repaired_rows(const MatrixIn<float>&, Index, RopePairing, RopePairing);
template Matrix<double> repaired_rows(const MatrixIn<double>&, Index, RopePairing, RopePairing);
template class Rope<float>;
template class Rope<double>;

}  // namespace orrery
