// `orrery verify` must hold for the core, and must fail for a core that is wrong.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/encodings/deberta.h"
#include "core/encodings/rope.h"
#include "experiments/verify/cases.h"
#include "experiments/verify/claims.h"

using namespace orrery;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

const std::vector<Claim>& all_claims() {
  static const std::vector<Claim> claims = [] {
    SilentProgress progress;
    return verify_paper({.draws = 1}, progress);
  }();
  return claims;
}

/// Turns by minus the angle.
class Backwards final : public QkTransform<double> {
 public:
  void transform_queries(PositionsIn m, MatrixOut<double> q) const override {
    rope_.transform_queries(mirrored(m), q);
  }
  void transform_keys(PositionsIn n, MatrixOut<double> k) const override {
    transform_queries(n, k);
  }
  void pull_queries_back(PositionsIn m, const MatrixIn<double>& q, MatrixOut<double> d_q,
                         Tables& d_tables) const override {
    rope_.pull_queries_back(mirrored(m), q, d_q, d_tables);
  }
  void pull_keys_back(PositionsIn n, const MatrixIn<double>& k, MatrixOut<double> d_k,
                      Tables& d_tables) const override {
    pull_queries_back(n, k, d_k, d_tables);
  }

 private:
  static Positions mirrored(PositionsIn m) {
    Positions out(m.begin(), m.end());
    for (Position& p : out) p = -p;
    return out;
  }

  Rope<double> rope_{{.d_head = 8}};
};

/// Loses one number.
class OneNan final : public QkTransform<double> {
 public:
  void transform_queries(PositionsIn m, MatrixOut<double> q) const override {
    rope_.transform_queries(m, q);
    q(1, 3) = not_a_number;
  }
  void transform_keys(PositionsIn n, MatrixOut<double> k) const override {
    transform_queries(n, k);
  }
  void pull_queries_back(PositionsIn m, const MatrixIn<double>& q, MatrixOut<double> d_q,
                         Tables& d_tables) const override {
    rope_.pull_queries_back(m, q, d_q, d_tables);
  }
  void pull_keys_back(PositionsIn n, const MatrixIn<double>& k, MatrixOut<double> d_k,
                      Tables& d_tables) const override {
    rope_.pull_keys_back(n, k, d_k, d_tables);
  }

 private:
  Rope<double> rope_{{.d_head = 8}};
};

/// Eq. (34): how far `rope`, made for d and the paper's base, is from R_m x.
double rotation_error(const QkTransform<double>& rope, Index d, std::int64_t seed) {
  Random random(seed, "rotation_error");
  const Positions at{0, 1, 7, 1000};
  const Rows x = normal_matrix<double>(random, static_cast<Index>(at.size()), d);
  Rows y = x;
  rope.transform_queries(at, y);
  return relative_error<double>(y, literal::turned(x, at, literal::whole(d)));
}

/// Eq. (10): how far an encoding's logits are from DeBERTa's with this table, span k and W =
/// identity.
double deberta_error(const Encoding& encoding, const Matrix<double>& table, Position k,
                     std::int64_t seed) {
  const Index d = table.cols();
  Random random(seed, "deberta_error");
  const Rows q = normal_matrix<double>(random, 5, d), key = normal_matrix<double>(random, 5, d);
  const Positions at{0, 1, 2, 5, 9};
  const auto row = [k](Position r) { return literal::deberta_delta(r, k); };
  return relative_error<double>(
      attention_from_qkv<double>(encoding, {q, key, key, at, at}).logits,
      literal::sum_of(literal::deberta({q, key, key, at, at}, {table, table, row},
                                       literal::DebertaTables::Form::paper)));
}

}  // namespace

TEST_CASE("Every claim holds, whatever the seed") {
  SilentProgress progress;
  for (const std::int64_t seed : {0, 1, 2}) {
    for (const Claim& claim : verify_paper({.seed = seed, .draws = 1}, progress)) {
      INFO("seed " << seed << ": " << claim.check.name << " " << claim.check.measured << " against "
                   << claim.check.bound);
      CHECK((claim.check.holds() || !claim.counted()));
    }
  }
}

