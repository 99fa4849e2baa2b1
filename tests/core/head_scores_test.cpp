#include "core/analysis/head_scores.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "core/attention/softmax_attention.h"
#include "core/encodings/rope.h"
#include "core/random.h"

using namespace orrery;

namespace {

constexpr Index length = 40;

/// Half a text, and the same again.
std::vector<std::int32_t> repeated(Index half) {
  std::vector<std::int32_t> tokens;
  for (int copy = 0; copy < 2; ++copy)
    for (Index i = 0; i < half; ++i) tokens.push_back(static_cast<std::int32_t>(3 + 7 * i));
  return tokens;
}

/// The scores of one map over one text, its rows in parts.
HeadScores scores_of(const std::vector<std::int32_t>& tokens, const Matrix<double>& weights,
                     const Matrix<double>& logits) {
  const EarlierTokens earlier(tokens);
  const Positions at = consecutive_positions(static_cast<Index>(tokens.size()));
  const Mask mask = Mask::causal(at, at);
  HeadScoreSums<double> sums;
  sums.begin(earlier, mask);
  for (Index first = 0; first < weights.rows(); first += 7) {
    const Index count = std::min<Index>(7, weights.rows() - first);
    sums.add_logits(first, logits.middleRows(first, count));
    sums.add_weights(first, weights.middleRows(first, count));
  }
  return sums.scores();
}

/// A head each of whose queries looks at one key.
Matrix<double> looking_at(Index n, const std::function<Index(Index)>& key) {
  Matrix<double> weights = Matrix<double>::Zero(n, n);
  for (Index i = 0; i < n; ++i) weights(i, key(i)) = 1;
  return weights;
}

HeadScores scores_of(const std::function<Index(Index)>& key) {
  const Matrix<double> weights = looking_at(length, key);
  return scores_of(repeated(length / 2), weights, weights);
}

Matrix<double> uniform(Index n) {
  Matrix<double> weights = Matrix<double>::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    weights.row(i).head(i + 1).setConstant(1.0 / static_cast<double>(i + 1));
  return weights;
}

}  // namespace

TEST_CASE("A head of the token before has the score 1 in that, and 0 in all others") {
  const HeadScores scores = scores_of([](Index i) { return std::max<Index>(i - 1, 0); });
  CHECK(scores.weights.previous == 1);
  CHECK(scores.weights.self == 0);
  CHECK(scores.weights.next == 0);
  CHECK(scores.weights.duplicate == 0);
  CHECK(scores.weights.induction == 0);
  CHECK(scores.first == 0);
  CHECK(scores.weights.entropy == 0);
  CHECK(scores.weights.mean_distance == 1);
  CHECK(scores.weights.strongest_distance == 1);
  CHECK(scores.weights.by_distance[1] == 1);
  CHECK(scores.weights.by_distance[0] == 0);
  CHECK_FALSE(scores.sink_dominates());
  CHECK(scores.queries == length - 1);
}

TEST_CASE("A head of its own token, and one of the first") {
  const HeadScores self = scores_of([](Index i) { return i; });
  CHECK(self.weights.self == 1);
  CHECK(self.weights.previous == 0);
  CHECK(self.weights.mean_distance == 0);
  const HeadScores first = scores_of([](Index) { return 0; });
  CHECK(first.first == 1);
  CHECK(first.sink_dominates());
  CHECK(first.weights.previous == Approx(1.0 / (length - 1)));  // of query 1
  CHECK(std::isnan(first.without_first.previous));
  CHECK(std::isnan(first.without_first.entropy));
}

TEST_CASE("Heads of the same token and of the token after it, on a text that repeats") {
  const Index half = length / 2;
  const auto same = [&](Index i) { return i < half ? 0 : i - half; };
  const HeadScores duplicate = scores_of(same);
  CHECK(duplicate.weights.duplicate == 1);
  CHECK(duplicate.weights.induction == 0);
  CHECK(duplicate.duplicate_queries == half);
  const HeadScores induction = scores_of([&](Index i) { return i < half ? 0 : i - half + 1; });
  CHECK(induction.weights.induction == 1);
  CHECK(induction.weights.duplicate == 0);
  CHECK(induction.induction_queries == half);
  CHECK(induction.weights.strongest_distance == half - 1);
}

TEST_CASE("A token that follows itself has no token after it to copy") {
  const EarlierTokens earlier(std::vector<std::int32_t>{5, 5, 6, 5});
  CHECK(earlier.last == std::vector<Index>{-1, 0, -1, 1});
  CHECK(earlier.induction_key(1) == -1);
  CHECK(earlier.induction_key(3) == 2);
}

TEST_CASE("Weights all alike have the entropy 1, with the first token and without") {
  const Matrix<double> weights = uniform(length);
  const HeadScores scores = scores_of(repeated(length / 2), weights, weights);
  CHECK(scores.weights.entropy == Approx(1).epsilon(1e-12));
  CHECK(scores.without_first.entropy == Approx(1).epsilon(1e-12));
  double distance = 0;  // of query i the mean of 0 … i
  for (Index i = 1; i < length; ++i) distance += 0.5 * static_cast<double>(i);
  CHECK(scores.weights.mean_distance == Approx(distance / (length - 1)).epsilon(1e-12));
}

