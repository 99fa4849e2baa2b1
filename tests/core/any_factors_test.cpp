// Attention without a map for every way in which an encoding may give its logits: with each subset
// of the factors that it may have, of which the catalogue has some.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/content.h"
#include "core/attention/softmax_attention.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

/// Which factors there are.
struct Parts {
  bool queries{};  ///< q'_m·a_r, q' the query as it is
  bool own{};      ///< q' = 3q in place of that
  bool keys{};     ///< k_n·b_r
  bool numbers{};  ///< c_r
  bool content{};  ///< the content's keys are 2k
  bool values{};   ///< w_r beside the values
  bool hidden{};   ///< and not said to be vectors by distance

  std::string title() const {
    std::string text;
    for (const auto& [has, word] : {std::pair{queries, " queries"},
                                    {own, " own"},
                                    {keys, " keys"},
                                    {numbers, " numbers"},
                                    {content, " content"},
                                    {values, " values"},
                                    {hidden, " hidden"}})
      if (has) text += word;
    return text;
  }
};

constexpr Position clip = 9;  ///< distances beyond share their vectors

double clipped(Position r) { return static_cast<double>(std::clamp(r, -clip, clip)); }

/// q_m·k_n/√d and the parts, of waves of the distance.
template <class T>
class AnyFactors final : public Encoding, public ScoreTerms<T>, public ValueTerm<T> {
 public:
  explicit AnyFactors(const Parts& parts) : parts_(parts) {}

  EncodingTraits traits() const override { return {.relative = true}; }
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override {
    std::vector<ScoreTerm<T>> terms;
    terms.push_back(scaled_content_term<T>(in));
    if (parts_.content) terms.front().logits *= T(2);
    const double scale = score_scale(1, in.q.cols(), in.scoring);
    Matrix<T> added(in.q.rows(), in.k.rows());
    for (Index i = 0; i < added.rows(); ++i)
      for (Index j = 0; j < added.cols(); ++j) {
        const Position r = in.n[static_cast<std::size_t>(j)] - in.m[static_cast<std::size_t>(i)];
        double sum = parts_.numbers ? number(r) : 0.0;
        for (Index c = 0; c < in.q.cols(); ++c) {
          const auto q = static_cast<double>(in.q(i, c)), k = static_cast<double>(in.k(j, c));
          if (parts_.queries) sum += (parts_.own ? 3 * q : q * scale) * of_query(r, c);
          if (parts_.keys) sum += k * of_key(r, c);
        }
        added(i, j) = static_cast<T>(sum);
      }
    terms.push_back({"parts", std::move(added)});
    return terms;
  }
  std::optional<LogitFactors<T>> logit_factors(const ScoreInputs<T>& in,
                                               const Distances& distances) const override {
    LogitFactors<T> out{.q = scaled_queries<T>(in.q, score_scale(1, in.q.cols(), in.scoring))};
    if (parts_.content) out.k = in.k * T(2);
    if (parts_.queries) {
      out.by_query = vectors(in.q.cols(), &AnyFactors::of_query);
      if (parts_.own) out.q_of_distance = in.q * T(3);
    }
    if (parts_.keys) out.by_key = vectors(in.q.cols(), &AnyFactors::of_key);
    if (parts_.numbers) {
      out.bias.resize(1, distances.count);
      for (Index i = 0; i < distances.count; ++i)
        out.bias(0, i) = static_cast<T>(number(distances.first + i));
    }
    return out;
  }
  void add_to_output(const ValueInputs<T>& in, MatrixOut<T> out) const override {
    if (!parts_.values) return;
    for (Index i = 0; i < out.rows(); ++i)
      for (Index j = 0; j < in.v.rows(); ++j)
        for (Index c = 0; c < out.cols(); ++c)
          out(i, c) +=
              in.weights(i, j) *
              static_cast<T>(of_value(
                  in.n[static_cast<std::size_t>(j)] - in.m[static_cast<std::size_t>(i)], c));
  }
  std::optional<DistanceVectors<T>> value_vectors(const Distances&) const override {
    if (parts_.hidden) return std::nullopt;
    if (!parts_.values) return DistanceVectors<T>{};
    return vectors(channels_of_values, &AnyFactors::of_value);
  }
  void add_score_gradients(const ScoreInputs<T>&, const MatrixIn<T>&,
                           const ScoreGradients<T>&) const override {}
  void add_value_gradients(const ValueInputs<T>&, const MatrixIn<T>&, MatrixOut<T>, MatrixOut<T>,
                           Tables&) const override {}

  static constexpr Index channels_of_values = 11;

 private:
  static double number(Position r) { return std::cos(static_cast<double>(r)); }
  static double of_query(Position r, Index c) {
    return std::sin(0.3 * clipped(r) + static_cast<double>(c));
  }
  static double of_key(Position r, Index c) {
    return std::cos(0.2 * clipped(r) - static_cast<double>(c)) / 4;
  }
  static double of_value(Position r, Index c) {
    return std::sin(0.1 * clipped(r) * static_cast<double>(c + 1));
  }
  static DistanceVectors<T> vectors(Index channels, double (*of)(Position, Index)) {
    DistanceVectors<T> out{.rows = Matrix<T>(2 * clip + 1, channels), .first = -clip};
    for (Index i = 0; i < out.rows.rows(); ++i)
      for (Index c = 0; c < channels; ++c) out.rows(i, c) = static_cast<T>(of(out.first + i, c));
    return out;
  }

  Parts parts_;
};

std::vector<Parts> all_parts() {
  std::vector<Parts> all;
  for (unsigned bits = 0; bits < 128; ++bits) {
    const auto has = [&](unsigned place) { return (bits >> place & 1U) != 0; };
    if (has(1) && !has(0)) continue;  // q' is of the vectors by query
    if (has(6) && !has(5)) continue;  // there is something to hide
    all.push_back({has(0), has(1), has(2), has(3), has(4), has(5), has(6)});
  }
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("Every subset of factors gives without a map what it gives with one", "", float,
                   double) {
  using T = TestType;
  const double bound = sizeof(T) == 8 ? 1e-11 : 1e-4;
  for (const Parts& parts : all_parts()) {
    const AnyFactors<T> encoding(parts);
    const auto doors = SoftmaxDoors<T>::of(encoding);
    for (const auto& [queries, keys, first] : {std::tuple{Index{1}, Index{1}, Position{0}},
                                               {Index{7}, Index{19}, Position{-4}},
                                               {Index{70}, Index{130}, Position{40}},
                                               {Index{130}, Index{35}, Position{-20}}}) {
      Random random(5, "any factors");
      const Matrix<T> q = normal_matrix<T>(random, queries, 8),
                      k = normal_matrix<T>(random, keys, 8),
                      v = normal_matrix<T>(random, keys, AnyFactors<T>::channels_of_values);
      const Positions m = consecutive_positions(queries, first), n = consecutive_positions(keys);
      for (const Mask& mask : {Mask(), Mask::causal(m, n), Mask::sliding_window(m, n, 12)}) {
        INFO(parts.title() << ", " << queries << " queries from " << first << ", " << keys
                           << " keys");
        CHECK(largest_difference(softmax_attention<T>({q, k, v, m, n}, doors, mask).output,
                                 attention_output<T>({q, k, v, m, n}, doors, mask).output) < bound);
      }
    }
  }
}
