#include "experiments/heads/model_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "core/analysis/head_scores.h"
#include "core/attention/multi_head.h"
#include "core/encodings/rope.h"
#include "core/random.h"
#include "core/unknown_name.h"
#include "experiments/heads/model_run.h"
#include "experiments/heads/repeat.h"

namespace orrery {
namespace {

constexpr double no_score = std::numeric_limits<double>::quiet_NaN();

constexpr ScoreKind all_kinds[] = {
    {"previous", "A(i, i−1)", "Weight on the token before."},
    {"next", "A(i, i+1)", "Weight on the token behind; 0 where the model looks back."},
    {"self", "A(i, i)", "Weight on the token itself."},
    {"first", "A(i, 0), i ≥ 16", "Weight on the first token of the text.", false},
    {"duplicate", "Σ A(i, j), t_j = t_i, j < i", "Weight on the same token earlier."},
    {"induction", "A(i, j+1), t_j = t_i, j last", "Weight on what came after the same token."},
    {"entropy", "−Σ A ln A/ln n", "How evenly the weight is spread: 1 for all keys alike."},
    {"mean_distance", "Σ A(i, j) |i − j|", "How far back the weight lies, in tokens.", true, false},
    {"distance_r2", "Var(mean of l by i − j)/Var(l)",
     "Share of the logits' variance that i − j alone explains."},
    {"place", "Σ(d+d')²/(Σ(d+d')²+Σ(d−d')²)",
     "As two keys swap contents, d = l(i, a) − l(i, b) becomes d': 1 by place, 0 by content."},
};

/// The numbers of a head in the order of the kinds.
std::vector<double> numbers_of(const WeightScores& w, double first, double distance_r2,
                               double place) {
  return {w.previous,  w.next,    w.self,          first,       w.duplicate,
          w.induction, w.entropy, w.mean_distance, distance_r2, place};
}

/// Sums the scores of all heads up over passes.
template <class T>
class HeadMeter {
 public:
  /// @param is_whole  with the shares of pairs and of places, which logits alone do not tell
  HeadMeter(const ModelRun<T>& run, bool is_whole)
      : run_(run),
        sums_(static_cast<std::size_t>(run.layer_count() * run.head_count())),
        shares_(is_whole ? sums_.size() : 0),
        swaps_(is_whole && !has_positions_at_embedding() ? sums_.size() : 0),
        q_(static_cast<std::size_t>(run.head_count())),
        k_(q_.size()),
        logits_(q_.size()) {
    for (int l = 0; l < run.layer_count(); ++l) find_pairs(l);
  }

  /// @param random  draws the keys that change contents
  void begin(const std::vector<std::int32_t>& tokens, Random random) {
    earlier_ = std::make_unique<EarlierTokens>(tokens);
    masks_.clear();
    for (int l = 0; l < run_.layer_count(); ++l)
      masks_.push_back(run_.mask_of(l, static_cast<Index>(tokens.size())));
    if (!swaps_.empty()) partners_ = random_partners(random, static_cast<Index>(tokens.size()));
  }

  PassOptions<T> options() {
    return {.probe = {.wants = [this](const Site& site) { return is_read(site); },
                      .see = [this](const Site& site, Index first,
                                    const MatrixIn<T>& rows) { see(site, first, rows); },
                      .heads_at_once = true,
                      .in_sight = true},
            .moved_keys = partners_};
  }

  void add(const HeadMeter& other) {
    for (std::size_t h = 0; h < sums_.size(); ++h) sums_[h].add(other.sums_[h]);
    for (std::size_t h = 0; h < shares_.size(); ++h) shares_[h].add(other.shares_[h]);
    for (std::size_t h = 0; h < swaps_.size(); ++h) swaps_[h].add(other.swaps_[h]);
  }

  HeadScores scores(std::size_t head) const { return sums_[head].scores(); }
  /// In the order of the kinds.
  std::vector<double> all_scores(std::size_t head) const {
    const HeadScores s = scores(head);
    return numbers_of(s.weights, s.first, s.distance_r2,
                      swaps_.empty() ? no_score : swaps_[head].place_share());
  }
  std::vector<double> scores_without_first(std::size_t head) const {
    const HeadScores s = scores(head);
    return numbers_of(s.without_first, no_score, s.distance_r2_without_first,
                      swaps_.empty() ? no_score : swaps_[head].place_share_without_first());
  }
  /// How far two meters are apart in the score place, without the first token.
  double place_apart(const HeadMeter& other, std::size_t head) const {
    if (swaps_.empty()) return no_score;
    return std::abs(swaps_[head].place_share_without_first() -
                    other.swaps_[head].place_share_without_first());
  }
  std::size_t size() const { return sums_.size(); }

  std::vector<double> pair_shares(std::size_t head) const {
    const auto pairs = pairs_.find(static_cast<int>(head) / run_.head_count());
    if (shares_.empty() || pairs == pairs_.end()) return {};
    return shares_[head].by_pair(pairs->second);
  }

