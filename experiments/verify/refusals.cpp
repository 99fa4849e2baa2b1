// Arrays that do not fit each other are refused, and those that do are taken, by a rule that is
// stated here once more, encoding by encoding.
#include <array>
#include <functional>

#include "core/attention/head.h"
#include "core/attention/linear_attention.h"
#include "core/encodings/deberta.h"
#include "core/encodings/learned.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "experiments/verify/cases.h"

namespace orrery::verify {
namespace {
namespace in_refusals {

const Paper shapes{ClaimKind::property, "", "Shapes: what does not fit is refused"};

struct Shape {
  Index rows{}, columns{};
  friend bool operator==(const Shape&, const Shape&) = default;
};
using Shapes = std::vector<Shape>;
using Arrays = std::vector<Matrix<double>>;
using Rule = std::function<bool(const Shapes&)>;
using Use = std::function<void(const Arrays&)>;

/// The sentence with which arrays are refused; empty where they are taken.
std::string refusal_of(const Shapes& given, const Use& use) {
  Arrays arrays;
  arrays.reserve(given.size());
  for (const auto& [rows, columns] : given)
    arrays.push_back(Matrix<double>::Constant(rows, columns, 0.5));
  return refusal([&] { use(arrays); });
}

bool is_taken(const Shapes& given, const Use& use) { return refusal_of(given, use).empty(); }
bool is_taken(const std::function<void()>& act) { return refusal(act).empty(); }

/// How many of the shapes that one array or two take in turn are judged otherwise than by the rule.
double misjudged(const Shapes& fitting, const Rule& rule, const Use& use) {
  constexpr std::array<Index, 6> sizes{1, 2, 3, 4, 6, 8};
  double count = is_taken(fitting, use) && rule(fitting) ? 0 : 1;
  for (std::size_t i = 0; i < fitting.size(); ++i)
    for (const Index rows : sizes)
      for (const Index columns : sizes)
        for (std::size_t other = i; other < fitting.size(); ++other)
          for (const bool by_rows : {true, false}) {
            Shapes varied = fitting;
            varied[i] = {rows, columns};
            if (other != i) (by_rows ? varied[other].rows : varied[other].columns) = rows;
            if (is_taken(varied, use) != rule(varied)) ++count;
          }
  return count;
}

struct Subject {
  std::string name, statement;
  Shapes fitting;
  Rule rule;
  Use use;
  Shapes unfit{};       ///< what is refused
  std::string words{};  ///< in these words: the numbers are those that were given
};

constexpr Index d = 4;

void add_tables(std::vector<Subject>& all) {
  all.push_back({"shaw_shapes",
                 "Shaw: 2·clip + 1 rows in both tables",
                 {{3, d}, {3, d}},
                 [](const Shapes& s) { return s[0].rows % 2 == 1 && s[1].rows == s[0].rows; },
                 [](const Arrays& a) { Shaw<double> made(a[0], a[1]); },
                 {{3, d}, {5, d}},
                 "tables of 3 and 5 rows: both must have 1 + 1 + 1 rows"});
  all.push_back({"t5_shapes",
                 "T5: a row per bucket",
                 {{8, 2}},
                 [](const Shapes& s) { return s[0].rows == 8; },
                 [](const Arrays& a) { T5<double> made({.buckets = 8}, a[0]); },
                 {{7, 2}},
                 "a bias table of 7 rows: must have one a bucket, 8"});
  all.push_back({"transformer_xl_shapes",
                 "Transformer-XL: u, v, s [heads, d], W_kR [d_model, heads·d], g [2, heads·d]",
                 {{2, d}, {2, d}, {6, 2 * d}, {2, d}, {2, 2 * d}},
                 [](const Shapes& s) {
                   const Index width = s[0].rows * s[0].columns;
                   return s[1] == s[0] && s[2].columns == width && s[2].rows % 2 == 0 &&
                          s[3] == s[0] && s[4] == Shape{2, width};
                 },
                 [](const Arrays& a) {
                   TransformerXl<double> made({a[0], a[1], a[2], a[3], a[4]}, paper_base);
                 }});
  all.push_back({"projected_u_shapes",
                 "RoFormer's u and v [heads, d_model], W_q [d_model, heads·d]",
                 {{2, 8}, {2, 8}, {8, d}},
                 [](const Shapes& s) {
                   return s[1] == s[0] && s[2].rows == s[0].columns &&
                          s[2].columns % s[0].rows == 0;
                 },
                 [](const Arrays& a) {
                   TransformerXl<double>::behind_W_q({a[0], a[1], {}}, a[2]);
                 }});
  all.push_back({"deberta_shapes",
                 "DeBERTa: a table [2·span, d_model], W [d_model, heads·d], b [1, heads·d]",
                 {{6, 8}, {8, 2 * d}, {8, 2 * d}, {1, 2 * d}},
                 [](const Shapes& s) {
                   return s[0].rows == 6 && s[1] == s[2] && s[1].rows == s[0].columns &&
                          s[1].columns % d == 0 && s[3] == Shape{1, s[1].columns};
                 },
                 [](const Arrays& a) {
                   Deberta<double> made({a[0], a[1], a[2], d, a[3], {}}, {.span = 3});
                 },
                 {{6, 8}, {8, 2 * d}, {8, 2 * d}, {2, 5}},
                 "of shape [2, 5]: must be [1, 8]"});
}

void add_tupe(std::vector<Subject>& all) {
  all.push_back({"tupe_shapes",
                 "TUPE: a table [L, d_model], U [d_model, heads·d], θ [2, heads]",
                 {{3, 6}, {6, 8}, {6, 8}, {2, 2}},
                 [](const Shapes& s) {
                   return s[1] == s[2] && s[1].rows == s[0].columns && s[1].columns % 2 == 0 &&
                          s[3] == Shape{2, 2};
                 },
                 [](const Arrays& a) {
                   Tupe<double> made({a[0], a[1], a[2], Matrix<double>::Ones(32, 2), a[3]}, {});
                 },
                 {{3, 6}, {6, 8}, {6, 8}, {5, 2}},
                 "theta of shape [5, 2]: must be [2, 2]"});
  all.push_back({"released_tupe_shapes",
                 "TUPE as released: L + 1 rows, b [1, heads·d], norm [1, d_model]",
                 {{3, 6}, {6, 8}, {1, 8}, {1, 8}, {1, 6}, {1, 6}},
                 [](const Shapes& s) {
                   return s[0].rows > 1 && s[1].rows == s[0].columns && s[1].columns % 2 == 0 &&
                          s[2] == Shape{1, s[1].columns} && s[3] == s[2] &&
                          s[4] == Shape{1, s[0].columns} && s[5] == s[4];
                 },
                 [](const Arrays& a) {
                   Tupe<double> made(
                       {a[0], a[1], a[1], Matrix<double>::Ones(33, 2), {}, a[2], a[3], a[4], a[5]},
                       {.variant = TupeVariant::released});
                 }});
}

void add_attention(std::vector<Subject>& all) {
  static const Positions at{0, 1};
  static const NoEncoding<double> none;
  const auto fits = [](const Shapes& s) {
    return s[0].rows == 2 && s[1].rows == 2 && s[2].rows == 2 && s[0].columns == s[1].columns;
  };
  const Shapes qkv{{2, d}, {2, d}, {2, 3}};
  all.push_back({"map_shapes",
                 "attention: q [N_q, d], k [N_k, d], v [N_k, d_v]",
                 qkv,
                 fits,
                 [](const Arrays& a) {
                   attention_from_qkv<double>(none, {a[0], a[1], a[2], at, at});
                 },
                 {{2, d}, {2, d}, {5, 3}},
                 "v with 5 rows and k with 2"});
  all.push_back(
      {"output_shapes",
       "the same without a map",
       qkv,
       fits,
       [](const Arrays& a) {
         attention_output<double>({a[0], a[1], a[2], at, at}, SoftmaxDoors<double>::of(none));
       },
       {{2, 3}, {2, d}, {2, 3}},
       "q with 3 and k with 4 channels"});
  all.push_back({"linear_shapes",
                 "the same of linear attention",
                 qkv,
                 fits,
                 [](const Arrays& a) {
                   linear_attention<double>({a[0], a[1], a[2], at, at}, Relu<double>(), nullptr);
                 },
                 {{2, 3}, {2, d}, {2, 3}},
                 "q with 3 channels, k of [2, 4], v with 2 rows"});
}

void add_projections(std::vector<Subject>& all) {
  static const Positions at{0, 1};
  static const NoEncoding<double> none;
  all.push_back(
      {"projection_shapes",
       "x W + b: x [N, d_model], W [d_model, d], W_v [d_model, d_v], b a row of each",
       {{2, 6}, {6, d}, {6, d}, {6, 3}, {1, d}, {1, d}, {1, 3}},
       [](const Shapes& s) {
         const Index d_model = s[0].columns;
         return s[0].rows == 2 && s[1].rows == d_model && s[2].rows == d_model &&
                s[3].rows == d_model && s[1].columns == s[2].columns &&
                s[4] == Shape{1, s[1].columns} && s[5] == Shape{1, s[2].columns} &&
                s[6] == Shape{1, s[3].columns};
       },
       [](const Arrays& a) {
         attention_head<double>(none, {a[1], a[2], a[3], a[4], a[5], a[6]}, {a[0], a[0], at, at});
       },
       {{2, 6}, {6, d}, {6, d}, {6, 3}, {1, d}, {2, 5}, {1, 3}},
       "b_k of shape [2, 5]: must have one number per column of its projection, 4"});
}

void add_inputs(std::vector<Subject>& all) {
  static const Positions at{0, 1};
  all.push_back({"rope_shapes",
                 "RoPE turns q of its d, a row per position",
                 {{2, d}},
                 [](const Shapes& s) {
                   return s[0] == Shape{2, d};
                 },
                 [](const Arrays& a) {
                   Matrix<double> q = a[0];
                   Rope<double>({.d_head = d}).transform_queries(at, q);
                 },
                 {{2, 6}},
                 "q or k with 6 channels: this RoPE was made for d_head=4"});
  all.push_back({"sinusoid_shapes",
                 "sinusoids are added to x of their d_model",
                 {{2, d}},
                 [](const Shapes& s) {
                   return s[0] == Shape{2, d};
                 },
                 [](const Arrays& a) {
                   Matrix<double> x = a[0];
                   Sinusoidal<double>(d, paper_base).add_to_input(at, x);
                 },
                 {{2, 6}},
                 "x with 6 channels: sinusoidal positions were made for d_model=4"});
  all.push_back({"learned_shapes",
                 "a learned table adds its rows, and has one per position",
                 {{2, d}, {2, d}},
                 [](const Shapes& s) {
                   return s[0].rows == 2 && s[1].rows >= 2 && s[1].columns == s[0].columns;
                 },
                 [](const Arrays& a) {
                   Matrix<double> x = a[0];
                   Learned<double>(a[1]).add_to_input(at, x);
                 },
                 {{2, 6}, {8, d}},
                 "x with 6 channels: the learned table has d_model=4"});
}

/// Ids of segments, one per token of either side.
double misjudged_segments() {
  const Matrix<double> u = Matrix<double>::Ones(1, d), x = Matrix<double>::Ones(2, d);
  const TransformerXl<double> xlnet(
      {u, u, Matrix<double>::Ones(d, d), u, Matrix<double>::Ones(2, d)}, paper_base);
  const Positions at{0, 1};
  const std::vector<std::int32_t> ids(4, 0);
  double count = 0;
  for (std::size_t of_queries = 0; of_queries <= 4; ++of_queries)
    for (std::size_t of_keys = 0; of_keys <= 4; ++of_keys) {
      const bool fits = of_queries == of_keys && (of_queries == 0 || of_queries == 2);
      const bool taken = is_taken([&] {
        attention_from_qkv<double>(
            xlnet, {x,
                    x,
                    x,
                    at,
                    at,
                    0,
                    {std::span(ids).first(of_queries), std::span(ids).first(of_keys)}});
      });
      if (fits != taken) ++count;
    }
  return count;
}

/// Sizes of a head that the columns of DeBERTa's projections make, or do not.
double misjudged_widths() {
  const Matrix<double> table = Matrix<double>::Ones(6, 3), W = Matrix<double>::Ones(3, 8);
  double count = 0;
  for (const Index width : {-2, -1, 0, 1, 2, 3, 4, 5, 8, 9, 16}) {
    const bool fits = width > 0 && 8 % width == 0;
    count += fits != is_taken([&] {
               Deberta<double> made({table, W, W, width, {}, {}}, {.span = 3});
             });
  }
  for (const Index rows : {1, 3})  // XLNet's two tables go together
    for (const bool segments : {true, false}) {
      const Matrix<double> u = Matrix<double>::Ones(rows, d), none;
      const Matrix<double> g = Matrix<double>::Ones(2, rows * d);
      count += is_taken([&] {
        TransformerXl<double> made(
            {u, u, Matrix<double>::Ones(2, rows * d), segments ? none : u, segments ? g : none},
            paper_base);
      });
    }
  return count;
}

/// Sentences about heads and values that do not name what they refuse.
double unnamed_heads() {
  const Matrix<double> x = Matrix<double>::Ones(2, d), wide_v = Matrix<double>::Ones(2, 7);
  const Positions at{0, 1};
  double count = 0;
  const auto see = [&](const std::string& words, const std::function<void()>& use) {
    count += refusal(use).find(words) == std::string::npos;
  };
  for (const Index heads : {1, 2, 3}) {
    const T5<double> t5({.buckets = 8}, Matrix<double>::Ones(8, heads));
    see("made for " + std::to_string(heads) + (heads == 1 ? " head, c" : " heads, c"), [&] {
      attention_from_qkv<double>(t5, {x, x, x, at, at, static_cast<int>(heads)});
    });
  }
  const Shaw<double> shaw(Matrix<double>::Ones(5, d), Matrix<double>::Ones(5, d));
  see("values with 7 channels", [&] { attention_from_qkv<double>(shaw, {x, x, wide_v, at, at}); });
  see("the value table has 4", [&] { attention_from_qkv<double>(shaw, {x, x, wide_v, at, at}); });
  return count;
}

/// An encoding for d_head = d, of each head or of one that is not there.
double misjudged_heads() {
  const T5<double> encoding({.buckets = 8}, Matrix<double>::Ones(8, 2));
  const Matrix<double> x = Matrix<double>::Ones(2, d);
  const Positions at{0, 1};
  double count = 0;
  for (int head = -1; head <= 2; ++head) {
    const bool taken = is_taken([&] {
      attention_from_qkv<double>(encoding, {x, x, x, at, at, head});
    });
    if (taken != (head == 0 || head == 1)) ++count;
  }
  return count;
}

}  // namespace in_refusals
}  // namespace

void refusal_claims(const VerifyOptions&, std::vector<Claim>& claims) {
  using namespace in_refusals;
  Facts facts("one array or two of other shapes, each to 8 rows and columns", claims);
  std::vector<Subject> subjects;
  add_tables(subjects);
  add_tupe(subjects);
  add_attention(subjects);
  add_projections(subjects);
  add_inputs(subjects);
  double unnamed = 0;
  for (const Subject& subject : subjects) {
    facts.equals(shapes, subject.name, subject.statement + ": shapes misjudged",
                 misjudged(subject.fitting, subject.rule, subject.use), 0);
    if (!subject.words.empty() &&
        refusal_of(subject.unfit, subject.use).find(subject.words) == std::string::npos)
      ++unnamed;
  }
  facts.equals(shapes, "named_shapes", "sentences that do not name the shapes they refuse", unnamed,
               0);
  facts.equals(shapes, "segment_counts", "XLNet's segments, one per token: counts misjudged",
               misjudged_segments(), 0);
  facts.equals(shapes, "heads", "a head that the encoding was not made for: heads misjudged",
               misjudged_heads(), 0);
  facts.equals(shapes, "widths", "DeBERTa's channels a head, XLNet's tables: misjudged",
               misjudged_widths(), 0);
  facts.equals(shapes, "named_heads", "sentences that do not name the heads or channels",
               unnamed_heads(), 0);
}

}  // namespace orrery::verify
