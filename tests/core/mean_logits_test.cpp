#include "core/analysis/mean_logits.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "core/analysis/decay.h"
#include "core/attention/head.h"
#include "core/encodings/alibi.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/fox.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/logit_rule.h"
#include "core/random.h"

using namespace orrery;

namespace {

constexpr Index mean_width = 16;
const Positions queries{0, 1, 5, 40};

std::vector<ParamSpec> encoding_params_of_all() {
  std::vector<ParamSpec> specs{{.key = "encoding",
                                .kind = ParamKind::choice,
                                .default_value = std::string("none"),
                                .choices = encoding_choices()}};
  for (ParamSpec& spec : encoding_params("encoding")) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace

TEST_CASE("RoPE's mean logit of like tokens is |x|²/√d · B_r/(d/2)") {
  const Rope<double> rope({.d_head = mean_width});
  const MeanLogits mean = mean_logits(rope, mean_width, 12.0, queries, 0);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const double b = decay_curve(rope.theta(), queries[i], 1).B[0];
    CHECK(mean.total[i] == Approx(12.0 / 4.0 * b / 8.0).margin(1e-14));
    CHECK(mean.position[i] == 0);
  }
}

TEST_CASE("ALiBi loses its slope a token, T5 its bias, Shaw nothing on average") {
  const MeanLogits alibi = mean_logits(Alibi<double>(8), mean_width, 8.0, queries, 1);
  CHECK(alibi.total[3] == Approx(2 - 40 * 0.25));
  CHECK(alibi.position[3] == Approx(-10));
  Random random(3, "tables");
  const Matrix<double> table = normal_matrix<double>(random, 32, 2);
  const MeanLogits t5 = mean_logits(T5<double>({}, table), mean_width, 8.0, queries, 1);
  for (std::size_t i = 0; i < queries.size(); ++i)
    CHECK(t5.total[i] == Approx(8 + table(t5_bucket(queries[i], {}), 1)));
  const Shaw<double> shaw(normal_matrix<double>(random, 9, mean_width), {});
  for (const double p : mean_logits(shaw, mean_width, 8.0, queries, 0).position)
    CHECK(p == Approx(0).margin(1e-14));
}

TEST_CASE("Added sinusoids give |x|²/√d + B_r/√d") {
  const Sinusoidal<double> sinusoidal(mean_width);
  const MeanLogits mean = mean_logits(sinusoidal, mean_width, 4.0, queries, 0);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const double b = decay_curve(sinusoidal.theta(), queries[i], 1).B[0];
    CHECK(mean.total[i] == Approx(1.0 + b / 4.0).margin(1e-14));
    CHECK(mean.position[i] == Approx(b / 4.0).margin(1e-14));
  }
}

TEST_CASE("For every encoding the mean is that over the 2d vectors ±|x|e_i, one by one") {
  // PoPE's lengths are softplus(x), not x: other contents have another length, at all distances.
  const std::string only_in_shape = "pope";
  const ParamSet defaults(encoding_params_of_all());
  for (const EncodingEntry& entry : encoding_catalogue()) {
    INFO(entry.info.name);
    const auto encoding = entry.make_double(
        {.d_model = mean_width, .d_head = mean_width, .heads = 2, .params = defaults, .seed = 5});
    if (encoding->traits().reads_other_keys)
      continue;  // it has no meaning without the tokens between
    const MeanLogits mean = mean_logits(*encoding, mean_width, 12.0, queries, 1);
    const auto one = Projections<double>::identity(mean_width);
    const Positions origin{0};
    std::vector<double> sum(queries.size());
    for (Index i = 0; i < 2 * mean_width; ++i) {
      Matrix<double> x = Matrix<double>::Zero(1, mean_width);
      x(0, i / 2) = (i % 2 == 0 ? 1 : -1) * std::sqrt(12.0);
      const Matrix<double> x_q = x.replicate(static_cast<Index>(queries.size()), 1);
      const auto out = attention_head<double>(*encoding, one, {x_q, x, queries, origin, 1});
      for (std::size_t r = 0; r < queries.size(); ++r)
        sum[r] += out.logits(static_cast<Index>(r), 0) / static_cast<double>(2 * mean_width);
    }
    const double factor = entry.info.name == only_in_shape ? mean.total[0] / sum[0] : 1.0;
    for (std::size_t r = 0; r < queries.size(); ++r)
      CHECK(mean.total[r] == Approx(factor * sum[r]).margin(1e-13));
  }
}

TEST_CASE("An encoding that reads the tokens between is asked among tokens of the same content") {
  ForgetGates gates{Matrix<double>::Zero(2, mean_width), Matrix<double>(1, 2)};
  gates.bias << 3, -1;
  const Positions far{0, 1, 40, most_tokens_between, most_tokens_between + 1};
  const MeanLogits mean = mean_logits(Fox<double>(gates), mean_width, 8.0, far, 1);
  for (std::size_t i = 0; i + 1 < far.size(); ++i)
    CHECK(mean.total[i] == Approx(2 + static_cast<double>(far[i]) * log_sigmoid(-1)));
  CHECK(std::isnan(mean.total.back()));
  CHECK(keys_beside_origin(Fox<double>(gates), far).size() == most_tokens_between + 2);
  CHECK(keys_beside_origin(NoEncoding<double>(), far) == Positions{0});
}

TEST_CASE("That is the mean over the sphere") {
  const Rope<double> rope({.d_head = mean_width});
  const double exact = mean_logits(rope, mean_width, 1.0, Positions{7}, 0).total[0];
  Random random(1, "directions");
  double sum = 0;
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    Matrix<double> x = normal_matrix<double>(random, 1, mean_width);
    x /= x.norm();
    const Positions at{7}, origin{0};
    sum += attention_from_qkv<double>(rope, {x, x, x, at, origin}).logits(0, 0);
  }
  CHECK(sum / draws == Approx(exact).margin(0.002));
}

TEST_CASE("Contents are scaled so that every encoding's content counts alike") {
  CHECK(squared_norm_for(NoEncoding<double>(), mean_width, 8.0, 0) == Approx(32));
  CHECK(squared_norm_for(T5<double>({}, Matrix<double>::Ones(32, 1)), mean_width, 8.0, 0) ==
        Approx(8));
  CHECK(squared_norm_for(Sinusoidal<double>(mean_width), mean_width, 8.0, 0) == Approx(32));
}
