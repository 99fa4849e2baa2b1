// Misprints of the paper and of its copies, and where codes differ, each with how much it changes.
// Nothing here calls the library's encodings, and nothing is counted.
#include <complex>
#include <limits>

#include "core/analysis/largest.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_misprints {

using literal::Head;

/// One head of a layer, its contents and projections in double.
struct Draw {
  Index d;
  Head head;  ///< q and k are the contents x_m and x_n, projected
  Rows x_m, x_n, W_q, W_k;
  Random& random;

  explicit Draw(LayerCase<double>& c)
      : d(c.d), head(c.head(0)), x_m(c.in.q[0]), x_n(c.in.k[0]), random(c.random) {
    W_q = weights<double>(random, d, d);
    W_k = weights<double>(random, d, d);
    head.q = literal::product(x_m, W_q);
    head.k = literal::product(x_n, W_k);
  }
  Rows table(Index rows, Index columns) { return weights<double>(random, rows, columns); }
  double root() const { return std::sqrt(static_cast<double>(d)); }
};

double change(const Rows& wrong, const Rows& right) { return relative_error<double>(wrong, right); }

double tensor2tensor_change(Draw& draw) {
  return change(literal::tensor2tensor_sinusoids(draw.head.n, draw.d, paper_base),
                literal::concatenated_sinusoids(draw.head.n, draw.d, paper_base));
}

/// clip(m − n) for Shaw's clip(n − m): the same table read from its other end.
double shaw_sign_change(Draw& draw) {
  constexpr Position clip = 50;
  const Rows table = draw.table(2 * clip + 1, draw.d);
  return change(
      literal::sum_of(literal::shaw(draw.head, table.colwise().reverse(), literal::clipped(clip))),
      literal::sum_of(literal::shaw(draw.head, table, literal::clipped(clip))));
}

double shaw_projected_change(Draw& draw) {
  constexpr Position clip = 50;
  const Rows table = draw.table(2 * clip + 1, draw.d);
  const Rows projected = literal::product(table, draw.W_k);
  return change(literal::sum_of(literal::shaw(draw.head, projected, literal::clipped(clip))),
                literal::sum_of(literal::shaw(draw.head, table, literal::clipped(clip))));
}

double projected_biases_change(Draw& draw) {
  const Rows u = draw.table(1, draw.d), v = draw.table(1, draw.d);
  const Rows W_kR = draw.table(draw.d, draw.d);
  const auto logits = [&](const Rows& content_bias, const Rows& position_bias) {
    return literal::sum_of(
        literal::transformer_xl(draw.head, content_bias, position_bias, W_kR, paper_base));
  };
  return change(logits(literal::product(u, draw.W_q), literal::product(v, draw.W_q)), logits(u, v));
}

double scaled_t5_change(Draw& draw) {
  const Rows logits = literal::sum_of(literal::t5(draw.head, draw.table(32, 1), {}));
  return change(logits / draw.root(), logits);
}

/// √d for √(2d), the bias as it is.
double printed_tupe_change(Draw& draw) {
  const Rows table = draw.table(1040, draw.d);
  const Rows none = Rows::Zero(1, draw.d);
  const literal::TupeWeights w{draw.table(draw.d, draw.d), draw.table(draw.d, draw.d), none, none,
                               draw.table(32, 1)};
  literal::Terms terms = literal::tupe(draw.head, literal::rows_at(table, draw.head.m),
                                       literal::rows_at(table, draw.head.n), w, {});
  const Rows right = literal::sum_of(terms);
  terms[0].logits *= std::sqrt(2.0);
  terms[1].logits *= std::sqrt(2.0);
  return change(literal::sum_of(terms), right);
}

literal::DebertaTables deberta_tables(const Rows& K_r, const Rows& Q_r, Position span) {
  return {K_r, Q_r, [span](Position r) { return literal::deberta_delta(r, span); }};
}

/// √d, of (2), for √(3d), and no clipping.
double printed_deberta_change(Draw& draw) {
  constexpr Position span = 4, all = 1200;
  const Rows K_r = draw.table(2 * all, draw.d), Q_r = draw.table(2 * all, draw.d);
  const auto middle = [&](const Rows& rows) -> Rows {
    return rows.middleRows(all - span, 2 * span);
  };
  using DebertaForm = literal::DebertaTables::Form;
  const Rows printed = literal::sum_of(
      literal::deberta(draw.head, deberta_tables(K_r, Q_r, all), DebertaForm::code));
  const Rows right = literal::sum_of(literal::deberta(
      draw.head, deberta_tables(middle(K_r), middle(Q_r), span), DebertaForm::code));
  return change(printed * std::sqrt(3.0), right);
}

