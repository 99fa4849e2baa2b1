// `orrery verify` must hold for the core, and must fail for a core that is wrong.
#include <catch2/catch.hpp>

#include <cmath>
#include <set>

#include "core/encodings/deberta.h"
#include "core/encodings/rope.h"
#include "experiments/verify/cases.h"
#include "experiments/verify/claims.h"

using namespace orrery;
using namespace orrery::verify;

TEST_CASE("Every claim holds, whatever the seed") {
  SilentProgress progress;
  for (const std::int64_t seed : {0, 1, 2}) {
    for (const Claim& claim : verify_paper({.seed = seed, .draws = 1}, progress)) {
      INFO("seed " << seed << ": " << claim.check.name << " " << claim.check.measured << " against "
                   << claim.check.bound);
      CHECK(claim.check.holds());
    }
  }
}

TEST_CASE("Claims are complete: names distinct, statements and equations said, numbers finite") {
  SilentProgress progress;
  std::set<std::string> names;
  std::set<std::string> equations;
  for (const Claim& claim : verify_paper({.draws = 1}, progress)) {
    INFO(claim.check.name);
    CHECK(names.insert(claim.check.name).second);
    CHECK_FALSE(claim.check.statement.empty());
    CHECK_FALSE(claim.detail.empty());
    CHECK(std::isfinite(claim.check.measured));
    equations.insert(claim.check.equation);
  }
  for (const char* number : {"(2)", "(3)", "(4)", "(5)", "(6)", "(7)", "(8)", "(9)", "(10)", "(11)",
                             "(13)", "(16)", "(17)", "(18)", "(19)", "(34)", "(36)", "(37)"})
    CHECK(equations.count(number) == 1);
}

TEST_CASE("A RoPE with its pairing swapped, or turning backwards, is caught") {
  const double bound = rounding_bound<double>();
  CHECK(rotation_error(Rope<double>({.d_head = 8}), 8, 1) < bound);
  CHECK(rotation_error(Rope<double>({.d_head = 8, .pairing = RopePairing::half_split}), 8, 1) >
        0.1);
  CHECK(rotation_error(Rope<double>({.d_head = 8, .base = 1000}), 8, 1) > 0.1);

  class Backwards final : public QkTransform<double> {
   public:
    void transform_queries(PositionsIn m, MatrixOut<double> q) const override {
      Positions mirrored(m.begin(), m.end());
      for (Position& p : mirrored) p = -p;
      rope_.transform_queries(mirrored, q);
    }
    void transform_keys(PositionsIn n, MatrixOut<double> k) const override {
      transform_queries(n, k);
    }

   private:
    Rope<double> rope_{{.d_head = 8}};
  };
  CHECK(rotation_error(Backwards(), 8, 1) > 0.1);
}

TEST_CASE("A DeBERTa with δ flipped is caught, though every law holds for it") {
  Random random(1, "mutation");
  const Matrix<double> table = normal_matrix<double>(random, 6, 4);
  const Matrix<double> one = Matrix<double>::Identity(4, 4);
  const auto made = [&](DebertaIndex index) {
    return Deberta<double>({table, one, one, 4}, {.span = 3, .index = index});
  };
  CHECK(deberta_error(made(DebertaIndex::paper), table, 3, 1) < rounding_bound<double>());
  CHECK(deberta_error(made(DebertaIndex::code), table, 3, 1) > 0.1);
}

TEST_CASE("A disagreement that is NaN is not overlooked") {
  Matrix<double> a = Matrix<double>::Ones(2, 2);
  const Matrix<double> b = a;
  a(1, 0) = std::nan("");
  CHECK(std::isnan(disagreement(a, b)));
  Worst worst;
  worst.see(disagreement(a, b));
  worst.see(1.0);
  CHECK(std::isnan(worst.value()));
}

TEST_CASE("Equations, properties and errata are measured in fp64 and in fp32 alike") {
  SilentProgress progress;
  std::set<std::string> names;
  for (const Claim& claim : verify_paper({.draws = 1}, progress)) names.insert(claim.check.name);
  for (const std::string& name : names) {
    const bool single = name.size() > 5 && name.substr(name.size() - 5) == "_fp32";
    if (single) CHECK(names.count(name.substr(0, name.size() - 5) + "_fp64") == 1);
  }
  for (const char* name :
       {"shaw_sign", "shaw_behind_W_k", "biases_behind_W_q", "t5_over_root_d", "tupe_as_printed",
        "deberta_as_printed", "one_distance_for_both", "base_1000", "index_origin", "equal_rows",
        "sign_of_m_minus_n", "missing_transpose", "missing_brackets", "wrong_token",
        "last_rows_of_34", "realisations", "norm_kept", "any_length", "linear_rope_is_relative"})
    for (const char* precision : {"_fp64", "_fp32"})
      CHECK(names.count(std::string(name) + precision) == 1);
}