 private:
  bool is_read(const Site& site) const {
    switch (site.quantity) {
      case Quantity::queries:
      case Quantity::keys:
        return !shares_.empty() && !site.of_memory;
      case Quantity::logits:
      case Quantity::weights:
        return !site.of_memory;
      case Quantity::moved_logits:
        return !swaps_.empty() && !site.of_memory;
      default:
        return false;
    }
  }

  /// Keys then carry their places, and no content of theirs could be put into another one.
  bool has_positions_at_embedding() const {
    return static_cast<bool>(run_.checkpoint().stack().places.positions);
  }

  /// Queries and keys come before the heads' maps, which come of several heads at once.
  void see(const Site& site, Index first, const MatrixIn<T>& rows) {
    const auto head = static_cast<std::size_t>(site.head);
    if (site.quantity == Quantity::queries) q_[head] = rows;
    if (site.quantity == Quantity::keys) k_[head] = rows;
    if (site.quantity == Quantity::queries || site.quantity == Quantity::keys) return;
    const std::size_t at = static_cast<std::size_t>(site.layer * run_.head_count()) + head;
    if (site.quantity == Quantity::logits) {
      if (first == 0) begin_head(at, site);
      add_logits(at, site, first, rows);
    }
    if (site.quantity == Quantity::weights) sums_[at].add_weights(first, rows);
    if (site.quantity == Quantity::moved_logits) swaps_[at].add_rows(first, logits_[head], rows);
  }

  void begin_head(std::size_t at, const Site& site) {
    const Mask& mask = masks_[static_cast<std::size_t>(site.layer)];
    sums_[at].begin(*earlier_, mask);
    if (has_shares(site.layer)) {
      const AttentionDesign& a = run_.design().attention;
      const int kv_head = HeadGroups(a.heads, a.kv_heads).kv_head(site.head);
      shares_[at].begin(k_[static_cast<std::size_t>(kv_head)], run_.scale_of(site.layer), mask);
    }
    if (!swaps_.empty()) swaps_[at].begin(partners_, mask);
  }

  void add_logits(std::size_t at, const Site& site, Index first, const MatrixIn<T>& rows) {
    const auto head = static_cast<std::size_t>(site.head);
    sums_[at].add_logits(first, rows);
    if (has_shares(site.layer))
      shares_[at].add(first, q_[head].middleRows(first, rows.rows()), rows);
    if (!swaps_.empty()) logits_[head] = rows;
  }

  bool has_shares(int layer) const { return !shares_.empty() && pairs_.count(layer) == 1; }

  /// The channels of the pairs that turn in a layer.
  void find_pairs(int layer) {
    const LayerPlan& plan = run_.layers()[static_cast<std::size_t>(layer)];
    if (plan.encoding != "rope") return;
    const RopeConvention rope = completed(plan.rope);
    std::vector<std::pair<Index, Index>> channels;
    for (Index t = 0; t < pairs_of(rope); ++t) {
      const ChannelPair pair = channels_of(rope, t);
      channels.emplace_back(pair.a, pair.b);
    }
    pairs_[layer] = std::move(channels);
  }

