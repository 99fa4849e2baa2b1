#include "core/encodings/alibi.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "core/attention/content.h"
#include "core/errors.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

std::vector<double> geometric_slopes(int heads, double bias_max) {
  std::vector<double> slopes;
  for (int h = 0; h < heads; ++h) slopes.push_back(std::exp2(-bias_max * (h + 1) / heads));
  return slopes;
}

AlibiForm form_named(const std::string& name) {
  if (name == "causal") return AlibiForm::causal;
  return name == "key" ? AlibiForm::key : AlibiForm::symmetric;
}

}  // namespace

std::vector<double> alibi_slopes(int heads, double bias_max) {
  if (heads < 1)
    throw UsageError(fmt::format("heads={}", heads), "must be at least 1", "use heads=8");
  if (!(bias_max > 0))
    throw UsageError(fmt::format("bias_max={}", bias_max), "must be positive", "ALiBi uses 8");
  const int below = static_cast<int>(std::bit_floor(static_cast<unsigned>(heads)));
  std::vector<double> slopes = geometric_slopes(below, bias_max);
  const std::vector<double> finer = geometric_slopes(2 * below, bias_max);
  for (std::size_t i = 0; slopes.size() < static_cast<std::size_t>(heads); i += 2)
    slopes.push_back(finer[i]);
  return slopes;
}

template <class T>
Alibi<T>::Alibi(int heads, const AlibiOptions& options, const StageRounding& rounding)
    : slopes_(alibi_slopes(heads, options.bias_max)), options_(options), rounding_(rounding) {
  for (double& slope : slopes_) slope = rounding_(Stage::table, slope);
}

template <class T>
EncodingInfo Alibi<T>::info() {
  ParamSpec form = choice_param(
      "alibi.form", "What a key's position adds; the last two suit causal attention.", "symmetric",
      {{"symmetric", "$−s|m − n|$: ahead as behind"},
       {"causal", "$−s(m − n)$: a bonus ahead of the query"},
       {"key", "$+s·n$, as released codes have it: the weights of causal"}});
  ParamSpec bias_max =
      log_real_param({"alibi.bias_max", "$b$"},
                     "Exponent of the smallest slope of $2^a$ heads, $2^{−b}$.", 8.0, 0.01, 64.0);
  ParamSpec scale = choice_param(
      "alibi.bias_scale", "Whether the scale of the product applies to the bias too.", "none",
      {{"none", "$q·k/\\sqrt{d}$ + bias: the paper, BLOOM, MPT"},
       {"root", "$(q·k + \\mathrm{bias})/\\sqrt{d}$: Falcon"}});
  return {
      .name = "alibi",
      .label = "ALiBi",
      .title = "ALiBi, attention with linear biases",
      .statement = "Subtracts from each logit a penalty proportional to distance, by head.",
      .source = "Press et al. 2022 §3",
      .formulas =
          {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} - s_h |m - n|, \quad s_h = 2^{-8(h+1)/H} \quad (H = 2^a))",
            "Press et al. 2022"},
           {R"(s_h = 2^{-b(h+1)/c} \text{ for } h < c = 2^{\lfloor \log_2 H \rfloor}, \quad \text{then } s_h = 2^{-b(2(h-c)+1)/(2c)})",
            "", in_descriptions}},
      .symbols = {{"s_h", "slope of the head"}},
      .params = {std::move(form), std::move(bias_max), std::move(scale)},
      .decay = {.is_slope = true},
      .stages = {Stage::position, Stage::distance, Stage::table},
      .term_symbols = {{"linear_bias", R"(-s_h |m - n|)"}}};
}

template <class T>
std::unique_ptr<Alibi<T>> Alibi<T>::make(const EncodingSettings& s) {
  AlibiOptions options{.form = form_named(s.params.text("alibi.form")),
                       .bias_max = s.params.real("alibi.bias_max")};
  if (s.params.text("alibi.bias_scale") == "root") options.scale = AlibiScale::root;
  return std::make_unique<Alibi>(s.heads, options, s.rounding);
}

template <class T>
Matrix<T> Alibi<T>::sloped(const ScoreInputs<T>& in) const {
  const double slope = slopes_[static_cast<std::size_t>(in.head)];
  if (options_.form == AlibiForm::key)
    return matrix_of_pairs<T>(in.m, in.n, [&](Position, Position n) {
      return slope * rounding_(Stage::position, static_cast<double>(n));
    });
  const bool causal = options_.form == AlibiForm::causal;
  return matrix_of_rounded_distances<T>(
      in.m, in.n, rounding_, [&](double r) { return slope * (causal ? -r : -std::abs(r)); });
}

template <class T>
ScoreTerm<T> Alibi<T>::bias(const ScoreInputs<T>& in) const {
  check_head(in.head, static_cast<Index>(slopes_.size()));
  Matrix<T> linear = sloped(in);
  if (options_.scale == AlibiScale::root) {
    rounding_.template apply<T>(Stage::term, linear);
    in.scoring.rounding.template apply<T>(Stage::term, linear);
    linear *= static_cast<T>(score_scale(1, in.q.cols(), in.scoring));
  }
  return {"linear_bias", std::move(linear)};
}

template class Alibi<float>;
template class Alibi<double>;

}  // namespace orrery
