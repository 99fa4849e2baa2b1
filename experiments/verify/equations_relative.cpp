// Shaw, Transformer-XL, XLNet, TUPE and DeBERTa: vectors of relative positions, term by term.
#include "core/encodings/deberta.h"
#include "core/encodings/shaw.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_equations_relative {

const Paper shaw_paper{ClaimKind::cited, "(5)", "Shaw et al. 2018 (3), (4)",
                       "RoFormer's (5) prints W_k (x_n + p~_r) and r = clip(m − n)"};
const Paper xl_paper{ClaimKind::cited, "(7)", "Transformer-XL: Dai et al. 2019 §3.3",
                     "RoFormer's (7) prints uᵀW_qᵀ and vᵀW_qᵀ"};
const Paper huang_paper{ClaimKind::cited, "(5)", "Huang et al. 2020, method 4",
                        "RoFormer's (5) has vectors of keys alone"};
const Paper xlnet_paper{ClaimKind::cited, "(7)", "XLNet: Yang et al. 2019 §2.5",
                        "RoFormer's (7) has no segments"};
const Paper tupe_paper{ClaimKind::cited, "(9)",
                       "TUPE: Ke et al. 2021 (7), (8), (10), and its release",
                       "RoFormer's (9) prints neither 1/√(2d) nor θ_1, θ_2 for [CLS]"};
const Paper deberta_paper{ClaimKind::cited, "(10)", "DeBERTa: He et al. 2021 (4), and its code",
                          "RoFormer's (10) prints p~_{m−n} in both terms, no clipping, no 1/√(3d)"};

template <class T>
void shaw_claims(Ledger<T>& ledger, LayerCase<T>& c) {
  constexpr Position clip = 40;
  const Matrix<T> keys = weights<T>(c.random, 2 * clip + 1, c.d);
  const Matrix<T> values = weights<T>(c.random, 2 * clip + 1, c.d);
  const Shaw<T> shaw(keys, values);
  for (int h = 0; h < c.heads; ++h) {
    const literal::Head head = c.head(h);
    const auto out = c.attend(shaw, h);
    const literal::Terms terms = literal::shaw(head, wide(keys), literal::clipped(clip));
    ledger.compare_terms(
        shaw_paper, "shaw",
        {"content: q_m·k_n/√d", "content_to_position: q_m·a^K_r/√d, r = clip(n − m, −k, k)"}, out,
        terms, c.bound());
    const Rows logits = literal::sum_of(terms), weights = literal::softmax(logits);
    const double output_bound = softmax_bound(logits, c.bound());
    ledger.compare(shaw_paper, "shaw_output", "o_m = Σ a_mn (v_n + a^V_r)", out.output,
                   literal::shaw_output(head, weights, wide(values), literal::clipped(clip)),
                   output_bound);
    ledger.compare(shaw_paper, "shaw_keys_only", "without a table of values: o_m = Σ a_mn v_n",
                   c.attend(Shaw<T>(keys, {}), h).output, literal::product(weights, head.v),
                   output_bound);
    relative_claim(ledger, "shaw", "Shaw", c, shaw, h, terms, c.bound());
  }
}

/// Vectors of keys and queries, clipped to another distance on either side, rows from ahead on.
template <class T>
void huang_claims(Ledger<T>& ledger, LayerCase<T>& c) {
  const ShawOptions options{.left = 40,
                            .right = 25,
                            .rows = ShawRows::query_minus_key,
                            .scores = ShawScores::queries_and_keys};
  const Matrix<T> keys = weights<T>(c.random, options.left + options.right + 1, c.d);
  const Shaw<T> huang(keys, {}, options);
  for (int h = 0; h < c.heads; ++h)
    ledger.compare_terms(huang_paper, "huang",
                         {"content: q_m·k_n/√d", "content_to_position: q_m·a_r/√d",
                          "position_to_content: k_n·a_r/√d"},
                         c.attend(huang, h),
                         literal::shaw(c.head(h), wide(keys), {40, 25, true, true}), c.bound());
}

template <class T>
struct XlLayer {
  Matrix<T> u, v, W_kR;

  explicit XlLayer(LayerCase<T>& c)
      : u(weights<T>(c.random, c.heads, c.d)),
        v(weights<T>(c.random, c.heads, c.d)),
        W_kR(weights<T>(c.random, c.d_model(), c.heads * c.d)) {}

