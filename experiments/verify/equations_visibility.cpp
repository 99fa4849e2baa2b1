// Which keys a query sees, which heads share keys, and what is cached.
#include <algorithm>
#include <limits>

#include "core/encodings/alibi.h"
#include "core/encodings/none.h"
#include "experiments/verify/cases.h"

namespace orrery::verify {
namespace {
namespace in_equations_visibility {

const Paper masks{ClaimKind::property, "(2)", "Masks"};
const Paper grouped{ClaimKind::cited, "",
                    "Heads: Vaswani et al. 2017 §3.2.2, Shazeer 2019, Ainslie et al. 2023",
                    "RoFormer's (2) has one head, with keys and values of its own"};

/// Neighbouring positions in no order, so that masks have edges to be wrong at.
template <class T>
struct Row {
  static constexpr Index tokens = 9;
  static constexpr Index d = 8;
  Positions at{4, 0, 7, 2, 8, 1, 5, 3, 6};
  Matrix<T> q, k, v;

  explicit Row(Random& random)
      : q(normal_matrix<T>(random, tokens, d)),
        k(normal_matrix<T>(random, tokens, d)),
        v(normal_matrix<T>(random, tokens, d)) {}

  Position r(Index i, Index j) const {
    return at[static_cast<std::size_t>(i)] - at[static_cast<std::size_t>(j)];
  }
  Rows logits() const {
    return literal::scores(wide(q), wide(k), std::sqrt(static_cast<double>(d)));
  }
  double bound() const { return softmax_bound(logits(), rounding_bound<T>(roundings_of(d))); }
};

template <class T>
void mask_claim(Ledger<T>& ledger, const Row<T>& row, const std::string& name,
                const std::string& statement, const MaskSpec& spec,
                const literal::Visible& visible) {
  const auto out =
      multi_head_attention<T>(NoEncoding<T>(), {{row.q}, {row.k}, {row.v}, row.at, row.at}, spec);
  const Rows weights = literal::softmax(row.logits(), visible);
  ledger.compare(masks, name + "_weights", statement + ": weights", out[0].weights, weights,
                 row.bound());
  ledger.compare(masks, name + "_output", statement + ": output", out[0].output,
                 literal::product(weights, wide(row.v)), row.bound());
}

template <class T>
void mask_claims(Ledger<T>& ledger, Random& random) {
  const Row<T> row(random);
  const auto causal = [&](Index i, Index j) { return row.r(i, j) >= 0; };
  const auto near = [&](Index i, Index j) { return row.r(i, j) > -3 && row.r(i, j) < 3; };
  std::vector<bool> real(Row<T>::tokens, true);
  real[2] = real[5] = false;
  const auto is_real = [&](Index, Index j) { return j != 2 && j != 5; };
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> given(Row<T>::tokens,
                                                                             Row<T>::tokens);
  const auto own = [](Index i, Index j) { return (i + 2 * j) % 3 != 0; };
  for (Index i = 0; i < given.rows(); ++i)
    for (Index j = 0; j < given.cols(); ++j) given(i, j) = own(i, j);
  mask_claim(ledger, row, "causal", "causal: n ≤ m by position, a token sees itself",
             {.causal = true}, causal);
  mask_claim(ledger, row, "window", "window 3: |m − n| < 3", {.window = 3}, near);
  mask_claim(ledger, row, "padding", "padding hides its keys from every query",
             {.key_is_real = real}, is_real);
  mask_claim(ledger, row, "given_mask", "a given mask hides the keys that it marks",
             {.mask = Mask(given)}, own);
  mask_claim(
      ledger, row, "all_masks", "all masks together allow what each of them allows",
      {.causal = true, .window = 3, .key_is_real = real, .mask = Mask(given)},
      [&](Index i, Index j) { return causal(i, j) && near(i, j) && is_real(i, j) && own(i, j); });
}

/// Each head's own mask beside that of all.
template <class T>
void head_mask_claims(Ledger<T>& ledger, Random& random) {
  const Row<T> row(random);
  const auto own = [](int h, Index i, Index j) { return (i + (2 + h) * j) % 3 != 0; };
  MaskSpec spec{.causal = true};
  for (int h = 0; h < 2; ++h) {
    Mask::Matrix given(Row<T>::tokens, Row<T>::tokens);
    for (Index i = 0; i < given.rows(); ++i)
      for (Index j = 0; j < given.cols(); ++j) given(i, j) = own(h, i, j);
    spec.head_masks.emplace_back(given);
  }
  const auto out = multi_head_attention<T>(
      NoEncoding<T>(), {{row.q, row.q}, {row.k}, {row.v}, row.at, row.at}, spec);
  for (int h = 0; h < 2; ++h) {
    const Rows weights = literal::softmax(
        row.logits(), [&](Index i, Index j) { return row.r(i, j) >= 0 && own(h, i, j); });
    ledger.compare(masks, "head_masks", "a mask of each head, and a causal one of all: output",
                   out[static_cast<std::size_t>(h)].output, literal::product(weights, wide(row.v)),
                   row.bound());
  }
}

/// A mask of floats, as frameworks add it to the logits: −inf hides a key.
template <class T>
void additive_mask_claims(Ledger<T>& ledger, Random& random) {
  const Row<T> row(random);
  Matrix<double> added = wide(normal_matrix<T>(random, Row<T>::tokens, Row<T>::tokens));
  const auto own = [](Index i, Index j) { return (i + 2 * j) % 3 != 0; };
  const Rows logits = row.logits() + added;
  for (Index i = 0; i < added.rows(); ++i)
    for (Index j = 0; j < added.cols(); ++j)
      if (!own(i, j)) added(i, j) = -std::numeric_limits<double>::infinity();
  const auto out =
      multi_head_attention<T>(NoEncoding<T>(), {{row.q}, {row.k}, {row.v}, row.at, row.at},
                              {.mask = Mask::additive(added)});
  const Rows weights = literal::softmax(logits, own);
  ledger.compare(masks, "additive_mask_weights", "a mask of floats is added, −inf hides: weights",
                 out[0].weights, weights, row.bound());
  ledger.compare(masks, "additive_mask_output", "a mask of floats is added, −inf hides: output",
                 out[0].output, literal::product(weights, wide(row.v)), row.bound());
  const Rows seen = added.array().isInf().select(0.0, added.array()).matrix();
  ledger.compare(masks, "additive_mask_term", "it is a term of the logits, 0 where it hides",
                 out[0].terms.back().logits, seen, rounding_bound<T>(1));
  const Matrix<double> single = Matrix<double>::Constant(1, 1, 0.5);
  const Positions at{0};
  const Matrix<T> q = row.q.topRows(1), k = row.k.topRows(1);
  const auto alone =
      attention_from_qkv<T>(NoEncoding<T>(), {q, k, q, at, at}, Mask::additive(single));
  ledger.compare(masks, "additive_mask_of_one", "also of one query and one key: logit",
                 alone.logits, (row.logits().topLeftCorner(1, 1).array() + 0.5).matrix(),
                 4 * rounding_bound<T>(roundings_of(Row<T>::d)));
}

/// H heads over H_kv, from contents and from q, k, v, with slopes that differ from head to head.
template <class T>
void group_claims(Ledger<T>& ledger, Random& random, Index kv_heads, const std::string& name,
                  const std::string& label) {
  constexpr Index heads = 4, d = 8, d_model = 12, first_head = 2;
  constexpr Index tokens = 6;
  const Positions at{5, 0, 2, 1, 4, 3};
  const Matrix<T> x = normal_matrix<T>(random, tokens, d_model);
  const LayerProjections<T> w{
      weights<T>(random, d_model, heads * d), weights<T>(random, d_model, kv_heads * d),
      weights<T>(random, d_model, kv_heads * d), HeadGroups(heads, kv_heads)};
  const Alibi<T> encoding(8);
  const std::vector<double> slopes = literal::alibi_slopes(8);
  const LayerContents<T> contents{x, x, at, at, first_head};
  const auto from_x = multi_head_attention<T>(encoding, w, contents);
  const auto from_qkv = multi_head_attention<T>(encoding, projected<T>(nullptr, w, contents), {});
  Rows side_by_side(tokens, heads * d);
  const double bound = 2 * rounding_bound<T>(roundings_of(d_model));
  for (Index h = 0; h < heads; ++h) {
    const Index shared = h / (heads / kv_heads);
    const literal::Head head{
        literal::product(wide(x), literal::head_columns(wide(w.W_q), h, d)),
        literal::product(wide(x), literal::head_columns(wide(w.W_k), shared, d)),
        literal::product(wide(x), literal::head_columns(wide(w.W_v), shared, d)), at, at};
    const Rows logits = literal::sum_of(
        literal::alibi(head, slopes[static_cast<std::size_t>(first_head + h)], false));
    const Rows output = literal::product(literal::softmax(logits), head.v);
    for (Index i = 0; i < tokens; ++i)
      for (Index c = 0; c < d; ++c) side_by_side(i, h * d + c) = output(i, c);
    const auto& of_x = from_x[static_cast<std::size_t>(h)];
    const auto& of_qkv = from_qkv[static_cast<std::size_t>(h)];
    ledger.compare(grouped, name + "_logits", label + ": logits, head by head", of_x.logits, logits,
                   bound);
    ledger.compare(grouped, name + "_from_qkv", label + ": the same from q, k, v", of_qkv.logits,
                   logits, bound);
  }
  ledger.compare(grouped, name + "_output", label + ": outputs side by side",
                 concatenated<T>(from_x), side_by_side, bound);
}

/// One query at the last position against cached keys: the last row of the whole.
template <class T>
void decoding_claims(Ledger<T>& ledger, Random& random) {
  const Row<T> row(random);
  const Positions last{8};
  const Index at_last = 4;  // row.at[4] = 8
  const auto out = multi_head_attention<T>(
      Alibi<T>(1), {{row.q.row(at_last)}, {row.k}, {row.v}, last, row.at}, {.causal = true});
  const literal::Head head{wide(row.q), wide(row.k), wide(row.v), row.at, row.at};
  const Rows whole =
      literal::softmax(literal::sum_of(literal::alibi(head, literal::alibi_slopes(1)[0], false)),
                       [&](Index i, Index j) { return row.r(i, j) >= 0; });
  ledger.compare(masks, "cached_decoding", "one query with cached keys equals the last row of all",
                 out[0].output, literal::product(whole.row(at_last), head.v), row.bound());
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger("N = 9 neighbouring tokens, d = 8, " + std::to_string(options.draws) + " draws",
                   claims);
  for (int draw = 0; draw < options.draws; ++draw) {
    Random random(options.seed, "masks and heads, draw " + std::to_string(draw));
    mask_claims(ledger, random);
    head_mask_claims(ledger, random);
    additive_mask_claims(ledger, random);
    decoding_claims(ledger, random);
    group_claims(ledger, random, 4, "multi_head", "a key head each");
    group_claims(ledger, random, 2, "grouped_query", "two query heads per key head");
    group_claims(ledger, random, 1, "multi_query", "one key head for all");
  }
}

/// A query that sees no key has no weights and no output, and is counted.
void blind_query_claim(std::vector<Claim>& claims) {
  Facts facts("3 queries, the first before every key", claims);
  AttentionOutput<double> out;
  out.logits = Matrix<double>::Ones(3, 2);
  masked_softmax<double>(Mask::causal(Positions{0, 1, 2}, Positions{1, 2}), out);
  facts.equals(masks, "blind_query", "a query that sees no key has weights 0: sum of its weights",
               out.weights.row(0).sum(), 0);
  facts.equals(masks, "blind_queries", "and is counted: queries that see no key",
               static_cast<double>(out.fully_masked_rows), 1);
}

/// Masks of every kind, joined in either order, cell by cell and some queries of them.
void joined_mask_claim(std::vector<Claim>& claims) {
  constexpr Index queries = 5, keys = 7;
  const Positions m{4, 0, 7, 2, 8}, n{4, 0, 7, 2, 8, 1, 5};
  const auto matrix = [&](const literal::Visible& sees) {
    Mask::Matrix cells(queries, keys);
    for (Index i = 0; i < queries; ++i)
      for (Index j = 0; j < keys; ++j) cells(i, j) = sees(i, j);
    return cells;
  };
  struct Kind {
    Mask mask;
    literal::Visible sees;
    double added{0};
  };
  const auto r = [&](Index i, Index j) {
    return m[static_cast<std::size_t>(i)] - n[static_cast<std::size_t>(j)];
  };
  const literal::Visible thirds = [](Index i, Index j) { return (i + 2 * j) % 3 != 0; };
  const literal::Visible halves = [](Index i, Index j) { return (i + j) % 2 == 0; };
  const std::vector<Kind> kinds{
      {Mask(), literal::everything},
      {Mask::causal(m, n), [&](Index i, Index j) { return r(i, j) >= 0; }},
      {Mask::sliding_window(m, n, 3), [&](Index i, Index j) { return std::abs(r(i, j)) < 3; }},
      {Mask::padding(queries, {true, false, true, true, true, false, true}),
       [](Index, Index j) { return j != 1 && j != 5; }},
      {Mask::padding(queries, {true, true, true, false, true, true, true}),
       [](Index, Index j) { return j != 3; }},
      {Mask(matrix(thirds)), thirds},
      {Mask(matrix(halves)), halves},
      {Mask::additive(Matrix<double>::Constant(queries, keys, 0.5)), literal::everything, 0.5},
      {Mask::additive(Matrix<double>::Constant(queries, keys, 2)), literal::everything, 2}};
  double wrong = 0;
  const auto see = [&](const Mask& mask, const Kind& a, const Kind& b, Index first, Index count) {
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < keys; ++j) {
        const bool sees = a.sees(first + i, j) && b.sees(first + i, j);
        wrong += mask.allows_everything() ? !sees : mask.allows(i, j) != sees;
        wrong += (mask.added() ? (*mask.added())(i, j) : 0) != a.added + b.added;
      }
  };
  for (const Kind& a : kinds)
    for (const Kind& b : kinds) {
      const Mask both = a.mask & b.mask;
      see(both, a, b, 0, queries);
      see(both.of_queries(1, 3), a, b, 1, 3);
    }
  Facts facts("9 masks by 9, 5 queries and 7 keys", claims);
  facts.equals(masks, "joined_masks",
               "two masks allow what both allow, and add both: cells misjudged", wrong, 0);
}

/// What a mask of floats hides: the lowest numbers of fp16, of bf16 and of what is wider, and −inf.
void hiding_value_claim(std::vector<Claim>& claims) {
  constexpr double bf16 = -3.3895313892515355e38,
                   infinity = std::numeric_limits<double>::infinity();
  double wrong = 0;
  for (const double value : {-65504.0, bf16, -3.4028234663852886e38, -1e300, -infinity})
    wrong += !Mask::hides(value);
  for (const double value : {0.0, 1.0, -1.0, -65503.0, -65505.0, -65536.0, 65504.0, 1e4, -1e4, -1e9,
                             -3.37e38, -bf16, infinity})
    wrong += Mask::hides(value);
  Facts facts("18 numbers", claims);
  facts.equals(masks, "hiding_values", "what a mask of floats hides: numbers misjudged", wrong, 0);
}

}  // namespace in_equations_visibility
}  // namespace

void visibility_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_visibility;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
  blind_query_claim(claims);
  joined_mask_claim(claims);
  hiding_value_claim(claims);
}

}  // namespace orrery::verify