  const ModelRun<T>& run_;
  std::vector<HeadScoreSums<T>> sums_;
  std::vector<ChannelShareSums<T>> shares_;
  std::vector<SwapScoreSums<T>> swaps_;
  std::vector<Index> partners_{};  ///< of the text's keys
  std::unique_ptr<EarlierTokens> earlier_{};
  std::vector<Mask> masks_{};
  std::vector<Matrix<T>> q_, k_;     ///< of the layer at work, by head and by kv head
  std::vector<Matrix<T>> logits_{};  ///< the rows whose moved logits come next, by head
  std::map<int, std::vector<std::pair<Index, Index>>> pairs_{};  ///< by layer
};

template <class T>
void measure_text(ModelRun<T>& run, const std::vector<std::int32_t>& tokens, const Random& random,
                  HeadMeter<T>& meter) {
  meter.begin(tokens, random);
  run.pass(tokens, meter.options());
}

template <class T>
std::vector<ScoreChoice> choices_of(const HeadMeter<T>& choosing, const HeadMeter<T>& testing,
                                    int heads, std::size_t most) {
  std::vector<std::vector<double>> chosen, tested;
  for (std::size_t h = 0; h < choosing.size(); ++h) {
    chosen.push_back(choosing.all_scores(h));
    tested.push_back(testing.all_scores(h));
  }
  std::vector<ScoreChoice> choices;
  for (std::size_t k = 0; k < std::size(all_kinds); ++k) {
    std::vector<int> order;
    for (std::size_t h = 0; h < chosen.size(); ++h)
      if (!std::isnan(chosen[h][k])) order.push_back(static_cast<int>(h));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return chosen[static_cast<std::size_t>(a)][k] > chosen[static_cast<std::size_t>(b)][k];
    });
    ScoreChoice choice{.score = std::string(all_kinds[k].key)};
    for (const int h : order) {
      if (choice.heads.size() == most) break;
      choice.heads.push_back({h / heads, h % heads, chosen[static_cast<std::size_t>(h)][k],
                              tested[static_cast<std::size_t>(h)][k]});
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

template <class T>
HeadRow row_of(const HeadMeter<T>& meter, const HeadMeter<T>* repeated, std::size_t at, int heads) {
  const HeadScores s = meter.scores(at);
  HeadRow row{.layer = static_cast<int>(at) / heads,
              .head = static_cast<int>(at) % heads,
              .scores = meter.all_scores(at),
              .without_first = meter.scores_without_first(at),
              .strongest_distance = s.weights.strongest_distance,
              .by_distance = s.weights.by_distance,
              .by_distance_without_first = s.without_first.by_distance,
              .pair_shares = meter.pair_shares(at),
              .sink_dominates = s.sink_dominates()};
  if (repeated) row.repeated = repeated->all_scores(at);
  return row;
}

/// The table of one model in one precision.
template <class T>
class HeadMeasurement {
 public:
  HeadMeasurement(ModelRun<T>& run, const HeadsRequest& request, Progress& progress)
      : run_(run), request_(request), progress_(progress) {
    passes_ = request.texts.size();
    if (request.repeated > 0) passes_ += static_cast<std::size_t>(request.repeats);
  }

  void fill(HeadTable& table) {
    HeadMeter<T> halves[2] = {{run_, true}, {run_, true}};
    for (std::size_t t = 0; t < request_.texts.size(); ++t) {
      checkpoint(progress_, done_++, passes_, "texts");
      measure_text(run_, request_.texts[t].tokens, drawn("swapped keys", t), halves[t % 2]);
    }
    std::unique_ptr<HeadMeter<T>> repeated = measure_repeated();
    if (request_.texts.size() > 1)
      table.choices = choices_of(halves[0], halves[1], run_.head_count(), request_.chosen);
    std::vector<double> spreads;
    for (std::size_t h = 0; h < halves[0].size(); ++h)
      spreads.push_back(halves[0].place_apart(halves[1], h));
    halves[0].add(halves[1]);
    const HeadScores any = halves[0].scores(0);
    table.queries = any.queries;
    table.induction_queries = any.induction_queries;
    for (std::size_t h = 0; h < halves[0].size(); ++h) {
      table.rows.push_back(row_of(halves[0], repeated.get(), h, run_.head_count()));
      table.rows.back().place_spread = spreads[h];
    }
  }

 private:
  std::unique_ptr<HeadMeter<T>> measure_repeated() {
    if (request_.repeated == 0) return nullptr;
    auto meter = std::make_unique<HeadMeter<T>>(run_, false);
    for (std::int64_t i = 0; i < request_.repeats; ++i) {
      checkpoint(progress_, done_++, passes_, "repeated random tokens");
      measure_text(run_,
                   repeated_tokens(request_.repeated, run_.vocabulary_size(), request_.seed, i),
                   drawn("no swaps", 0), *meter);
    }
    return meter;
  }

  Random drawn(const char* what, std::size_t number) const {
    return {request_.seed, fmt::format("{} {}", what, number)};
  }

  ModelRun<T>& run_;
  const HeadsRequest& request_;
  Progress& progress_;
  std::size_t passes_{0}, done_{0};
};

}  // namespace

std::span<const ScoreKind> score_kinds() { return all_kinds; }

std::size_t score_number(std::string_view key) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::size(all_kinds); ++k) {
    if (all_kinds[k].key == key) return k;
    names.emplace_back(all_kinds[k].key);
  }
  throw_unknown_name(key, "a score of heads", names);
}

HeadTable measure_heads(LiveModel& model, const HeadsRequest& request, Progress& progress) {
  HeadTable table{.model = model.name(),
                  .family = model.family(),
                  .layers = model.layers(),
                  .heads = model.heads(),
                  .texts = request.texts,
                  .repeated = request.repeated,
                  .repeats = request.repeated > 0 ? request.repeats : 0,
                  .seed = request.seed};
  model.with_run(progress, [&](auto& run) { HeadMeasurement(run, request, progress).fill(table); });
  return table;
}

bool has_places(const HeadTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const HeadRow& row) {
    return !std::isnan(row.scores[score_number("place")]);
  });
}

std::vector<double> band_shares(const HeadRow& row) {
  if (row.pair_shares.empty()) return {};
  std::vector<double> bands(mixer_bands, 0.0);
  for (std::size_t t = 0; t < row.pair_shares.size(); ++t)
    bands[mixer_band_of(t, row.pair_shares.size())] += row.pair_shares[t];
  return bands;
}

}  // namespace orrery
