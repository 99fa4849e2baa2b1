// Which shapes encodings and attention take, and the sentences with which they refuse the others.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/attention/feature_map.h"
#include "core/attention/linear_attention.h"
#include "core/attention/multi_head.h"
#include "core/encodings/alibi.h"
#include "core/encodings/axis_layout.h"
#include "core/encodings/axis_rope.h"
#include "core/encodings/cope.h"
#include "core/encodings/deberta.h"
#include "core/encodings/fire.h"
#include "core/encodings/fox.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/grape_additive.h"
#include "core/encodings/grape_multiplicative.h"
#include "core/encodings/inkling.h"
#include "core/encodings/learned.h"
#include "core/encodings/none.h"
#include "core/encodings/path.h"
#include "core/encodings/pope.h"
#include "core/encodings/rope.h"
#include "core/encodings/sandwich.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "core/encodings/xpos.h"
#include "tests/support/approved.h"
#include "tests/support/refusals.h"

using namespace orrery;

namespace {

using Shape = std::pair<Index, Index>;
using Arrays = std::vector<Matrix<double>>;

/// What is taken and what is refused when one array at a time has another shape than it should.
class Variations {
 public:
  template <class Make>
  void vary(const std::string& title, const std::vector<Shape>& shapes, const Make& make) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      std::string taken, refused;
      for (const Index rows : sizes)
        for (const Index columns : sizes) {
          std::vector<Shape> varied = shapes;
          varied[i] = {rows, columns};
          const std::string sentence = test::refusal([&] { make(arrays(varied)); });
          if (sentence.empty())
            taken += fmt::format(" [{}, {}]", rows, columns);
          else if (refused.empty() && rows * columns > 0 && rows != columns)
            refused = sentence;
        }
      text_ += fmt::format("{}, array {}\n  takes{}\n  refuses: {}\n", title, i, taken, refused);
    }
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr Index sizes[] = {0, 1, 2, 3, 4, 8, 32, 33};

  static Arrays arrays(const std::vector<Shape>& shapes) {
    Arrays made;
    made.reserve(shapes.size());
    for (const auto& [rows, columns] : shapes)
      made.push_back(Matrix<double>::NullaryExpr(
          rows, columns, [](Index i, Index j) { return static_cast<double>(i == j); }));
    return made;
  }

  std::string text_;
};

void vary_the_papers(Variations& all) {
  all.vary("Learned", {{8, 4}}, [](const Arrays& a) { Learned<double> made(a[0]); });
  all.vary("Shaw, of one width", {{3, 4}, {3, 4}},
           [](const Arrays& a) { Shaw<double> made(a[0], a[1]); });
  all.vary("Shaw, 1 behind and 2 ahead", {{4, 4}, {4, 4}},
           [](const Arrays& a) { Shaw<double> made(a[0], a[1], {.left = 1, .right = 2}); });
  all.vary("T5", {{8, 2}}, [](const Arrays& a) { T5<double> made({.buckets = 8}, a[0]); });
  all.vary("Transformer-XL", {{2, 4}, {2, 4}, {4, 8}, {2, 4}, {2, 8}}, [](const Arrays& a) {
    TransformerXl<double> made({.u = a[0], .v = a[1], .W_kR = a[2], .s = a[3], .segments = a[4]},
                               10000);
  });
  all.vary("Transformer-XL behind W_q", {{2, 8}, {2, 8}, {8, 4}}, [](const Arrays& a) {
    TransformerXl<double>::behind_W_q({.u = a[0], .v = a[1], .W_kR = {}}, a[2]);
  });
  all.vary("TUPE", {{3, 4}, {4, 8}, {4, 8}, {32, 2}, {2, 2}}, [](const Arrays& a) {
    Tupe<double> made({.table = a[0], .U_q = a[1], .U_k = a[2], .bias = a[3], .theta = a[4]}, {});
  });
  all.vary("TUPE as released", {{4, 4}, {4, 8}, {33, 2}, {1, 8}, {1, 8}, {1, 4}, {1, 4}},
           [](const Arrays& a) {
             Tupe<double> made({.table = a[0],
                                .U_q = a[1],
                                .U_k = a[1],
                                .bias = a[2],
                                .b_q = a[3],
                                .b_k = a[4],
                                .norm_gain = a[5],
                                .norm_bias = a[6]},
                               {.variant = TupeVariant::released});
           });
  all.vary("DeBERTa", {{8, 4}, {4, 8}, {4, 8}, {1, 8}, {1, 8}, {1, 4}, {1, 4}},
           [](const Arrays& a) {
             Deberta<double> made({.table = a[0],
                                   .W_qr = a[1],
                                   .W_kr = a[2],
                                   .d_head = 4,
                                   .b_qr = a[3],
                                   .b_kr = a[4],
                                   .norm_gain = a[5],
                                   .norm_bias = a[6]},
                                  {.span = 4, .layer_norm = true});
           });
}

