#include "core/encodings/kerple.h"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

constexpr double least_trained = 0.01;  // as the released code keeps both
constexpr double largest_power = 2.0;

/// The user's table of a number per head, or the parameter of the same name for all heads.
std::vector<double> per_head(const EncodingSettings& s, const std::string& name) {
  const Matrix<double> row = table_or<double>(s, name, 1, s.heads, s.params.real(name));
  return {row.data(), row.data() + row.size()};
}

void check_positive(const char* name, const std::vector<double>& values) {
  for (std::size_t h = 0; h < values.size(); ++h)
    if (!(values[h] > 0) || !std::isfinite(values[h]))
      throw UsageError(fmt::format("kerple.{}={} of head {}", name, values[h], h),
                       "must be positive and finite", "the released code keeps it above 0.01");
}

void check_parameters(KerpleVariant variant, const KerpleParameters& p) {
  if (p.r1.empty() || p.r1.size() != p.r2.size())
    throw UsageError(fmt::format("{} numbers r1 and {} r2", p.r1.size(), p.r2.size()),
                     "must be one of each per head", "give vectors of as many heads");
  check_positive("r1", p.r1);
  check_positive("r2", p.r2);
  if (variant != KerpleVariant::power) return;
  for (const double r2 : p.r2)
    if (r2 > largest_power)
      throw UsageError(fmt::format("kerple.r2={} with kerple.variant=power", r2),
                       "must be at most 2", "take kerple.r2=1 for a linear bias");
}

}  // namespace

template <class T>
Kerple<T>::Kerple(KerpleVariant variant, KerpleParameters parameters, const StageRounding& rounding)
    : variant_(variant), parameters_(std::move(parameters)), rounding_(rounding) {
  check_parameters(variant_, parameters_);
  for (std::vector<double>* values : {&parameters_.r1, &parameters_.r2})
    for (double& value : *values) value = rounding_(Stage::table, value);
}

template <class T>
EncodingInfo Kerple<T>::info() {
  ParamSpec variant =
      choice_param("kerple.variant", "How the bias falls with distance.", "logarithmic",
                   {{"logarithmic", "$−r_1 \\log(1 + r_2 |m − n|)$"},
                    {"power", "$−r_1 |m − n|^{r_2}$, $r_2$ at most 2; $r_2 = 1$ is ALiBi's"}});
  ParamSpec r1 = log_real_param({"kerple.r1", "$r_1$"},
                                "Size of the bias, for every head unless a table gives it.", 1.0,
                                0.001, 1000.0);
  ParamSpec r2 = log_real_param(
      {"kerple.r2", "$r_2$"},
      "Scale of the distance, or its exponent; for every head unless a table gives it.", 0.5, 0.001,
      1000.0);
  return {
      .name = "kerple",
      .label = "KERPLE",
      .title = "KERPLE, kernelized relative positions",
      .statement = "Subtracts from each logit a logarithm or a power of the distance, by head.",
      .source = "Chi et al. 2022; chijames/KERPLE",
      .formulas =
          {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} - r_1 \log(1 + r_2 |m - n|))",
            "Chi et al. 2022"},
           {R"(\text{variant=power: } \ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} - r_1 |m - n|^{r_2}, \quad 0 < r_2 \le 2)",
            "", in_descriptions}},
      .symbols = {{"r_1", "trained size of the head's bias"},
                  {"r_2", "trained scale of the distance, or its exponent"}},
      .params = {std::move(variant), std::move(r1), std::move(r2)},
      .tables = {{"kerple.r1", "[1, heads]", "r1 of each head.",
                  "the parameter kerple.r1 for every head", false, least_trained},
                 {"kerple.r2", "[1, heads]", "r2 of each head.",
                  "the parameter kerple.r2 for every head", false, least_trained, largest_power}},
      .stages = {Stage::position, Stage::distance, Stage::table},
      .term_symbols = {{"kernel_bias", R"(b_{m-n})"}}};
}

template <class T>
std::unique_ptr<Kerple<T>> Kerple<T>::make(const EncodingSettings& s) {
  const bool power = s.params.text("kerple.variant") == "power";
  return std::make_unique<Kerple>(
      power ? KerpleVariant::power : KerpleVariant::logarithmic,
      KerpleParameters{per_head(s, "kerple.r1"), per_head(s, "kerple.r2")}, s.rounding);
}

template <class T>
double Kerple<T>::kernel(double distance, std::size_t head) const {
  const double r1 = parameters_.r1[head], r2 = parameters_.r2[head];
  if (variant_ == KerpleVariant::power) return -r1 * std::pow(distance, r2);
  return -r1 * std::log1p(r2 * distance);
}

template <class T>
ScoreTerm<T> Kerple<T>::bias(const ScoreInputs<T>& in) const {
  check_head(in.head, static_cast<Index>(parameters_.r1.size()));
  const auto head = static_cast<std::size_t>(in.head);
  return {"kernel_bias", matrix_of_rounded_distances<T>(in.m, in.n, rounding_, [&](double r) {
            return kernel(std::abs(r), head);
          })};
}

template <class T>
void Kerple<T>::add_bias_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                   Tables& d_tables) const {
  check_head(in.head, static_cast<Index>(parameters_.r1.size()));
  const auto head = static_cast<std::size_t>(in.head);
  const double r1 = parameters_.r1[head], r2 = parameters_.r2[head];
  const auto summed = [&](const auto& derivative) {
    const Matrix<double> by_pair = matrix_of_rounded_distances<double>(
        in.m, in.n, rounding_, [&](double r) { return derivative(std::abs(r)); });
    return by_pair.cwiseProduct(d_logits.template cast<double>()).sum();
  };
  const auto heads = static_cast<Index>(parameters_.r1.size());
  gradient_of(d_tables, "kerple.r1", 1, heads)(0, in.head) +=
      summed([&](double distance) { return kernel(distance, head) / r1; });
  gradient_of(d_tables, "kerple.r2", 1, heads)(0, in.head) += summed([&](double distance) {
    if (variant_ == KerpleVariant::logarithmic) return -r1 * distance / (1.0 + r2 * distance);
    return distance == 0 ? 0.0 : kernel(distance, head) * std::log(distance);
  });
}

template class Kerple<float>;
template class Kerple<double>;

}  // namespace orrery