  literal::Terms terms(const literal::Head& head, int h) const {
    return literal::transformer_xl(head, wide<T>(u.row(h)), wide<T>(v.row(h)),
                                   literal::head_columns(wide(W_kR), h, head.q.cols()), paper_base);
  }
};

template <class T>
void transformer_xl_claims(Ledger<T>& ledger, LayerCase<T>& c) {
  const XlLayer<T> layer(c);
  const TransformerXl<T> xl({layer.u, layer.v, layer.W_kR}, paper_base);
  const double angle = averaged_angle_bound(1000, c.d_model());
  for (int h = 0; h < c.heads; ++h) {
    const literal::Terms terms = layer.terms(c.head(h), h);
    ledger.compare_terms(xl_paper, "transformer_xl",
                         {"content: q_m·k_n/√d", "content_to_position: q_m·W_kR R_{m−n}/√d",
                          "global_content: u_h·k_n/√d", "global_position: v_h·W_kR R_{m−n}/√d"},
                         c.attend(xl, h), terms, c.bound(), angle);
    relative_claim(ledger, "transformer_xl", "Transformer-XL", c, xl, h, terms, c.bound() + angle);
  }
}

/// The term of segments beside those of Transformer-XL.
template <class T>
void xlnet_claims(Ledger<T>& ledger, LayerCase<T>& c) {
  const XlLayer<T> layer(c);
  const Matrix<T> s = weights<T>(c.random, c.heads, c.d),
                  g = weights<T>(c.random, 2, c.heads * c.d);
  const TransformerXl<T> xlnet({layer.u, layer.v, layer.W_kR, s, g}, paper_base);
  const literal::Ids of_queries{1, 1, 2, 1}, of_keys{1, 2, 2, 1, 1, 3, 1, 2, 2};
  for (int h = 0; h < c.heads; ++h) {
    const auto at = static_cast<std::size_t>(h);
    const literal::Head head = c.head(h);
    literal::Terms terms = layer.terms(head, h);
    terms.push_back(literal::segment(head, wide<T>(s.row(h)),
                                     literal::head_columns(wide(g), h, c.d), of_queries, of_keys));
    ledger.compare_terms(
        xlnet_paper, "xlnet",
        {"content: Transformer-XL's", "content_to_position: Transformer-XL's",
         "global_content: Transformer-XL's", "global_position: Transformer-XL's",
         "segment: (q_m + s_h)·g_0/√d within a segment, g_1 elsewhere"},
        attention_from_qkv<T>(
            xlnet, {c.in.q[at], c.in.k[at], c.in.v[at], c.in.m, c.in.n, h, {of_queries, of_keys}}),
        terms, c.bound(), averaged_angle_bound(1000, c.d_model()));
  }
}

/// TUPE as the paper prints it, and as released: every TUPE of these claims is made here.
template <class T>
struct TupeLayer {
  Matrix<T> table, U_q, U_k, bias, theta, b_q, b_k, gain, offset;
  TupeOptions options;
  Index d;

  TupeLayer(LayerCase<T>& c, const TupeOptions& chosen)
      : table(normal_matrix<T>(c.random, 1040, c.d_model())),
        U_q(weights<T>(c.random, c.d_model(), c.heads * c.d)),
        U_k(weights<T>(c.random, c.d_model(), c.heads * c.d)),
        bias(normal_matrix<T>(c.random, released(chosen) ? 33 : 32, c.heads)),
        theta(normal_matrix<T>(c.random, 2, c.heads)),
        b_q(normal_matrix<T>(c.random, 1, c.heads * c.d)),
        b_k(normal_matrix<T>(c.random, 1, c.heads * c.d)),
        gain(normal_matrix<T>(c.random, 1, c.d_model())),
        offset(normal_matrix<T>(c.random, 1, c.d_model())),
        options(chosen),
        d(c.d) {}

