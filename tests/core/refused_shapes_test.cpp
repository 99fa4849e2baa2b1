// Which shapes encodings and attention take, and the sentences with which they refuse the others.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
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

struct Shape {
  Index rows{}, columns{};
  friend bool operator==(const Shape&, const Shape&) = default;
};
using Shapes = std::vector<Shape>;
using Arrays = std::vector<Matrix<double>>;
/// Which shapes are to be taken, of arrays that have a row and a column.
using Rule = std::function<bool(const Shapes&)>;

/// What is taken and what is refused when one array at a time has another shape than it should; by a
/// rule, where there is one, also when two have.
class Variations {
 public:
  template <class Make>
  void vary(const std::string& title, const Shapes& shapes, const Make& make,
            const Rule& rule = {}) {
    if (rule) vary_two(title, shapes, make, rule);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      std::string taken, refused;
      for (const Index rows : sizes)
        for (const Index columns : sizes) {
          Shapes varied = shapes;
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
  /// Array i in every shape, and each array behind it with as many rows, or columns, as i has rows.
  template <class Make>
  static void vary_two(const std::string& title, const Shapes& shapes, const Make& make,
                       const Rule& rule) {
    INFO(title);
    CHECK(is_judged_by(rule, shapes, make));
    for (std::size_t i = 0; i < shapes.size(); ++i)
      for (const Index rows : {1, 2, 3, 4, 6, 8})
        for (const Index columns : {1, 2, 3, 4, 6, 8})
          for (std::size_t other = i; other < shapes.size(); ++other)
            for (const bool by_rows : {true, false}) {
              Shapes varied = shapes;
              varied[i] = {rows, columns};
              if (other != i) (by_rows ? varied[other].rows : varied[other].columns) = rows;
              INFO("array " << i << " of [" << rows << ", " << columns << "], array " << other);
              CHECK(is_judged_by(rule, varied, make));
            }
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr Index sizes[] = {0, 1, 2, 3, 4, 8, 32, 33};

  template <class Make>
  static bool is_judged_by(const Rule& rule, const Shapes& shapes, const Make& make) {
    return test::refusal([&] { make(arrays(shapes)); }).empty() == rule(shapes);
  }
  static Arrays arrays(const Shapes& shapes) {
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
  all.vary(
      "Shaw, of one width", {{3, 4}, {3, 4}},
      [](const Arrays& a) { Shaw<double> made(a[0], a[1]); },
      [](const Shapes& s) { return s[0].rows % 2 == 1 && s[1].rows == s[0].rows; });
  all.vary("Shaw, 1 behind and 2 ahead", {{4, 4}, {4, 4}},
           [](const Arrays& a) { Shaw<double> made(a[0], a[1], {.left = 1, .right = 2}); });
  all.vary(
      "T5", {{8, 2}}, [](const Arrays& a) { T5<double> made({.buckets = 8}, a[0]); },
      [](const Shapes& s) { return s[0].rows == 8; });
  all.vary(
      "Transformer-XL", {{2, 4}, {2, 4}, {4, 8}, {2, 4}, {2, 8}},
      [](const Arrays& a) {
        TransformerXl<double> made(
            {.u = a[0], .v = a[1], .W_kR = a[2], .s = a[3], .segments = a[4]}, 10000);
      },
      [](const Shapes& s) {
        const Index width = s[0].rows * s[0].columns;
        return s[1] == s[0] && s[2].columns == width && s[2].rows % 2 == 0 && s[3] == s[0] &&
               s[4] == Shape{2, width};
      });
  all.vary(
      "Transformer-XL behind W_q", {{2, 8}, {2, 8}, {8, 4}},
      [](const Arrays& a) {
        TransformerXl<double>::behind_W_q({.u = a[0], .v = a[1], .W_kR = {}}, a[2]);
      },
      [](const Shapes& s) {
        return s[1] == s[0] && s[2].rows == s[0].columns && s[2].columns % s[0].rows == 0;
      });
}

/// The bias has a column a head.
void vary_tupe(Variations& all) {
  all.vary(
      "TUPE", {{3, 4}, {4, 8}, {4, 8}, {32, 2}, {2, 2}},
      [](const Arrays& a) {
        Tupe<double> made({.table = a[0], .U_q = a[1], .U_k = a[2], .bias = a[3], .theta = a[4]},
                          {});
      },
      [](const Shapes& s) {
        return s[1] == s[2] && s[1].rows == s[0].columns && s[3].rows == 32 &&
               s[1].columns % s[3].columns == 0 && s[4] == Shape{2, s[3].columns};
      });
  all.vary(
      "TUPE as released", {{4, 4}, {4, 8}, {33, 2}, {1, 8}, {1, 8}, {1, 4}, {1, 4}},
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
      },
      [](const Shapes& s) {
        return s[0].rows > 1 && s[1].rows == s[0].columns && s[2].rows == 33 &&
               s[1].columns % s[2].columns == 0 && s[3] == Shape{1, s[1].columns} && s[4] == s[3] &&
               s[5] == Shape{1, s[0].columns} && s[6] == s[5];
      });
}

void vary_deberta(Variations& all) {
  all.vary(
      "DeBERTa", {{8, 4}, {4, 8}, {4, 8}, {1, 8}, {1, 8}, {1, 4}, {1, 4}},
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
      },
      [](const Shapes& s) {
        return s[0].rows == 8 && s[1] == s[2] && s[1].rows == s[0].columns &&
               s[1].columns % 4 == 0 && s[3] == Shape{1, s[1].columns} && s[4] == s[3] &&
               s[5] == Shape{1, s[0].columns} && s[6] == s[5];
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
  const Rule fits = [](const Shapes& s) {
    return s[0].rows == 2 && s[1].rows == 2 && s[2].rows == 2 && s[0].columns == s[1].columns;
  };
  const Shapes qkv{{2, 4}, {2, 4}, {2, 3}};
  all.vary(
      "attention", qkv,
      [&](const Arrays& a) {
        attention_from_qkv<double>(none, {a[0], a[1], a[2], at, at});
      },
      fits);
  all.vary(
      "the output of attention", qkv,
      [&](const Arrays& a) {
        attention_output<double>({a[0], a[1], a[2], at, at}, SoftmaxDoors<double>::of(none));
      },
      fits);
  all.vary("logits of attention", {{2, 4}, {2, 4}}, [&](const Arrays& a) {
    attention_logits<double>({a[0], a[1], a[0], at, at}, SoftmaxDoors<double>::of(none));
  });
  all.vary(
      "linear attention", qkv,
      [&](const Arrays& a) {
        linear_attention<double>({a[0], a[1], a[2], at, at}, Relu<double>(), nullptr);
      },
      fits);
  all.vary("weights of linear attention", qkv, [&](const Arrays& a) {
    linear_attention_weights<double>({a[0], a[1], a[2], at, at}, Relu<double>(), nullptr);
  });
  all.vary(
      "a head from contents", {{2, 4}, {2, 4}, {4, 3}, {4, 3}, {4, 3}, {1, 3}, {1, 3}, {1, 3}},
      [&](const Arrays& a) {
        attention_head<double>(
            none, {.W_q = a[2], .W_k = a[3], .W_v = a[4], .b_q = a[5], .b_k = a[6], .b_v = a[7]},
            {a[0], a[1], at, at});
      },
      [](const Shapes& s) {
        return s[0].rows == 2 && s[1].rows == 2 && s[2].rows == s[0].columns &&
               s[3].rows == s[1].columns && s[4].rows == s[1].columns &&
               s[3].columns == s[2].columns && s[5] == Shape{1, s[2].columns} && s[6] == s[5] &&
               s[7] == Shape{1, s[4].columns};
      });
  all.vary("a mask", {{2, 2}}, [&](const Arrays& a) {
    const Matrix<double> q = Matrix<double>::Ones(2, 4);
    attention_from_qkv<double>(none, {q, q, q, at, at}, Mask((a[0].array() >= 0).matrix()));
  });
  const Rule itself = [](const Shapes& s) { return s[0] == Shape{2, 4}; };
  all.vary(
      "RoPE", {{2, 4}},
      [&](const Arrays& a) {
        Matrix<double> q = a[0];
        Rope<double>({.d_head = 4}).transform_queries(at, q);
      },
      itself);
  all.vary(
      "sinusoids", {{2, 4}},
      [&](const Arrays& a) {
        Matrix<double> x = a[0];
        Sinusoidal<double>(4, 10000).add_to_input(at, x);
      },
      itself);
  all.vary("FAVOR+", {{2, 4}},
           [](const Arrays& a) { Favor<double>(Matrix<double>::Ones(8, 4)).of_queries(a[0]); });
}

}  // namespace

TEST_CASE("Encodings and attention take the shapes that were approved, and no others") {
  Variations all;
  vary_the_papers(all);
  vary_tupe(all);
  vary_deberta(all);
  vary_the_successors(all);
  vary_attention(all);
  CHECK(test::difference_from_approved("core/shapes.txt", all.text()) == "");
}

TEST_CASE("A learned table adds its rows to x of as many channels, where it has one per position") {
  const Positions at{0, 1};
  Variations::vary_two(
      "learned", {{2, 4}, {2, 4}},
      [&](const Arrays& a) {
        Matrix<double> x = a[0];
        Learned<double>(a[1]).add_to_input(at, x);
      },
      [](const Shapes& s) {
        return s[0].rows == 2 && s[1].rows >= 2 && s[1].columns == s[0].columns;
      });
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
