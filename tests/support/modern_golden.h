#pragma once

#include <catch2/catch.hpp>

#include <string>

#include "core/attention/head.h"
#include "tests/support/golden.h"

namespace orrery::test {

/// The tokens of modern.json, for one of its encodings.
template <class T>
struct ModernGolden {
  static constexpr double tolerance = sizeof(T) == 8 ? 1e-12 : 2e-5;
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
    const AttentionOutput<T> out = attend(encoding);
    check_logits(out.logits, expected.at("logits"));
    check_output(out, expected);
  }

  /// Weights and output alone.
  void check_attended(const Encoding& encoding, const nlohmann::json& expected) const {
    check_output(attend(encoding), expected);
  }

  static void check_output(const AttentionOutput<T>& out, const nlohmann::json& expected) {
    CHECK(largest_difference(out.weights, matrix_of<T>(expected.at("weights"))) < tolerance);
    CHECK(largest_difference(out.output, matrix_of<T>(expected.at("output"))) < 10 * tolerance);
  }

  static void check_logits(const Matrix<T>& found, const nlohmann::json& rows) {
    for (Index i = 0; i < found.rows(); ++i)
      for (Index j = 0; j < found.cols(); ++j) {
        const auto& logit = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
        if (logit.is_null()) continue;
        INFO("query " << i << ", key " << j);
        CHECK(static_cast<double>(found(i, j)) ==
              Approx(logit.template get<double>()).margin(tolerance).epsilon(tolerance));
      }
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
