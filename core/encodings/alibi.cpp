#include "core/encodings/alibi.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "core/attention/content.h"
#include "core/encodings/relative_index.h"
#include "core/errors.h"

namespace orrery {
namespace {

std::vector<double> geometric_slopes(int heads) {
  std::vector<double> slopes;
  for (int h = 0; h < heads; ++h) slopes.push_back(std::exp2(-8.0 * (h + 1) / heads));
  return slopes;
}

}  // namespace

std::vector<double> alibi_slopes(int heads) {
  if (heads < 1)
    throw UsageError(fmt::format("heads={}", heads), "must be at least 1", "use heads=8");
  const int below = static_cast<int>(std::bit_floor(static_cast<unsigned>(heads)));
  std::vector<double> slopes = geometric_slopes(below);
  const std::vector<double> finer = geometric_slopes(2 * below);
  for (std::size_t i = 0; slopes.size() < static_cast<std::size_t>(heads); i += 2)
    slopes.push_back(finer[i]);
  return slopes;
}

template <class T>
Alibi<T>::Alibi(int heads, AlibiForm form, StageRounding rounding)
    : slopes_(alibi_slopes(heads)), form_(form), rounding_(rounding) {
  for (double& slope : slopes_) slope = rounding_(Stage::table, slope);
}

template <class T>
EncodingInfo Alibi<T>::info() {
  ParamSpec form{.key = "alibi.form",
                 .description = "What a key ahead of the query gets.",
                 .kind = ParamKind::choice,
                 .default_value = std::string("symmetric"),
                 .choices = {{"symmetric", "−s|m − n|: ahead as behind"},
                             {"causal", "−s(m − n): a bonus ahead; for causal attention"}}};
  return {.name = "alibi",
          .label = "ALiBi",
          .title = "ALiBi, attention with linear biases",
          .statement = "Subtracts from each logit a penalty proportional to distance, by head.",
          .formula = "logit_mn = q_m·k_n/√d − s_h |m − n|, s_h = 2^(−8(h+1)/H)",
          .source = "Press et al. 2022 §3",
          .params = {std::move(form)},
          .stages = {Stage::position, Stage::distance, Stage::table}};
}

template <class T>
std::unique_ptr<Alibi<T>> Alibi<T>::make(const EncodingSettings& s) {
  const bool causal = s.params.text("alibi.form") == "causal";
  return std::make_unique<Alibi>(s.heads, causal ? AlibiForm::causal : AlibiForm::symmetric,
                                 s.rounding);
}

template <class T>
std::vector<ScoreTerm<T>> Alibi<T>::score_terms(const ScoreInputs<T>& in) const {
  check_head(in.head, static_cast<Index>(slopes_.size()));
  const double slope = slopes_[static_cast<std::size_t>(in.head)];
  Matrix<T> bias(in.q.rows(), in.k.rows());
  for (Index i = 0; i < bias.rows(); ++i) {
    for (Index j = 0; j < bias.cols(); ++j) {
      const double r = rounded_distance(in.m[static_cast<std::size_t>(i)],
                                        in.n[static_cast<std::size_t>(j)], rounding_);
      bias(i, j) = static_cast<T>(-slope * (form_ == AlibiForm::causal ? r : std::abs(r)));
    }
  }
  std::vector<ScoreTerm<T>> terms;
  terms.push_back(scaled_content_term<T>(in));
  terms.push_back({"linear_bias", std::move(bias)});
  return terms;
}

template class Alibi<float>;
template class Alibi<double>;

}  // namespace orrery
