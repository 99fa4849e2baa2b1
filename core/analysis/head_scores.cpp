#include "core/analysis/head_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace orrery {
namespace {

/// Less than this beside the first token is rounding.
constexpr double least_rest = 1e-6;

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

/// Adds to the front and the back of numbers by distance what a longer text needs, `wanted` in all.
void widen(std::vector<double>& by_distance, std::size_t wanted) {
  if (by_distance.size() >= wanted) return;
  const std::size_t more = (wanted - by_distance.size()) / 2;
  by_distance.insert(by_distance.begin(), by_distance.empty() ? 0 : more, 0.0);
  by_distance.resize(wanted, 0.0);
}

/// a ← a + b, whose middles stand for the same distance.
void add_by_distance(std::vector<double>& a, const std::vector<double>& b) {
  widen(a, b.size());
  const std::size_t first = (a.size() - b.size()) / 2;
  for (std::size_t at = 0; at < b.size(); ++at) a[first + at] += b[at];
}

/// a ← a + b, number by number.
void add_numbers(std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < b.size()) a.resize(b.size(), 0.0);
  for (std::size_t at = 0; at < b.size(); ++at) a[at] += b[at];
}

}  // namespace

EarlierTokens::EarlierTokens(std::span<const std::int32_t> tokens) : last(tokens.size(), -1) {
  std::unordered_map<std::int32_t, Index> seen;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto at = seen.find(tokens[i]);
    if (at != seen.end()) last[i] = at->second;
    seen[tokens[i]] = static_cast<Index>(i);
  }
}

Index EarlierTokens::induction_key(Index i) const {
  const Index same = last[static_cast<std::size_t>(i)];
  return same >= 0 && same + 1 < i ? same + 1 : -1;
}

template <class T>
double HeadScoreSums<T>::Mean::value() const {
  return count == 0 ? undefined : sum / static_cast<double>(count);
}

template <class T>
void HeadScoreSums<T>::begin(const EarlierTokens& tokens, const Mask& mask) {
  tokens_ = &tokens;
  mask_ = &mask;
  const auto n = static_cast<Index>(tokens.last.size());
  longest_ = std::max<Index>(longest_, n);
  for (Sums* sums : {&all_, &without_first_}) {
    const auto distances =
        std::max<std::size_t>(sums->by_distance.size(), static_cast<std::size_t>(n / 2));
    sums->by_distance.resize(distances, 0.0);
    sums->queries.resize(distances, 0.0);
  }
  distances_.resize(static_cast<std::size_t>(2 * longest_));
  for (Index at = 0; at < 2 * longest_; ++at)
    distances_[static_cast<std::size_t>(at)] = static_cast<T>(std::abs(at - longest_ + 1));
  grow(first_column_);
  grow(other_columns_);
}

template <class T>
void HeadScoreSums<T>::grow(LogitSums& sums) const {
  widen(sums.sum, static_cast<std::size_t>(2 * longest_ - 1));
  widen(sums.count, static_cast<std::size_t>(2 * longest_ - 1));
}

template <class T>
typename HeadScoreSums<T>::Query HeadScoreSums<T>::query_of(Index i, const T* row,
                                                            Index keys) const {
  using Row = Eigen::Array<T, 1, Eigen::Dynamic>;
  const VisibleKeys seen = mask_->keys_of(i, keys);
  Query query{.i = i, .weights = Eigen::Map<const Row>(row, keys)};
  query.first = static_cast<double>(row[0]);
  query.seen = seen.end - seen.first;
  query.sees_first = seen.first == 0;
  const Eigen::Map<const Row> in_sight(row + seen.first, query.seen);
  // 0 ln 0 is 0; the smallest number keeps a NaN, which max would drop.
  constexpr T least = std::numeric_limits<T>::min();
  query.entropy = -static_cast<double>((in_sight * (in_sight + least).log()).sum());
  const Eigen::Map<const Row> r(distances_.data() + (seen.first - i + longest_ - 1), query.seen);
  query.distance = static_cast<double>((in_sight * r).sum());
  return query;
}

