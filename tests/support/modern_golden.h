#pragma once

#include <catch2/catch.hpp>

#include <string>

#include "core/attention/head.h"
#include "tests/support/golden.h"

namespace orrery::test {

/// The tokens of modern.json, for one of its encodings.
template <class T>
struct ModernGolden {
  nlohmann::json file = golden("modern.json");
  Matrix<T> q{matrix_of<T>(file.at("inputs").at("q"))};
  Matrix<T> k{matrix_of<T>(file.at("inputs").at("k"))};
  Matrix<T> v{matrix_of<T>(file.at("inputs").at("v"))};
  Positions at{file.at("inputs").at("positions").template get<Positions>()};
  int heads{file.at("inputs").at("heads")};
  int head{file.at("inputs").at("head")};

  const nlohmann::json& of(const std::string& name) const { return file.at("cases").at(name); }

  AttentionOutput<T> attend(const Encoding& encoding) const {
    return attention_from_qkv<T>(encoding, {q, k, v, at, at, head}, Mask::causal(at, at));
  }

  /// Logits, where the method has any, and weights and output of causal attention.
  void check(const Encoding& encoding, const nlohmann::json& expected) const {
    const double tolerance = sizeof(T) == 8 ? 1e-12 : 2e-5;
    const AttentionOutput<T> out = attend(encoding);
    for (Index i = 0; i < out.logits.rows(); ++i)
      for (Index j = 0; j < out.logits.cols(); ++j) {
        const auto& logit =
            expected.at("logits").at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
        if (logit.is_null()) continue;
        INFO("query " << i << ", key " << j);
        CHECK(static_cast<double>(out.logits(i, j)) ==
              Approx(logit.template get<double>()).margin(tolerance).epsilon(tolerance));
      }
    CHECK(largest_difference(out.weights, matrix_of<T>(expected.at("weights"))) < tolerance);
    CHECK(largest_difference(out.output, matrix_of<T>(expected.at("output"))) < 10 * tolerance);
  }
};

/// [rows, columns] of doubles.
inline Matrix<double> doubles(const nlohmann::json& rows) { return matrix_of<double>(rows); }

/// The logits of a whole map of tokens.
template <class T>
Matrix<T> logits_of(const Encoding& encoding, const Matrix<T>& q, const Matrix<T>& k,
                    const Positions& m, const Positions& n, int head = 0) {
  return attention_from_qkv<T>(encoding, {q, k, k, m, n, head}).logits;
}

}  // namespace orrery::test