TEST_CASE("Half of the weight on the first token halves a score, and not what is left of it") {
  Matrix<double> weights = looking_at(length, [](Index i) { return std::max<Index>(i - 1, 0); });
  weights *= 0.5;
  weights.col(0).array() += 0.5;
  const HeadScores scores = scores_of(repeated(length / 2), weights, weights);
  CHECK(scores.first == 0.5);
  CHECK(scores.weights.previous == Approx((0.5 * (length - 2) + 1) / (length - 1)));
  CHECK(scores.without_first.previous == 1);
  CHECK(scores.without_first.entropy == Approx(0).margin(1e-14));
  CHECK(scores.without_first.mean_distance == Approx(1));
  CHECK(scores.without_first.by_distance[1] == Approx(1));
  CHECK(scores.weights.by_distance[1] == Approx(0.5));
}

TEST_CASE("R² is 1 for logits of distances alone, 0 where their means by distance are equal") {
  Matrix<double> by_distance(length, length), by_token(length, length);
  for (Index i = 0; i < length; ++i)
    for (Index j = 0; j < length; ++j) {
      by_distance(i, j) = 100 + std::cos(0.3 * static_cast<double>(i - j));
      // Signs alternate along a diagonal, whose last cell is 0 where their number is odd.
      const bool is_last_of_odd = (length - (i - j)) % 2 == 1 && i == length - 1;
      by_token(i, j) = is_last_of_odd ? 0 : (j % 2 == 0 ? 1 : -1);
    }
  const Matrix<double> weights = uniform(length);
  const auto tokens = repeated(length / 2);
  const HeadScores distance = scores_of(tokens, weights, by_distance);
  CHECK(distance.distance_r2 == Approx(1).epsilon(1e-9));
  CHECK(distance.distance_r2_without_first == Approx(1).epsilon(1e-9));
  CHECK(scores_of(tokens, weights, by_token).distance_r2 == Approx(0).margin(1e-12));
  const Matrix<double> constant = Matrix<double>::Constant(length, length, 2.5);
  CHECK(std::isnan(scores_of(tokens, weights, constant).distance_r2));
}

TEST_CASE("A sink hides from R² what the other keys tell") {
  Matrix<double> logits(length, length);
  for (Index i = 0; i < length; ++i)
    for (Index j = 0; j < length; ++j)
      logits(i, j) = j == 0 ? 30 : std::cos(0.3 * static_cast<double>(i - j));
  const HeadScores scores = scores_of(repeated(length / 2), uniform(length), logits);
  CHECK(scores.distance_r2_without_first == Approx(1).epsilon(1e-9));
  CHECK(scores.distance_r2 < 0.5);
}

TEST_CASE("Texts add up, also of other lengths, as if each query counted once") {
  const Index half = length / 2;
  const auto tokens = repeated(half);
  const std::vector<std::int32_t> shorter(tokens.begin(), tokens.begin() + half);
  HeadScoreSums<double> sums;
  const auto add = [&](const std::vector<std::int32_t>& text, const Matrix<double>& weights) {
    const EarlierTokens earlier(text);
    const Positions at = consecutive_positions(weights.rows());
    const Mask mask = Mask::causal(at, at);
    sums.begin(earlier, mask);
    sums.add_logits(0, weights);
    sums.add_weights(0, weights);
  };
  add(shorter, looking_at(half, [](Index i) { return i; }));
  add(tokens, looking_at(length, [](Index i) { return std::max<Index>(i - 1, 0); }));
  const HeadScores scores = sums.scores();
  CHECK(scores.queries == half - 1 + length - 1);
  CHECK(scores.weights.self == Approx(static_cast<double>(half - 1) / (half - 1 + length - 1)));
  CHECK(scores.weights.previous ==
        Approx(static_cast<double>(length - 1) / (half - 1 + length - 1)));
  // Both texts have logits 1 on one diagonal and 0 elsewhere: distances explain a part.
  CHECK(scores.distance_r2 > 0.5);
  CHECK(scores.distance_r2 < 1);
}

TEST_CASE("A NaN in a map makes the scores that read it NaN") {
  Matrix<double> weights = uniform(length);
  weights(20, 3) = std::numeric_limits<double>::quiet_NaN();
  const HeadScores scores = scores_of(repeated(length / 2), weights, weights);
  CHECK(std::isnan(scores.weights.entropy));
  CHECK(std::isnan(scores.weights.mean_distance));
  CHECK(std::isnan(scores.distance_r2));
  CHECK(scores.weights.self == Approx(uniform(length).diagonal().tail(length - 1).mean()));
}