double one_distance_change(Draw& draw) {
  constexpr Position span = 60;
  const auto tables =
      deberta_tables(draw.table(2 * span, draw.d), draw.table(2 * span, draw.d), span);
  using DebertaForm = literal::DebertaTables::Form;
  return change(literal::sum_of(literal::deberta(draw.head, tables, DebertaForm::code)),
                literal::sum_of(literal::deberta(draw.head, tables, DebertaForm::paper)));
}

/// Fig. 2 at distance 10, d = 128.
double base_change(Draw&) {
  const auto mean = [](double base) {
    literal::Real sum = 0;
    const auto S = literal::phasor_sums(128, base, 10);
    for (const auto& value : S) sum += std::abs(value);
    return static_cast<double>(sum / static_cast<literal::Real>(S.size()));
  };
  return std::abs(mean(1000) - mean(paper_base));
}

/// θ_i = 10000^{−2i/d} with i = 1 … d/2, at d = 128: by how much θ_1 falls short of 1.
double index_origin_change(Draw&) {
  return 1 - static_cast<double>(literal::theta(1, 128, paper_base));
}

/// Both rows of each 2×2 block printed as (cos, −sin): the length of the rotated vector.
double equal_rows_change(Draw& draw) {
  Rows wrong = literal::rotation(draw.d, paper_base, 3);
  for (Index t = 0; t < draw.d / 2; ++t) {
    wrong(2 * t + 1, 2 * t) = wrong(2 * t, 2 * t);
    wrong(2 * t + 1, 2 * t + 1) = wrong(2 * t, 2 * t + 1);
  }
  Largest largest;
  for (Index i = 0; i < draw.x_n.rows(); ++i) {
    const Rows x = draw.x_n.row(i);
    largest.see(std::abs(literal::product(wrong, x.transpose()).norm() / x.norm() - 1));
  }
  return largest.value();
}

/// R_{m−n} for R_{n−m}: the scores of keys as far ahead as they were behind.
double sign_change(Draw& draw) {
  const auto& [q, k, v, m, n] = draw.head;
  Positions m_back = m, n_back = n;
  for (Position& p : m_back) p = -p;
  for (Position& p : n_back) p = -p;
  const literal::Rotary rotary = literal::whole(draw.d);
  return change(literal::relative_scores(q, k, m_back, n_back, rotary),
                literal::relative_scores(q, k, m, n, rotary));
}

double missing_transpose_change(Draw& draw) {
  return change(literal::scores(literal::product(draw.x_m, draw.W_q.transpose()), draw.head.k, 1),
                literal::scores(draw.head.q, draw.head.k, 1));
}

/// e^{iθ_q + mθ} has the real part mθ: at m = 3, θ = 1, the length e^3 in place of 1.
double missing_brackets_change(Draw&) { return std::abs(std::exp(std::complex(3.0, 1.0))) - 1; }

/// q = W_q x_n: the score of each pair becomes that of the key with itself.
double wrong_token_change(Draw& draw) {
  const Rows right = literal::scores(draw.head.q, draw.head.k, 1);
  const Rows own = literal::product(draw.x_n, draw.W_q);
  const Rows wrong = literal::pairs(right.rows(), right.cols(), [&](Index, Index j) {
    return literal::dot(own, j, draw.head.k, j);
  });
  return change(wrong, right);
}

/// The last two rows as (−x_{d−1}, x_d), at position 1000: nearer, the last pair hardly rotates.
double last_rows_change(Draw& draw) {
  const Positions at(static_cast<std::size_t>(draw.x_n.rows()), 1000);
  const Rows right = literal::turned(draw.x_n, at, literal::whole(draw.d));
  Rows wrong = right;
  const literal::Real angle = 1000 * literal::theta(draw.d / 2 - 1, draw.d, paper_base);
  const auto c = static_cast<double>(std::cos(angle)), s = static_cast<double>(std::sin(angle));
  for (Index i = 0; i < right.rows(); ++i) {
    const double a = draw.x_n(i, draw.d - 2), b = draw.x_n(i, draw.d - 1);
    wrong(i, draw.d - 2) = a * c - a * s;
    wrong(i, draw.d - 1) = b * c + b * s;
  }
  return change(wrong, right);
}

