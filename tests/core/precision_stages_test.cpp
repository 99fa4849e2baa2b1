// Where each encoding rounds, against tests/golden/generate_precision.py.
#include <catch2/catch.hpp>

#include <algorithm>

#include "core/encodings/alibi.h"
#include "core/encodings/deberta.h"
#include "core/encodings/learned.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

std::vector<Stage> all_stages() {
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < stage_count; ++i) stages.push_back(static_cast<Stage>(i));
  return stages;
}

StageRounding everywhere(Precision format) {
  StageRounding rounding;
  for (const Stage stage : all_stages()) rounding.set(stage, format);
  return rounding;
}

struct Cases {
  nlohmann::json json = golden("precision.json");
  nlohmann::json source = golden("encodings.json");
  Positions at = json.at("positions").get<Positions>();
  int head = json.at("head").get<int>();
  Matrix<double> q = matrix_of<double>(json.at("q"));
  Matrix<double> k = matrix_of<double>(json.at("k"));
  StageRounding rounding;

  explicit Cases(Precision format) : rounding(everywhere(format)) {}

  const nlohmann::json& expected(const char* encoding) const {
    return json.at("cases").at(encoding).at(std::string(name(rounding.coarsest())));
  }
  Matrix<double> table(const char* name) const {
    return matrix_of<double>(source.at("inputs").at(name)) / 3;
  }
  void check(const char* encoding_name, const Encoding& encoding, int of_head) const {
    INFO(encoding_name << " in " << name(rounding.coarsest()));
    const auto out =
        attention_from_qkv<double>(encoding, {q, k, k, at, at, of_head}, {}, {rounding});
    for (const ScoreTerm<double>& term : out.terms) {
      INFO(term.name);
      const auto& rows = expected(encoding_name).at("terms").at(std::string(term.name));
      CHECK(term.logits == matrix_of<double>(rows));
    }
    CHECK(out.logits == matrix_of<double>(expected(encoding_name).at("logits")));
    CHECK(out.weights == matrix_of<double>(expected(encoding_name).at("weights")));
    CHECK(out.output == matrix_of<double>(expected(encoding_name).at("output")));
  }
  void check_input(const char* encoding_name, const InputTerm<double>& encoding,
                   const Positions& positions) const {
    INFO(encoding_name << " in " << name(rounding.coarsest()));
    Matrix<double> x = matrix_of<double>(json.at("x"));
    encoding.add_to_input(positions, x);
    CHECK(x == matrix_of<double>(expected(encoding_name).at("input")));
  }
};

}  // namespace

TEST_CASE("With every stage rounded, each encoding's terms are NumPy's to the last bit") {
  for (const Precision format : {Precision::bf16, Precision::fp16}) {
    const Cases c(format);
    c.check("none", NoEncoding<double>(), 0);
    c.check("rope", Rope<double>({.d_head = 4}, {.rounding = c.rounding}), 0);
    c.check("alibi", Alibi<double>(12, AlibiForm::symmetric, c.rounding), 8);
    c.check("shaw", Shaw<double>(c.table("shaw.key_table"), {}, c.rounding), 0);
    c.check("transformer_xl",
            TransformerXl<double>({c.table("transformer_xl.u"), c.table("transformer_xl.v"),
                                   c.table("transformer_xl.W_kR")},
                                  10000.0, c.rounding),
            c.head);
    c.check("t5", T5<double>({}, c.table("t5.table"), c.rounding), c.head);
    c.check("tupe",
            Tupe<double>({c.table("tupe.table").replicate(63, 1), c.table("tupe.U_q"),
                          c.table("tupe.U_k"), c.table("tupe.bias_table")},
                         {.untie_cls = false, .variant = TupeVariant::released}, c.rounding),
            c.head);
    c.check("deberta",
            Deberta<double>(
                {c.table("deberta.table_v2"), c.table("deberta.W_qr"), c.table("deberta.W_kr"), 4},
                {.span = 4, .log_buckets = true, .max_distance = 512}, c.rounding),
            c.head);
    c.check_input("sinusoidal",
                  Sinusoidal<double>(6, 10000.0, SinusoidalLayout::interleaved, c.rounding), c.at);
    c.check_input("learned", Learned<double>(c.table("learned.table"), c.rounding),
                  consecutive_positions(6));
  }
}

TEST_CASE("A logarithm in bf16 puts some of T5's distances into the next bucket, and no others") {
  const auto file = golden("precision.json");
  for (const auto& c : file.at("buckets")) {
    const T5Buckets config{c.at("side").get<int>(), c.at("max_distance").get<Position>(), false};
    for (const Precision format : {Precision::bf16, Precision::fp16}) {
      const StageRounding rounding(format, {Stage::log, Stage::distance});
      nlohmann::json changed = nlohmann::json::array();
      for (Position r = 0; r < 2000; ++r) {
        const Index exact = t5_bucket(r, config), small = t5_bucket(r, config, rounding);
        if (exact != small) changed.push_back({r, exact, small});
      }
      CHECK(changed == c.at(std::string(name(format))));
    }
  }
  // What PyTorch gives for T5's code with its tensors in bf16, whose constant ln(128/16) stays a
  // number of the program.
  const StageRounding bf16(Precision::bf16, {Stage::log});
  CHECK(t5_bucket(76, {.bidirectional = false}, bf16) == 27);
  CHECK(t5_bucket(112, {.bidirectional = false}, bf16) == 30);
}