TEST_CASE("Claims are complete: names distinct, statements and equations said, numbers finite") {
  std::set<std::string> names;
  std::set<std::string> equations;
  for (const Claim& claim : all_claims()) {
    INFO(claim.check.name);
    CHECK(names.insert(claim.check.name).second);
    CHECK_FALSE(claim.check.statement.empty());
    CHECK(std::isfinite(claim.check.measured));
    if (claim.kind == ClaimKind::roformer) {
      CHECK_FALSE(claim.check.equation.empty());
      equations.insert(claim.check.equation);
    }
  }
  for (const char* number :
       {"(2)",  "(3)",  "(4)",  "(5)",  "(6)",  "(7)",  "(8)",  "(9)",  "(10)", "(12)", "(13)",
        "(14)", "(15)", "(16)", "(17)", "(18)", "(19)", "(34)", "(35)", "(36)", "(37)"})
    CHECK(equations.count(number) == 1);
}

TEST_CASE("A cited equation names its paper and where RoFormer prints something else") {
  for (const Claim& claim : all_claims()) {
    if (claim.kind != ClaimKind::cited) continue;
    INFO(claim.check.name);
    CHECK_FALSE(claim.source.empty());
  }
  std::map<std::string, ClaimKind> kinds;
  for (const Claim& claim : all_claims()) kinds[claim.base_name] = claim.kind;
  // What Shaw, Dai, Ke and He define, and what RoFormer prints of it, are different claims.
  for (const char* cited :
       {"shaw_logits", "transformer_xl_logits", "tupe_logits", "deberta_logits"})
    CHECK(kinds.at(cited) == ClaimKind::cited);
  for (const char* printed : {"printed_relative_keys", "printed_expansion_logits",
                              "printed_untied_logits", "printed_disentangled_logits"})
    CHECK(kinds.at(printed) == ClaimKind::roformer);
}

TEST_CASE("A note is measured, names the edition that has the slip, and is not counted") {
  std::size_t notes = 0;
  for (const Claim& claim : all_claims()) {
    if (claim.kind != ClaimKind::note) continue;
    INFO(claim.check.name);
    ++notes;
    CHECK_FALSE(claim.counted());
    CHECK_FALSE(claim.source.empty());
    CHECK(claim.check.measured > 1e-3);
    if (claim.base_name == "base_1000" || claim.base_name == "equal_rows")
      CHECK(claim.source.find("copies") != std::string::npos);
    if (claim.base_name == "last_rows_of_34")
      CHECK(claim.source.find("v1–v4") != std::string::npos);
  }
  CHECK(notes == 16);
}

TEST_CASE("Every claim about an arithmetic is made of fp64 and of fp32") {
  // Analysis of decay and differences are in fp64 alone.
  const std::set<std::string> fp64_only{
      "pair_products", "phasor_sums", "score_of_pairs", "abel_left", "abel_right",
      "largest_step",  "bound",       "share_of_bound", "figure_2",  "sum_of_cosines"};
  std::map<std::string, std::set<std::string>> precisions;
  for (const Claim& claim : all_claims()) precisions[claim.base_name].insert(claim.precision);
  for (const auto& [name, of] : precisions) {
    INFO(name);
    if (of.count("") == 1) continue;  // whole numbers, facts and notes
    CHECK(of.count("fp64") == 1);
    const bool fp64_alone = fp64_only.count(name) == 1 || name.ends_with("_derivative");
    CHECK(of.count("fp32") == (fp64_alone ? 0 : 1));
  }
}

TEST_CASE("A RoPE with its pairing swapped, its base changed, or turning backwards is caught") {
  const double bound = rounding_bound<double>(8) + angle_bound(1000);
  CHECK(rotation_error(Rope<double>({.d_head = 8}), 8, 1) < bound);
  CHECK(rotation_error(Rope<double>({.d_head = 8, .pairing = RopePairing::half_split}), 8, 1) >
        0.1);
  CHECK(rotation_error(Rope<double>({.d_head = 8, .base = 1000}), 8, 1) > 0.1);
  CHECK(rotation_error(Backwards(), 8, 1) > 0.1);
}