struct Note {
  const char* name;
  const char* statement;
  const char* equation;
  const char* edition;  ///< or the copy or code that has it
  double (*change)(Draw&);
};

constexpr const char* last_version = "RoFormer, to its last version (arXiv v5)";
constexpr const char* copies = "copies of the paper in circulation; the paper is right";

constexpr Note all_notes[] = {
    {"tensor2tensor_frequencies", "frequencies from 1 to 1/10000 inclusive: p changes by the share",
     "(4)", "tensor2tensor, the code behind (4)", tensor2tensor_change},
    {"shaw_sign", "clip(m − n) for Shaw's clip(n − m): logits change by the share", "(5)",
     last_version, shaw_sign_change},
    {"shaw_behind_W_k", "W_k (x_n + p~) for Shaw's W_k x_n + p~: logits change by the share", "(5)",
     last_version, shaw_projected_change},
    {"biases_behind_W_q", "uᵀW_qᵀ, vᵀW_qᵀ for Transformer-XL's u, v: logits change by the share",
     "(7)", last_version, projected_biases_change},
    {"t5_over_root_d",
     "(8) in the softmax of (2), over √d; T5 has no √d: logits change by the share", "(8)",
     last_version, scaled_t5_change},
    {"tupe_as_printed", "√d of (2) for TUPE's √(2d): logits change by the share", "(9)",
     last_version, printed_tupe_change},
    {"deberta_as_printed",
     "√d of (2) for DeBERTa's √(3d), and no clipping at 4: logits change by the share", "(10)",
     last_version, printed_deberta_change},
    {"one_distance_for_both",
     "p~_{m−n} twice for the paper's δ(n, m) in one: logits change by the share", "(10)",
     "RoFormer (arXiv v5), DeBERTa's codes", one_distance_change},
    {"equal_rows", "both rows of a 2×2 block equal: lengths change by the share", "(13), (15)",
     copies, equal_rows_change},
    {"base_1000", "base 1000 for 10000: mean |S_j| at distance 10, d = 128, changes by", "(15)",
     copies, base_change},
    {"index_origin",
     "θ_i = 10000^{−2i/d} with the i = 1 … d/2 of (15): θ_1 at d = 128 falls short by", "(15)",
     "RoFormer §3.3, §3.4.3 (arXiv v5)", index_origin_change},
    {"sign_of_m_minus_n", "R_{m−n}, as (11) counts, for R_{n−m}: scores change by the share",
     "(16)", "RoFormer counts m − n in (11), (12), n − m in (16), (21)", sign_change},
    {"missing_transpose", "W_q for W_qᵀ: scores change by the share", "(16)", last_version,
     missing_transpose_change},
    {"missing_brackets", "e^{iθ_q + mθ} for e^{i(θ_q + mθ)}: a length grows, at m = 3, θ = 1, by",
     "(31)", last_version, missing_brackets_change},
    {"wrong_token", "q = W_q x_n for W_q x_m: scores change by the share", "(32)", last_version,
     wrong_token_change},
    {"last_rows_of_34",
     "last rows (−x_{d−1}, x_d) for (−x_d, x_{d−1}): R_1000 x changes by the share", "(34)",
     "RoFormer's early versions (arXiv v1–v4); v5 is right", last_rows_change},
};

}  // namespace in_misprints
}  // namespace

void misprints(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_misprints;
  std::vector<LayerCase<double>> cases = layer_cases<double>(options);
  std::erase_if(cases, [](const LayerCase<double>& c) { return c.d < 8; });
  Facts facts("the least over d = 8, 32 and " + std::to_string(options.draws) + " draws", claims);
  for (const Note& note : all_notes) {
    Smallest least(std::numeric_limits<double>::infinity());
    for (LayerCase<double>& c : cases) {
      Draw draw(c);
      least.see(note.change(draw));
    }
    facts.see({ClaimKind::note, note.equation, note.edition, {}}, note.name, note.statement,
              least.value());
  }
}

}  // namespace orrery
