// The conventions of released models, by setting, against tests/golden/generate_conventions.py.
#include <catch2/catch.hpp>

#include <limits>

#include "core/analysis/largest.h"
#include "core/attention/head.h"
#include "core/encodings/alibi.h"
#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

/// The settings, tables, contents and positions of one case.
template <class T>
struct Convention {
  const nlohmann::json& json;
  Matrix<T> q = matrix_of<T>(json.at("q"));
  Matrix<T> k = matrix_of<T>(json.at("k"));
  Positions m = json.at("m").get<Positions>();
  Positions n = json.at("n").get<Positions>();
  std::vector<std::int32_t> query_segments = ids("query_segments");
  std::vector<std::int32_t> key_segments = ids("key_segments");

  std::vector<std::int32_t> ids(const char* key) const {
    return json.value(key, std::vector<std::int32_t>{});
  }

  CatalogueCase settings() const {
    CatalogueCase c{json.at("encoding").get<std::string>(), {}};
    for (const auto& [key, value] : json.at("settings").items())
      c.params.emplace_back(key, value.template get<std::string>());
    return c;
  }

  StageRounding rounding() const {
    StageRounding rounding;
    if (json.contains("stages"))
      for (const auto& [stage, format] : json.at("stages").items())
        rounding.set(stage_named(stage), precision_named(format.template get<std::string>()));
    return rounding;
  }

  std::unique_ptr<Encoding> encoding() const {
    Tables tables;
    for (const auto& [name, rows] : json.at("tables").items())
      tables.emplace(name, matrix_of<double>(rows));
    const CatalogueCase c = settings();
    const ParamSet params = params_of(c);
    return make_encoding<T>(c.name, {.d_model = json.at("d_model").get<Index>(),
                                     .d_head = q.cols(),
                                     .heads = json.at("heads").get<int>(),
                                     .params = params,
                                     .rounding = rounding(),
                                     .tables = &tables});
  }

  AttentionOutput<T> attend() const {
    const Mask mask = json.value("causal", false) ? Mask::causal(m, n) : Mask{};
    return attention_from_qkv<T>(
        *encoding(), {q, k, k, m, n, json.at("head").get<int>(), {query_segments, key_segments}},
        mask);
  }
};

/// Where the reference hides a key, its logit is null, and ours is not compared.
template <class T>
Matrix<T> visible_logits(const nlohmann::json& rows, const Matrix<T>& ours) {
  Matrix<T> logits = ours;
  for (Index i = 0; i < logits.rows(); ++i)
    for (Index j = 0; j < logits.cols(); ++j) {
      const auto& cell = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
      if (!cell.is_null()) logits(i, j) = cell.template get<T>();
    }
  return logits;
}

/// How far logits or output move; infinitely far where tables of the one do not fit the other.
double change_of(const nlohmann::json& one, const nlohmann::json& other) {
  const auto ours = Convention<double>{one}.attend();
  try {
    const auto theirs = Convention<double>{other}.attend();
    return larger(largest_difference(ours.logits, theirs.logits),
                  largest_difference(ours.output, theirs.output));
  } catch (const UsageError&) {
    return std::numeric_limits<double>::infinity();
  }
}

}  // namespace

TEMPLATE_TEST_CASE("Released conventions are plain settings, and equal their own code", "", float,
                   double) {
  using T = TestType;
  const double tolerance = sizeof(T) == 8 ? 3e-14 : 1e-4;
  const auto file = golden("conventions.json");
  for (const auto& [name, json] : file.at("cases").items()) {
    INFO(name);
    const auto out = Convention<T>{json}.attend();
    CHECK(largest_difference(out.logits, visible_logits<T>(json.at("logits"), out.logits)) <
          tolerance);
    CHECK(largest_difference(out.weights, matrix_of<T>(json.at("weights"))) < tolerance);
  }
}