template <class T>
void HeadScoreSums<T>::add_query(const Query& query, bool without_first, Sums& sums) {
  const Index i = query.i;
  const double rest = without_first ? 1 - query.first : 1;
  if (rest < least_rest) return;
  const double part = 1 / rest;
  const auto of = [&](Index j) {
    const bool is_left_out = (without_first && j == 0) || j >= query.weights.size();
    return is_left_out ? 0 : static_cast<double>(query.weights(j)) * part;
  };
  const Index keys = length();
  if (i >= 1) sums.previous.add(of(i - 1));
  if (i + 1 < keys) sums.next.add(of(i + 1));
  if (i >= 1) sums.self.add(of(i));
  double same = 0;
  for (Index j = tokens_->last[static_cast<std::size_t>(i)]; j >= 0;
       j = tokens_->last[static_cast<std::size_t>(j)])
    same += of(j);
  if (tokens_->last[static_cast<std::size_t>(i)] >= 0) sums.duplicate.add(same);
  if (const Index key = tokens_->induction_key(i); key >= 0) sums.induction.add(of(key));
  // −Σ A' ln A' = −Σ A ln A/(1 − A_i0) + ln(1 − A_i0), over j ≥ 1.
  const bool drops = without_first && query.first > 0;
  const double entropy =
      (query.entropy + (drops ? query.first * std::log(query.first) : 0)) / rest + std::log(rest);
  const Index seen = query.seen - (without_first && query.sees_first ? 1 : 0);
  if (seen >= 2) sums.entropy.add(entropy / std::log(static_cast<double>(seen)));
  const double of_first = without_first ? query.first * static_cast<double>(i) : 0;
  if (i >= 1) sums.distance.add((query.distance - of_first) / rest);
  const Index reach = keys / 2;
  if (i < reach) return;
  // i − r ≥ 1: the first token is beyond these distances. Keys behind the row have the weight 0.
  const Index unseen = std::clamp<Index>(i + 1 - query.weights.size(), 0, reach);
  const auto behind = query.weights.segment(i - reach + 1, reach - unseen).reverse();
  Eigen::Map<Eigen::ArrayXd>(sums.by_distance.data() + unseen, reach - unseen) +=
      behind.transpose().template cast<double>() * part;
  Eigen::Map<Eigen::ArrayXd>(sums.queries.data(), reach) += 1;
}

template <class T>
void HeadScoreSums<T>::add_weights(Index first, const MatrixIn<T>& rows) {
  for (Index row = 0; row < rows.rows(); ++row) {
    const Query query = query_of(first + row, rows.data() + row * rows.outerStride(), rows.cols());
    if (query.i >= first_scored_query) first_.add(query.first);
    add_query(query, false, all_);
    add_query(query, true, without_first_);
  }
}

template <class T>
void HeadScoreSums<T>::add_logits(Index first, const MatrixIn<T>& rows) {
  for (Index row = 0; row < rows.rows(); ++row) {
    const Index i = first + row;
    VisibleKeys seen = mask_->keys_of(i, rows.cols());
    const auto add = [&](LogitSums& sums, Index key, Index count) {
      const Index at = key - i + longest_ - 1;
      const auto logits = rows.row(row).segment(key, count).transpose().template cast<double>();
      Eigen::Map<Eigen::VectorXd>(sums.sum.data() + at, count) += logits;
      Eigen::Map<Eigen::ArrayXd>(sums.count.data() + at, count) += 1;
      sums.squares += logits.squaredNorm();
    };
    if (seen.first == 0 && seen.end > 0) {
      add(first_column_, 0, 1);
      seen.first = 1;
    }
    add(other_columns_, seen.first, seen.end - seen.first);
  }
}

template <class T>
void HeadScoreSums<T>::Sums::add(const Sums& other) {
  previous.add(other.previous);
  next.add(other.next);
  self.add(other.self);
  duplicate.add(other.duplicate);
  induction.add(other.induction);
  entropy.add(other.entropy);
  distance.add(other.distance);
  add_numbers(by_distance, other.by_distance);
  add_numbers(queries, other.queries);
}

template <class T>
void HeadScoreSums<T>::LogitSums::add(const LogitSums& other) {
  add_by_distance(sum, other.sum);
  add_by_distance(count, other.count);
  squares += other.squares;
}

template <class T>
void HeadScoreSums<T>::add(const HeadScoreSums& other) {
  first_.add(other.first_);
  all_.add(other.all_);
  without_first_.add(other.without_first_);
  first_column_.add(other.first_column_);
  other_columns_.add(other.other_columns_);
  longest_ = std::max<Index>(longest_, other.longest_);
}