TEST_CASE("A format that overflows ends in the last bucket or in NaN, never in another table") {
  const StageRounding fp16(Precision::fp16, {Stage::distance, Stage::log, Stage::position});
  CHECK(t5_bucket(Position{1} << 20, {}, fp16) == 15);
  CHECK(t5_bucket(-(Position{1} << 20), {.max_distance = 1000000}, fp16) == 31);
  CHECK(deberta_bucket(Position{1} << 20, 256, 512, DebertaClamp::none, fp16) == 256);
  CHECK(std::isnan(rounded_distance(70000, 80000, fp16)));
  CHECK(rounded_distance(70000, 80000, {}) == -10000);
}

/// Numbers a little above their defaults, where they may be: most defaults need no rounding.
void set_off_defaults(const EncodingInfo& info, ParamSet& params) {
  for (const ParamSpec& spec : info.params) {
    if (spec.kind != ParamKind::real) continue;
    const double value = 1.003 * std::get<double>(spec.default_value);
    if (value <= spec.max) params.set_value(spec.key, value);
  }
}

TEST_CASE("An encoding rounds at the stages that it names, and at no other") {
  constexpr Index d = 8, tokens = 64;
  Random random(3, "stages");
  Positions at;
  for (Index i = 0; i < tokens; ++i) at.push_back(random.integer(1900));
  const Matrix<double> x = normal_matrix<double>(random, tokens, d);
  const Projections<double> w = random_projections<double>(1, 1, d, d);
  for (const EncodingEntry& entry : encoding_catalogue()) {
    CatalogueCase c{entry.info.name, {}};
    if (c.name == "deberta")
      c.params = {
          {"deberta.version", "v2"}, {"deberta.span", "64"}, {"deberta.max_distance", "1900"}};
    if (c.name == "t5") c.params = {{"t5.max_distance", "1900"}};
    ParamSet params = params_of(c);
    set_off_defaults(entry.info, params);
    const auto output = [&](const StageRounding& rounding) {
      // 12 heads, of which ALiBi's ninth has a slope that needs rounding.
      const auto encoding = make_encoding<double>(
          c.name, {.d_model = d, .d_head = d, .heads = 12, .params = params, .rounding = rounding});
      return attention_head<double>(*encoding, w, {x, x, at, at, 8}).logits;
    };
    const Matrix<double> exact = output({});
    for (const Stage stage : all_stages()) {
      INFO(c.name << " at " << name(stage));
      const auto& named = entry.info.stages;
      const bool expected = std::find(named.begin(), named.end(), stage) != named.end();
      CHECK((output({Precision::bf16, {stage}}) != exact) == expected);
    }
  }
}

TEST_CASE("Attention itself rounds at each of its stages, from queries and keys to the output") {
  const Matrix<double> q = Matrix<double>::Constant(1, 1, 1.003);
  const Matrix<double> k = Matrix<double>::Constant(2, 1, 1.003) + Matrix<double>::Identity(2, 1);
  const Positions at{0, 0}, far{1};
  const Alibi<double> alibi(12);
  const auto attend = [&](std::initializer_list<Stage> stages) {
    return attention_from_qkv<double>(alibi, {q, k, k, far, at, 8}, {},
                                      {{Precision::bf16, stages}});
  };
  const auto logit = [&](std::initializer_list<Stage> stages) {
    return attend(stages).logits(0, 1);
  };
  const auto bf16 = [](double value) { return round_to(Precision::bf16, value); };
  const double bias = -std::sqrt(0.5), product = 1.003 * 1.003;
  CHECK(logit({}) == Approx(product + bias).epsilon(1e-15));
  CHECK(logit({Stage::qk}) == Approx(1 + bias).epsilon(1e-15));
  CHECK(logit({Stage::term}) == bf16(product) + bias);
  CHECK(logit({Stage::scale}) == bf16(product) + bf16(bias));
  CHECK(logit({Stage::logits}) == bf16(product + bias));
  const AttentionOutput<double> exact = attend({});
  CHECK(attend({Stage::weights}).weights(0, 1) == bf16(exact.weights(0, 1)));
  CHECK(attend({Stage::value}).output(0, 0) ==
        exact.weights(0, 0) * bf16(2.003) + exact.weights(0, 1) * bf16(1.003));
  CHECK(attend({Stage::output}).output(0, 0) == bf16(exact.output(0, 0)));
  // Each changes what comes after it, and nothing before.
  for (const Stage stage : attention_stages) {
    INFO(name(stage));
    const AttentionOutput<double> rounded = attend({stage});
    CHECK(rounded.output != exact.output);
    const bool is_behind =
        stage == Stage::value || stage == Stage::weights || stage == Stage::output;
    CHECK((rounded.logits == exact.logits) == is_behind);
  }
}