void vary_the_successors(Variations& all) {
  all.vary("FIRE", {{1, 4}, {1, 4}, {4, 2}, {1, 2}}, [](const Arrays& a) {
    Fire<double> made({}, {.w1 = a[0], .b1 = a[1], .w2 = a[2], .b2 = a[3]});
  });
  for (const GateSource source : {GateSource::key, GateSource::input}) {
    const std::string of = source == GateSource::key ? ", gates of keys" : ", gates of the input";
    const Index rows = source == GateSource::key ? 4 : 8;
    all.vary("FoX" + of, {{2, 4}, {1, 2}}, [&](const Arrays& a) {
      Fox<double> made({.weight = a[0], .bias = a[1], .source = source});
    });
    all.vary("PaTH" + of, {{rows, 4}, {2, 4}, {1, 2}, {0, 0}}, [&](const Arrays& a) {
      Path<double> made(
          {.direction = a[0], .gate = a[1], .bias = a[2], .convolution = a[3], .source = source});
    });
  }
  for (const GrapeGate gate : {GrapeGate::none, GrapeGate::forget})
    all.vary(gate == GrapeGate::none ? "additive GRAPE" : "additive GRAPE that forgets",
             {{2, 4}, {2, 4}, {2, 4}, {1, 2}}, [&](const Arrays& a) {
               GrapeAdditive<double> made(
                   2, gate, {.key = a[0], .query = a[1], .forget = {.weight = a[2], .bias = a[3]}});
             });
  all.vary("multiplicative GRAPE", {{4, 4}},
           [](const Arrays& a) { GrapeMultiplicative<double> made(a[0], {.all_planes = false}); });
  all.vary("CoPE", {{4, 4}}, [](const Arrays& a) { Cope<double> made(CopeGate{}, a[0]); });
  all.vary("PoPE", {{2, 4}}, [](const Arrays& a) { Pope<double> made(10000, a[0]); });
  all.vary("Inkling", {{8, 2}, {2, 8}},
           [](const Arrays& a) { Inkling<double> made(a[0], a[1], 4); });
}

void vary_attention(Variations& all) {
  const NoEncoding<double> none;
  const Positions at{0, 1};
  all.vary("attention", {{2, 4}, {2, 4}, {2, 3}}, [&](const Arrays& a) {
    attention_from_qkv<double>(none, {a[0], a[1], a[2], at, at});
  });
  all.vary("the output of attention", {{2, 4}, {2, 4}, {2, 3}}, [&](const Arrays& a) {
    attention_output<double>({a[0], a[1], a[2], at, at}, SoftmaxDoors<double>::of(none));
  });
  all.vary("logits of attention", {{2, 4}, {2, 4}}, [&](const Arrays& a) {
    attention_logits<double>({a[0], a[1], a[0], at, at}, SoftmaxDoors<double>::of(none));
  });
  all.vary("linear attention", {{2, 4}, {2, 4}, {2, 3}}, [&](const Arrays& a) {
    linear_attention<double>({a[0], a[1], a[2], at, at}, Relu<double>(), nullptr);
  });
  all.vary("weights of linear attention", {{2, 4}, {2, 4}, {2, 3}}, [&](const Arrays& a) {
    linear_attention_weights<double>({a[0], a[1], a[2], at, at}, Relu<double>(), nullptr);
  });
  all.vary("a head from contents", {{2, 4}, {2, 4}, {4, 3}, {4, 3}, {4, 3}, {1, 3}, {1, 3}, {1, 3}},
           [&](const Arrays& a) {
             attention_head<double>(
                 none,
                 {.W_q = a[2], .W_k = a[3], .W_v = a[4], .b_q = a[5], .b_k = a[6], .b_v = a[7]},
                 {a[0], a[1], at, at});
           });
  all.vary("a mask", {{2, 2}}, [&](const Arrays& a) {
    const Matrix<double> q = Matrix<double>::Ones(2, 4);
    attention_from_qkv<double>(none, {q, q, q, at, at}, Mask((a[0].array() >= 0).matrix()));
  });
  all.vary("RoPE", {{2, 4}}, [&](const Arrays& a) {
    Matrix<double> q = a[0];
    Rope<double>({.d_head = 4}).transform_queries(at, q);
  });
  all.vary("sinusoids", {{2, 4}}, [&](const Arrays& a) {
    Matrix<double> x = a[0];
    Sinusoidal<double>(4, 10000).add_to_input(at, x);
  });
  all.vary("FAVOR+", {{2, 4}},
           [](const Arrays& a) { Favor<double>(Matrix<double>::Ones(8, 4)).of_queries(a[0]); });
}

}  // namespace

TEST_CASE("Encodings and attention take the shapes that were approved, and no others") {
  Variations all;
  vary_the_papers(all);
  vary_the_successors(all);
  vary_attention(all);
  CHECK(test::difference_from_approved("core/shapes.txt", all.text()) == "");
}