template <class T>
WeightScores HeadScoreSums<T>::scores_of(const Sums& sums) {
  WeightScores scores{.previous = sums.previous.value(),
                      .next = sums.next.value(),
                      .self = sums.self.value(),
                      .duplicate = sums.duplicate.value(),
                      .induction = sums.induction.value(),
                      .entropy = sums.entropy.value(),
                      .mean_distance = sums.distance.value()};
  for (std::size_t r = 0; r < sums.by_distance.size(); ++r) {
    const double weight = sums.queries[r] > 0 ? sums.by_distance[r] / sums.queries[r] : undefined;
    scores.by_distance.push_back(weight);
    const bool larger =
        weight > scores.by_distance[static_cast<std::size_t>(scores.strongest_distance)];
    if (r >= 1 && (scores.strongest_distance == 0 || larger))
      scores.strongest_distance = static_cast<Position>(r);
  }
  return scores;
}

template <class T>
double HeadScoreSums<T>::r2(const LogitSums& a, const LogitSums* b) {
  double sum = 0, count = 0, between = 0;
  for (std::size_t at = 0; at < a.sum.size(); ++at) {
    const double s = a.sum[at] + (b ? b->sum[at] : 0), n = a.count[at] + (b ? b->count[at] : 0);
    if (n == 0) continue;
    sum += s;
    count += n;
    between += s * s / n;
  }
  const double squares = a.squares + (b ? b->squares : 0);
  const double mean = sum * sum / count;
  const double total = squares - mean;
  // What is left of equal numbers is rounding.
  return total <= squares * count * std::numeric_limits<double>::epsilon()
             ? undefined
             : (between - mean) / total;
}

template <class T>
HeadScores HeadScoreSums<T>::scores() const {
  return {.first = first_.value(),
          .weights = scores_of(all_),
          .without_first = scores_of(without_first_),
          .distance_r2 = r2(other_columns_, &first_column_),
          .distance_r2_without_first = r2(other_columns_, nullptr),
          .queries = all_.previous.count,
          .induction_queries = all_.induction.count,
          .duplicate_queries = all_.duplicate.count};
}

template <class T>
void ChannelShareSums<T>::begin(const MatrixIn<T>& k, double scale, const Mask& mask) {
  k_ = std::make_shared<const PackedValues<T>>(k);
  scale_ = scale;
  mask_ = &mask;
  with_logits_.resize(static_cast<std::size_t>(k.cols()), 0.0);
  alone_.resize(static_cast<std::size_t>(k.cols()), 0.0);
  k_sums_.resize(k.rows() + 1, k.cols());
  k_sums_.row(0).setZero();
  for (Index j = 0; j < k.rows(); ++j) k_sums_.row(j + 1) = k_sums_.row(j) + k.row(j);
}

template <class T>
void ChannelShareSums<T>::add(Index first, const MatrixIn<T>& q, const MatrixIn<T>& logits) {
  Matrix<T> in_sight = Matrix<T>::Zero(logits.rows(), logits.cols());
  const Mask mask = mask_->of_queries(first, logits.rows(), logits.cols());
  for (Index row = 0; row < logits.rows(); ++row) {
    const VisibleKeys seen = mask.keys_of(row, logits.cols());
    const Index count = seen.end - seen.first;
    const auto own = logits.row(row).segment(seen.first, count);
    in_sight.row(row).segment(seen.first, count) = own;
    const auto wide = own.template cast<double>();
    sum_ += wide.sum();
    squares_ += wide.squaredNorm();
    count_ += static_cast<double>(count);
  }
  const Matrix<T> with_logits = weighted_values<T>(in_sight, *k_, true, mask);
  const auto channels = static_cast<Index>(alone_.size());
  Eigen::Map<Eigen::Array<double, 1, Eigen::Dynamic>> with(with_logits_.data(), channels),
      alone(alone_.data(), channels);
  for (Index row = 0; row < logits.rows(); ++row) {
    const VisibleKeys seen = mask.keys_of(row, logits.cols());
    const auto of_row = q.row(row).array().template cast<double>() * scale_;
    with += of_row * with_logits.row(row).array().template cast<double>();
    alone +=
        of_row * (k_sums_.row(seen.end) - k_sums_.row(seen.first)).array().template cast<double>();
  }
}