  static bool released(const TupeOptions& options) {
    return options.variant == TupeVariant::released;
  }
  Tupe<T> encoding() const {
    if (!released(options)) return Tupe<T>({table, U_q, U_k, bias, theta}, options);
    return Tupe<T>({table, U_q, U_k, bias, {}, b_q, b_k, gain, offset}, options);
  }
  /// The vectors of all positions: of the release, normalised, and position i in row i + 1.
  Rows vectors() const {
    return released(options) ? literal::layer_norm(wide(table), wide(gain), wide(offset))
                             : wide(table);
  }
  literal::Terms terms(const literal::Head& head, int h) const {
    const Rows all = vectors();
    const Index first = released(options) ? 1 : 0;
    const auto biases = [&](const Matrix<T>& b) -> Rows {
      return released(options) ? literal::head_columns(wide(b), h, d) : Rows(Rows::Zero(1, d));
    };
    const literal::TupeWeights w{literal::head_columns(wide(U_q), h, d),
                                 literal::head_columns(wide(U_k), h, d), biases(b_q), biases(b_k),
                                 options.relative_bias ? Rows(wide(bias).col(h)) : Rows()};
    literal::TupeWeights::Cls cls{options.untie_cls, static_cast<literal::Real>(theta(0, h)),
                                  static_cast<literal::Real>(theta(1, h)), -1, -1};
    if (released(options))
      cls = {options.untie_cls, literal::tupe_correlation(w, all, 0, all, 0),
             literal::tupe_correlation(w, all, 1, all, 1), 16, 32};
    return literal::tupe(head, literal::rows_at(all, head.m, first),
                         literal::rows_at(all, head.n, first), w, cls);
  }
};

template <class T>
void tupe_claims(Ledger<T>& ledger, LayerCase<T>& c) {
  const TupeLayer<T> plain(c, {.untie_cls = false}), cls(c, {}),
      absolute(c, {.relative_bias = false}), released(c, {.variant = TupeVariant::released});
  const double bound = 2 * c.bound();  // a correlation sums twice, with biases and a norm
  for (int h = 0; h < c.heads; ++h) {
    const literal::Head head = c.head(h);
    const auto said = [&](const std::string& name, const TupeLayer<T>& layer,
                          const std::vector<std::string>& statements) {
      ledger.compare_terms(tupe_paper, name, statements, c.attend(layer.encoding(), h),
                           layer.terms(head, h), bound);
    };
    said("tupe", plain,
         {"content: q_m·k_n/√(2d)", "position: (p_m U_q)·(p_n U_k)/√(2d)",
          "relative_bias: b of T5's bucket of n − m"});
    said("tupe_cls", cls,
         {"[CLS] untied: content as before", "[CLS] untied: θ_1 in its row, θ_2 in its column",
          "[CLS] untied: no bias in its row and column"});
    said("tupe_released", released,
         {"released: content as before",
          "released: n_i = LayerNorm(p)_{i+1}, biases, θ of rows 0, 1",
          "released: buckets 16 and 32 in the row and column of [CLS]"});
    ledger.compare(tupe_paper, "tupe_absolute", "TUPE-A: the logits without relative_bias",
                   c.attend(absolute.encoding(), h).logits,
                   literal::sum_of(absolute.terms(head, h)), bound);
  }
}

/// Eq. (9) as RoFormer prints it: no scale, and [CLS] as any token.
template <class T>
void printed_tupe_claims(Ledger<T>& ledger, LayerCase<T>& c) {
  const TupeLayer<T> layer(c, {.untie_cls = false});
  const Paper eq_9{ClaimKind::roformer, "(9)"};
  const double unscaled = std::sqrt(2 * static_cast<double>(c.d));
  for (int h = 0; h < c.heads; ++h) {
    literal::Terms terms = layer.terms(c.head(h), h);
    terms[0].logits *= unscaled;
    terms[1].logits *= unscaled;
    ledger.compare_terms(eq_9, "printed_untied", {"x_mᵀW_qᵀW_k x_n", "p_mᵀU_qᵀU_k p_n", "b_{m,n}"},
                         c.attend(layer.encoding(), h, 0, {.scale = 1.0}), terms, 2 * c.bound());
  }
}

template <class T>
struct DebertaLayer {
  Matrix<T> table, W_qr, W_kr;

  DebertaLayer(LayerCase<T>& c, Position span)
      : table(weights<T>(c.random, 2 * span, c.d_model())),
        W_qr(weights<T>(c.random, c.d_model(), c.heads * c.d)),
        W_kr(weights<T>(c.random, c.d_model(), c.heads * c.d)) {}

  Deberta<T> encoding(Index d, const DebertaOptions& options) const {
    return Deberta<T>({table, W_qr, W_kr, d}, options);
  }
  literal::DebertaTables of_head(int h, Index d, std::function<Index(Position)> row) const {
    return {literal::product(wide(table), literal::head_columns(wide(W_kr), h, d)),
            literal::product(wide(table), literal::head_columns(wide(W_qr), h, d)), std::move(row)};
  }
};