TEST_CASE("Shares of channels are covariances with the logits, cell by cell") {
  Random random(11, "channel shares");
  const Index n = 23, d = 8;
  const double scale = 0.37;
  const Matrix<double> q = normal_matrix<double>(random, n, d),
                       k = normal_matrix<double>(random, n, d);
  const Positions at = consecutive_positions(n);
  const Mask mask = Mask::causal(at, at);
  Matrix<double> logits = scale * q * k.transpose();
  for (Index i = 0; i < n; ++i) logits.row(i).array() += 0.2 * static_cast<double>(i);  // a rest
  ChannelShareSums<double> sums;
  sums.begin(k, scale, mask);
  sums.add(0, q.topRows(10), logits.topRows(10));
  sums.add(10, q.bottomRows(n - 10), logits.bottomRows(n - 10));
  double mean = 0, cells = 0, variance = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) mean += logits(i, j), cells += 1;
  mean /= cells;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) variance += std::pow(logits(i, j) - mean, 2);
  const std::vector<double> shares = sums.by_channel();
  for (Index c = 0; c < d; ++c) {
    double covariance = 0;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j)
        covariance += scale * q(i, c) * k(j, c) * (logits(i, j) - mean);
    CHECK(shares[static_cast<std::size_t>(c)] == Approx(covariance / variance).epsilon(1e-9));
  }
}

TEST_CASE("A head that reads one pair of RoPE has its share 1, and the others 0") {
  const Index n = 50, d = 8;
  const Rope<double> rope({.d_head = d, .pairing = RopePairing::half_split, .base = 100.0});
  const TurningPairs pairs = rope.turning_pairs();
  for (std::size_t t = 0; t < pairs.channels.size(); ++t) {
    Matrix<double> x = Matrix<double>::Zero(n, d);
    x.col(pairs.channels[t].first).setOnes();
    const Positions at = consecutive_positions(n);
    rope.transform_queries(at, x);
    const Mask mask = Mask::causal(at, at);
    const Matrix<double> logits = 0.5 * x * x.transpose();
    ChannelShareSums<double> sums;
    sums.begin(x, 0.5, mask);
    sums.add(0, x, logits);
    const std::vector<double> shares = sums.by_pair(pairs.channels);
    for (std::size_t u = 0; u < shares.size(); ++u)
      CHECK(shares[u] == Approx(u == t ? 1 : 0).margin(1e-10));
  }
}

TEST_CASE("Keys that no query of the rows sees need not be there") {
  const Index n = 50;
  Random random(5, "rows of a head");
  const Matrix<double> logits = normal_matrix<double>(random, n, n, 1),
                       moved = normal_matrix<double>(random, n, n, 1),
                       q = normal_matrix<double>(random, n, 8, 1),
                       k = normal_matrix<double>(random, n, 8, 1);
  const Positions at = consecutive_positions(n);
  const EarlierTokens earlier(repeated(n / 2));
  const std::vector<Index> partners = random_partners(random, n);
  for (const Mask& mask :
       {Mask::causal(at, at), Mask::causal(at, at) & Mask::sliding_window(at, at, 6)}) {
    AttentionOutput<double> map;
    map.logits = logits;
    masked_softmax(mask, map);
    std::vector<HeadScores> scores;
    std::vector<std::vector<double>> shares;
    std::vector<double> places;
    for (const bool is_cut : {false, true}) {
      HeadScoreSums<double> sums;
      ChannelShareSums<double> of_channels;
      SwapScoreSums<double> swaps;
      sums.begin(earlier, mask);
      of_channels.begin(k, 1, mask);
      swaps.begin(partners, mask);
      for (Index first = 0; first < n; first += 10) {
        const Index keys = is_cut ? first + 10 : n;
        const MatrixIn<double> rows = logits.block(first, 0, 10, keys);
        sums.add_logits(first, rows);
        sums.add_weights(first, map.weights.block(first, 0, 10, keys));
        of_channels.add(first, q.middleRows(first, 10), rows);
        swaps.add_rows(first, rows, moved.block(first, 0, 10, keys));
      }
      scores.push_back(sums.scores());
      shares.push_back(of_channels.by_channel());
      places.push_back(swaps.place_share_without_first());
    }
    CHECK(scores[0].weights.next == 0);
    CHECK(scores[1].weights.next == 0);
    CHECK(scores[1].first == scores[0].first);
    CHECK(scores[1].distance_r2 == scores[0].distance_r2);
    CHECK(scores[1].weights.entropy == scores[0].weights.entropy);
    CHECK(scores[1].weights.mean_distance == scores[0].weights.mean_distance);
    CHECK(scores[1].weights.induction == scores[0].weights.induction);
    CHECK(scores[1].weights.by_distance == scores[0].weights.by_distance);
    CHECK(scores[1].without_first.by_distance == scores[0].without_first.by_distance);
    CHECK(places[1] == places[0]);
    for (std::size_t c = 0; c < shares[0].size(); ++c)
      CHECK(shares[1][c] == Approx(shares[0][c]).epsilon(1e-12));
  }
}