template <class T>
void ChannelShareSums<T>::add(const ChannelShareSums& other) {
  add_numbers(with_logits_, other.with_logits_);
  add_numbers(alone_, other.alone_);
  sum_ += other.sum_;
  squares_ += other.squares_;
  count_ += other.count_;
}

template <class T>
std::vector<double> ChannelShareSums<T>::by_channel() const {
  const double variance = squares_ - sum_ * sum_ / count_;
  const bool varies =
      variance > squares_ * count_ * static_cast<double>(std::numeric_limits<double>::epsilon());
  std::vector<double> shares;
  for (std::size_t c = 0; c < alone_.size(); ++c)
    shares.push_back(varies ? (with_logits_[c] - alone_[c] * sum_ / count_) / variance : undefined);
  return shares;
}

template <class T>
std::vector<double> ChannelShareSums<T>::by_pair(
    std::span<const std::pair<Index, Index>> channels) const {
  const std::vector<double> of = by_channel();
  std::vector<double> shares;
  for (const auto& [a, b] : channels)
    shares.push_back(of[static_cast<std::size_t>(a)] + of[static_cast<std::size_t>(b)]);
  return shares;
}

template class HeadScoreSums<float>;
template class HeadScoreSums<double>;
template class ChannelShareSums<float>;
template class ChannelShareSums<double>;

std::vector<Index> random_partners(Random& random, Index n) {
  const std::vector<Index> order = random_order(random, n);
  std::vector<Index> partners(order.size());
  std::iota(partners.begin(), partners.end(), Index{0});
  for (std::size_t at = 0; at + 1 < order.size(); at += 2) {
    partners[static_cast<std::size_t>(order[at])] = order[at + 1];
    partners[static_cast<std::size_t>(order[at + 1])] = order[at];
  }
  return partners;
}

template <class T>
void SwapScoreSums<T>::begin(std::span<const Index> partners, const Mask& mask) {
  pairs_.clear();
  for (std::size_t b = 0; b < partners.size(); ++b)
    if (partners[b] < static_cast<Index>(b)) pairs_.push_back({partners[b], static_cast<Index>(b)});
  mask_ = &mask;
}

template <class T>
void SwapScoreSums<T>::add_rows(Index first, const MatrixIn<T>& logits, const MatrixIn<T>& moved) {
  for (Index row = 0; row < logits.rows(); ++row) {
    const VisibleKeys seen = mask_->keys_of(first + row, logits.cols());
    const T* before = logits.data() + row * logits.outerStride();
    const T* after = moved.data() + row * moved.outerStride();
    for (const Pair& pair : pairs_) {
      if (pair.b >= seen.end) break;
      if (pair.a < seen.first) continue;
      const double d = static_cast<double>(before[pair.a] - before[pair.b]);
      const double of_moved = static_cast<double>(after[pair.a] - after[pair.b]);
      Sums& sums = pair.a == 0 ? with_first_ : others_;
      sums.places += (d + of_moved) * (d + of_moved);
      sums.contents += (d - of_moved) * (d - of_moved);
      const double size = static_cast<double>(before[pair.a]);
      sums.squares += size * size;
    }
  }
}

template <class T>
void SwapScoreSums<T>::Sums::add(const Sums& other) {
  places += other.places;
  contents += other.contents;
  squares += other.squares;
}

template <class T>
double SwapScoreSums<T>::Sums::share() const {
  // A product of 64 channels is rounded a few times its last digit.
  constexpr double rounding = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double all = places + contents;
  return all <= squares * rounding * rounding ? std::numeric_limits<double>::quiet_NaN()
                                              : places / all;
}

template <class T>
void SwapScoreSums<T>::add(const SwapScoreSums& other) {
  with_first_.add(other.with_first_);
  others_.add(other.others_);
}

template <class T>
double SwapScoreSums<T>::place_share() const {
  Sums all = with_first_;
  all.add(others_);
  return all.share();
}

template <class T>
double SwapScoreSums<T>::place_share_without_first() const {
  return others_.share();
}

template class SwapScoreSums<float>;
template class SwapScoreSums<double>;

}  // namespace orrery