template <class T>
void deberta_claims(Ledger<T>& ledger, LayerCase<T>& c) {
  constexpr Position k = 60;
  const DebertaLayer<T> layer(c, k);
  const auto delta = [](Position r) { return literal::deberta_delta(r, k); };
  const auto bucket = [](Position r) {
    return literal::deberta_delta(literal::deberta_bucket(r, k, 300, false), k);
  };
  using DebertaForm = literal::DebertaTables::Form;
  for (int h = 0; h < c.heads; ++h) {
    const literal::Head head = c.head(h);
    const auto tables = layer.of_head(h, c.d, delta);
    const auto paper = layer.encoding(c.d, {.span = k});
    const auto terms = literal::deberta(head, tables, DebertaForm::paper);
    ledger.compare_terms(deberta_paper, "deberta",
                         {"content: q_m·k_n/√(3d)", "content_to_position: q_m·K^r_{δ(m,n)}/√(3d)",
                          "position_to_content: k_n·Q^r_{δ(n,m)}/√(3d)"},
                         c.attend(paper, h), terms, c.bound());
    relative_claim(ledger, "deberta", "DeBERTa", c, paper, h, terms, c.bound());
    const auto variant = [&](const std::string& name, const std::string& statement,
                             const DebertaOptions& options, const literal::Terms& expected) {
      ledger.compare(deberta_paper, name, statement,
                     c.attend(layer.encoding(c.d, options), h).logits, literal::sum_of(expected),
                     c.bound());
    };
    variant("deberta_code", "the released codes: δ(m, n) in position_to_content too",
            {.span = k, .index = DebertaIndex::code},
            literal::deberta(head, tables, DebertaForm::code));
    variant("deberta_c2p", "content_to_position alone, over √(2d)",
            {.span = k, .terms = DebertaTerms::content_to_position},
            literal::deberta(head, tables, DebertaForm::paper, true, false));
    variant("deberta_p2c", "position_to_content alone, over √(2d)",
            {.span = k, .terms = DebertaTerms::position_to_content},
            literal::deberta(head, tables, DebertaForm::paper, false, true));
    variant("deberta_v2", "version 2: δ of logarithmic buckets",
            {.span = k, .log_buckets = true, .max_distance = 300},
            literal::deberta(head, layer.of_head(h, c.d, bucket), DebertaForm::paper));
  }
}

/// How many of the distances −n … n fall into another row than the literal one.
template <class Of, class Literal>
double wrong_rows(Position n, const Of& of, const Literal& literal) {
  double wrong = 0;
  for (Position r = -n; r <= n; ++r) wrong += of(r) == literal(r) ? 0 : 1;
  return wrong;
}

void row_claims(std::vector<Claim>& claims) {
  Facts facts("distances −2000 … 2000", claims);
  facts.equals(shaw_paper, "shaw_rows",
               "rows clip(n − m, −16, 16) + 16: distances with another row",
               wrong_rows(
                   2000, [](Position r) { return shaw_index(r, 16); },
                   [](Position r) {
                     return (r > 16 ? -16 : r < -16 ? 16 : -r) + 16;
                   }),
               0);
  facts.equals(deberta_paper, "deberta_rows", "rows δ, k = 512: distances with another row",
               wrong_rows(
                   2000, [](Position r) { return deberta_delta(r, 512); },
                   [](Position r) { return literal::deberta_delta(r, 512); }),
               0);
  const auto buckets = [&](const char* name, const char* statement, DebertaClamp clamp,
                           bool clamped) {
    facts.equals(deberta_paper, name, statement,
                 wrong_rows(
                     2000, [=](Position r) { return deberta_bucket(r, 256, 512, clamp); },
                     [=](Position r) { return literal::deberta_bucket(r, 256, 512, clamped); }),
                 0);
  };
  buckets("deberta_buckets", "version 2's buckets, 256 to 512: distances with another bucket",
          DebertaClamp::none, false);
  buckets("deberta_buckets_clamped",
          "the same with Microsoft's clamp: distances with another bucket", DebertaClamp::first,
          true);
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_layers(options), claims);
  for (LayerCase<T>& c : layer_cases<T>(options)) {
    shaw_claims(ledger, c);
    transformer_xl_claims(ledger, c);
    tupe_claims(ledger, c);
    printed_tupe_claims(ledger, c);
    deberta_claims(ledger, c);
    huang_claims(ledger, c);
    xlnet_claims(ledger, c);
  }
}

}  // namespace in_equations_relative
}  // namespace

void relative_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_relative;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
  row_claims(claims);
}

}  // namespace orrery