TEST_CASE("What is left at its default changes nothing") {
  CHECK(LayerInputs<double>{}.first_head == 0);
  CHECK(ScoreInputs<double>{Matrix<double>{}, Matrix<double>{}, {}, {}}.head == 0);
  CHECK(LinearOptions{}.variant == LinearVariant::paper);
  CHECK(!LinearOptions{}.causal);
  CHECK(LinearOptions{}.epsilon == 0);
  CHECK(!Scoring{}.scale);
  CHECK(FireConfig{}.c == 0.1);
  CHECK(FireConfig{}.threshold == 512);
  CHECK(XposConfig{}.scale_base == 512);
  CHECK(XposConfig{}.base == 10000);
  CHECK(SandwichConfig{}.channels == 128);
  CHECK(SandwichConfig{}.heads == 1);
  CHECK(AlibiOptions{}.bias_max == 8);
  CHECK(GrapeMultiplicativeConfig{}.speed == 1);
  CHECK(GrapeMultiplicativeConfig{}.all_planes);
  CHECK(T5Buckets{}.buckets == 32);
  CHECK(T5Buckets{}.max_distance == 128);
  CHECK(T5Buckets{}.bidirectional);
  CHECK(ShawOptions{}.left == 16);
  CHECK(ShawOptions{}.right == 16);
  CHECK(TupeOptions{}.untie_cls);
  CHECK(TupeOptions{}.relative_bias);
  CHECK(DebertaOptions{}.span == 512);
  CHECK(DebertaOptions{}.max_distance == 512);
  CHECK(!DebertaOptions{}.log_buckets);
  CHECK(!DebertaOptions{}.layer_norm);
  CHECK(ShawOptions{}.rows == ShawRows::key_minus_query);
  CHECK(ShawOptions{}.scores == ShawScores::queries);
  CHECK(TupeOptions{}.variant == TupeVariant::paper);
  CHECK(DebertaOptions{}.index == DebertaIndex::paper);
  CHECK(DebertaOptions{}.terms == DebertaTerms::both);
  CHECK(DebertaOptions{}.clamp == DebertaClamp::none);
  CHECK(AlibiOptions{}.form == AlibiForm::symmetric);
  CHECK(AlibiOptions{}.scale == AlibiScale::none);
  CHECK(GrapeMultiplicativeConfig{}.base == 10000);
  CHECK(SandwichConfig{}.base == 10000);
  CHECK(XposConfig{}.gamma == 0.4);
  CHECK(XposConfig{}.centre == 0);
  CHECK(ForgetGates{}.source == GateSource::key);
  CHECK(PathTables{}.source == GateSource::key);
  const AxisLayout layout;
  CHECK(layout.kind == AxisLayoutKind::grid);
  CHECK(std::tuple(layout.text_before, layout.frames, layout.rows, layout.columns,
                   layout.time_step) == std::tuple(4, 2, 4, 4, 1));
  const RopeConvention rope;
  CHECK(rope.base == 10000);
  CHECK(rope.pairing == RopePairing::interleaved);
  CHECK(rope.rotary_dims == 0);
  CHECK(rope.partial == RopePartial::truncated);
  CHECK(rope.design == AxisDesign::chunked);
  CHECK(std::tuple(rope.begin, rope.clockwise) == std::tuple(0, false));
  CHECK(RopeOptions{}.rotary_value == RotaryValue::none);
  const RopeScaling scaling;
  CHECK(scaling.kind == RopeScalingKind::none);
  CHECK(std::tuple(scaling.factor, scaling.original_length, scaling.length) ==
        std::tuple(4.0, 4096.0, 16384.0));
  CHECK(std::tuple(scaling.beta_fast, scaling.beta_slow, scaling.truncate) ==
        std::tuple(32.0, 1.0, true));
  CHECK(std::tuple(scaling.mscale, scaling.mscale_all_dim) == std::tuple(0.0, 0.0));
  CHECK(std::tuple(scaling.low_freq_factor, scaling.high_freq_factor) == std::tuple(1.0, 4.0));
  CHECK(TableSpec{}.drawn);
  CHECK(!TableSpec{}.biases);
  CHECK(!DecaySetting{}.is_slope);
  const ParamSet params({});
  CHECK(EncodingSettings{.params = params}.heads == 1);
  CHECK(EncodingSettings{.params = params}.seed == 0);
  CHECK(!MaskSpec{}.causal);
  CHECK(LayerContents<double>{Matrix<double>{}, Matrix<double>{}, {}, {}}.first_head == 0);
  CHECK(RowReader<double>{}.map);
  CHECK(RowReader<double>{}.threads == 1);
  CHECK(RowReader<double>{}.rows == tile_queries);
  CHECK(LayerReader<double>{}.map);
  CHECK(LayerReader<double>{}.threads == 1);
  CHECK(LayerReader<double>{}.rows == tile_queries);
  CHECK(AttentionOutput<double>{}.fully_masked_rows == 0);
  CHECK(AttentionOutput<double>{}.nan_rows == 0);
  CHECK(LinearOutput<double>{}.zero_normalizers == 0);
  CHECK(LayerSource<double>{HeadGroups(1, 1), {}, {}, {}, {}, {}}.first_head == 0);
  CHECK(LogitRule{}.strength == 0.1);
  CHECK(LogitRule{}.length == 8192);
  CHECK(LogitRule{}.offset == 0);
  CHECK(Scoring{}.weights == WeightRule::softmax);
  CHECK(MaskSpec{}.build(Positions{0}, Positions{5}).allows_everything());
}