TEST_CASE("A DeBERTa with δ flipped is caught, though every law holds for it") {
  Random random(1, "mutation");
  const Matrix<double> table = normal_matrix<double>(random, 6, 4);
  const Matrix<double> one = Matrix<double>::Identity(4, 4);
  const auto made = [&](DebertaIndex index) {
    return Deberta<double>({table, one, one, 4}, {.span = 3, .index = index});
  };
  CHECK(deberta_error(made(DebertaIndex::paper), table, 3, 1) < 1e-14);
  CHECK(deberta_error(made(DebertaIndex::code), table, 3, 1) > 0.1);
}

TEST_CASE("A NaN in any cell fails a claim, whatever is measured before and after it") {
  CHECK(std::isnan(rotation_error(OneNan(), 8, 1)));
  const Paper paper{ClaimKind::roformer, "(0)"};
  const Rows expected = Rows::Ones(2, 3);
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 3; ++j) {
      Matrix<double> library = expected;
      library(i, j) = not_a_number;
      std::vector<Claim> claims;
      Ledger<double> ledger("", claims);
      ledger.compare(paper, "one", "a claim", expected, expected, 1e-15);
      ledger.compare(paper, "one", "a claim", library, expected, 1e-15);
      ledger.compare(paper, "one", "a claim", Matrix<double>::Zero(2, 3), expected, 1e-15);
      REQUIRE(claims.size() == 1);
      CHECK_FALSE(claims[0].check.holds());
      CHECK(std::isnan(claims[0].check.measured));
    }
  }
}

TEST_CASE("A claim keeps the case nearest to failing") {
  const Paper paper{ClaimKind::roformer, "(0)"};
  std::vector<Claim> claims;
  Ledger<float> ledger("", claims);
  ledger.see(paper, "one", "a claim", 0.0, 1.0);
  ledger.see(paper, "one", "a claim", 3.0, 4.0);
  ledger.see(paper, "one", "a claim", 5.0, 10.0);
  REQUIRE(claims.size() == 1);
  CHECK(claims[0].check.measured == 3.0);
  CHECK(claims[0].check.bound == 4.0);
  CHECK(claims[0].check.holds());
  ledger.see(paper, "one", "a claim", 2.0, 1.0);
  ledger.see(paper, "one", "a claim", 0.0, 1.0);
  CHECK_FALSE(claims[0].check.holds());
}

TEST_CASE("A claim without tolerance fails by any of its cases") {
  const Paper paper{ClaimKind::roformer, "(0)"};
  std::vector<Claim> claims;
  Ledger<float> ledger("", claims);
  for (const double measured : {0.0, 1e-9, 0.0}) ledger.see(paper, "one", "a claim", measured, 0);
  REQUIRE(claims.size() == 1);
  CHECK(claims[0].check.measured == 1e-9);
  CHECK_FALSE(claims[0].check.holds());
}

TEST_CASE("A term under another name, a term too many and a matrix of another shape fail") {
  const Paper paper{ClaimKind::roformer, "(0)"};
  const Rows ones = Rows::Ones(2, 2);
  const literal::Terms expected{{"content", ones}, {"linear_bias", ones}};
  const auto failing = [&](const AttentionOutput<double>& out) {
    std::set<std::string> names;
    std::vector<Claim> claims;
    Ledger<double> ledger("", claims);
    ledger.compare_terms(paper, "x", {"content", "bias"}, out, expected, 1e-15);
    for (const Claim& claim : claims)
      if (!claim.check.holds()) names.insert(claim.base_name);
    return names;
  };
  AttentionOutput<double> out;
  out.terms = {{"content", ones}, {"linear_bias", ones}};
  out.logits = 2 * ones;
  CHECK(failing(out).empty());
  out.terms[1].name = "relative_bias";
  CHECK(failing(out) == std::set<std::string>{"x_linear_bias"});
  out.terms = {{"content", ones}, {"linear_bias", ones}, {"position", ones}};
  CHECK(failing(out) == std::set<std::string>{"x_logits"});
  out.terms.pop_back();
  out.logits = Rows::Ones(2, 3);
  CHECK(failing(out) == std::set<std::string>{"x_logits"});
}