TEMPLATE_TEST_CASE("Conformers are Transformer-XL with sines and cosines in turns", "", float,
                   double) {
  using T = TestType;
  const double tolerance = sizeof(T) == 8 ? 1e-6 : 1e-4;  // sinusoids of most are float32
  const auto file = golden("conformers.json");
  for (const auto& [name, json] : file.at("cases").items()) {
    INFO(name);
    const auto out = Convention<T>{json}.attend();
    CHECK(largest_difference(out.logits, matrix_of<T>(json.at("logits"))) < tolerance);
    CHECK(largest_difference(out.weights, matrix_of<T>(json.at("weights"))) < tolerance);
  }
}

TEST_CASE("Every setting of a convention changes the numbers: none is ignored") {
  auto cases = golden("conventions.json").at("cases");
  cases.update(golden("conformers.json").at("cases"));
  for (const auto& [name, json] : cases.items()) {
    for (const auto& [key, value] : json.at("settings").items()) {
      const CatalogueCase c{json.at("encoding").get<std::string>(), {}};
      const bool is_switch = params_of(c).spec(key).kind == ParamKind::choice;
      if (!is_switch || value == params_of(c).to_text(key)) continue;
      INFO(name << " without " << key);
      nlohmann::json other = json;
      other.at("settings").erase(key);
      CHECK(change_of(json, other) > 1e-3);
    }
  }
}

TEST_CASE("Slopes with another bias_max equal MPT's, which it computes in fp32") {
  const auto file = golden("conventions.json");
  for (const auto& c : file.at("mpt_slopes")) {
    const auto expected = c.at("slopes").get<std::vector<double>>();
    const auto slopes = alibi_slopes(c.at("heads").get<int>(), c.at("bias_max").get<double>());
    REQUIRE(slopes.size() == expected.size());
    for (std::size_t h = 0; h < slopes.size(); ++h)
      CHECK(std::abs(slopes[h] / expected[h] - 1) < 3e-7);
  }
}

TEST_CASE("θ misses base^(−2t/d) as far as docstrings say: 8e-10, 5e-5 and 0.42 rad far out") {
  const double expected = golden("conventions.json").at("theta_error d=128").get<double>();
  double largest = 0;
  const auto theta = inverse_frequencies(128, 10000.0);
  for (std::size_t t = 0; t < theta.size(); ++t) {
    const long double exact = std::pow(10000.0L, -2.0L * static_cast<long double>(t) / 128.0L);
    largest = larger(largest, static_cast<double>(std::abs(theta[t] - exact)));
  }
  CHECK(largest == Approx(expected).epsilon(2e-3));  // long double has 11 bits more than double
  CHECK(expected * std::exp2(24) == Approx(8e-10).epsilon(0.05));
  CHECK(expected * std::exp2(40) == Approx(5e-5).epsilon(0.05));
  CHECK(expected * std::exp2(53) == Approx(0.42).epsilon(0.05));
}

TEST_CASE("A table that the settings do not read is refused, with the setting that reads it") {
  const auto refusal = [](const CatalogueCase& c, const char* table) {
    const Tables tables{{table, Matrix<double>::Zero(1, 1)}};
    const ParamSet params = params_of(c);
    try {
      make_encoding<double>(c.name,
                            {.d_model = 4, .d_head = 4, .params = params, .tables = &tables});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(refusal({"tupe", {}}, "tupe.b_q"), Contains("tupe.variant=released only"));
  CHECK_THAT(refusal({"tupe", {{"tupe.variant", "released"}}}, "tupe.theta"),
             Contains("tupe.variant=paper"));
  CHECK_THAT(refusal({"deberta", {}}, "deberta.norm_gain"), Contains("deberta.norm=layer_norm"));
  CHECK_THAT(refusal({"shaw", {{"shaw.variant", "tied"}}}, "shaw.value_table"),
             Contains("shaw.variant=keys_and_values"));
  CHECK_THAT(refusal({"transformer_xl", {}}, "transformer_xl.W_q"),
             Contains("transformer_xl.biases=roformer"));
}
