#include "experiments/heads/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/errors.h"
#include "experiments/heads/model_run.h"

namespace orrery {
namespace {

struct PatchedQuantity {
  Quantity quantity;
  const char* name;
};
constexpr PatchedQuantity by_position[] = {{Quantity::hidden, "hidden"},
                                           {Quantity::attention, "attention"},
                                           {Quantity::feed_forward, "feed_forward"}};

void check_texts(const PatchRequest& request) {
  const std::size_t a = request.clean.tokens.size(), b = request.corrupted.tokens.size();
  if (a != b)
    throw UsageError(fmt::format("{} clean and {} corrupted tokens", a, b),
                     "both texts have as many, so that a position means the same",
                     "change words for others of as many tokens; see orrery tokens");
  if (request.clean.tokens == request.corrupted.tokens)
    throw UsageError("the corrupted text", "is the clean one, so nothing would differ",
                     "change a word");
}

template <class T>
class Patching {
 public:
  Patching(ModelRun<T>& run, const PatchRequest& request, PatchResult& result, Progress& progress)
      : run_(run), request_(request), result_(result), progress_(progress) {
    check_texts(request);
  }

  void run() {
    clean_ = run_and_keep(request_.clean.tokens);
    corrupted_ = run_and_keep(request_.corrupted.tokens);
    choose_tokens();
    result_.clean_difference = difference_of(clean_logits_);
    result_.corrupted_difference = difference_of(corrupted_logits_);
    if (clean_logits_ == corrupted_logits_)
      throw UsageError("the corrupted text", "does not reach the last token",
                       "change a word that the model sees from there");
    if (result_.corrupted_difference == result_.clean_difference)
      throw UsageError("the corrupted text", "leaves the logits of answer and foil as far apart",
                       "name others with answer= and foil=");
    const auto n = static_cast<Index>(request_.clean.tokens.size());
    passes_ = run_.layer_count() * ((request_.positions ? std::ssize(by_position) * n : 0) +
                                    (request_.heads ? run_.head_count() : 0));
    if (request_.positions)
      for (const PatchedQuantity& one : by_position)
        fill(one.name, n, [&](int layer, Index position) {
          return rows_of({one.quantity, layer}, {position});
        });
    if (!request_.heads) return;
    std::vector<Index> all;
    for (Index i = 0; i < n; ++i) all.push_back(i);
    fill("head_output", run_.head_count(), [&](int layer, Index head) {
      return rows_of({Quantity::head_output, layer, static_cast<int>(head)}, all);
    });
  }

 private:
  using Place = std::tuple<Quantity, int, int>;
  using Kept = std::map<Place, Matrix<T>>;

  /// What a run has at every place that is patched, and its logits behind the last token.
  Kept run_and_keep(const std::vector<std::int32_t>& tokens) {
    Kept kept;
    const Matrix<T> hidden = run_.pass(
        tokens, {.probe = {.wants =
                               [this](const Site& site) {
                                 const bool of_head = site.quantity == Quantity::head_output;
                                 const bool of_row = site.quantity == Quantity::hidden ||
                                                     site.quantity == Quantity::attention ||
                                                     site.quantity == Quantity::feed_forward;
                                 return of_row || (of_head && request_.heads);
                               },
                           .see =
                               [&](const Site& site, Index, const MatrixIn<T>& rows) {
                                 kept[{site.quantity, site.layer, site.head}] = rows;
                               }}});
    (kept_clean_ ? corrupted_logits_ : clean_logits_) = run_.logits({}, hidden.bottomRows(1));
    kept_clean_ = true;
    return kept;
  }

  void choose_tokens() {
    const auto chosen = [&](std::int32_t given, const Matrix<T>& logits, const char* key,
                            std::int32_t other) {
      run_.require_token(given, key);
      if (given >= 0) return given;
      const std::vector<std::int32_t> most = most_probable(probabilities_of<T>(logits, 0), 2);
      return most.front() == other ? most.back() : most.front();
    };
    result_.answer = chosen(request_.answer, clean_logits_, "answer", -1);
    result_.foil = chosen(request_.foil, corrupted_logits_, "foil", result_.answer);
    if (result_.answer == result_.foil)
      throw UsageError(fmt::format("answer and foil {}", result_.answer), "are one token",
                       "give another with foil=");
  }

  double difference_of(const Matrix<T>& logits) const {
    return static_cast<double>(logits(0, result_.answer)) -
           static_cast<double>(logits(0, result_.foil));
  }

  Patch<T> rows_of(const Site& site, std::vector<Index> tokens) const {
    const Matrix<T>& from = corrupted_.at({site.quantity, site.layer, site.head});
    Patch<T> patch{.site = site, .rows = Matrix<T>(static_cast<Index>(tokens.size()), from.cols())};
    for (std::size_t i = 0; i < tokens.size(); ++i)
      patch.rows.row(static_cast<Index>(i)) = from.row(tokens[i]);
    patch.tokens = std::move(tokens);
    return patch;
  }

  template <class PatchAt>
  void fill(const char* name, Index columns, const PatchAt& patch_at) {
    PatchMap map{.quantity = name,
                 .rows = static_cast<std::size_t>(run_.layer_count()),
                 .columns = static_cast<std::size_t>(columns)};
    const double whole = result_.corrupted_difference - result_.clean_difference;
    for (int layer = 0; layer < run_.layer_count(); ++layer) {
      for (Index column = 0; column < columns; ++column) {
        checkpoint(progress_, static_cast<double>(result_.passes) / static_cast<double>(passes_),
                   name);
        PassEdits<T> edits;
        edits.patches.push_back(patch_at(layer, column));
        const Matrix<T> hidden =
            run_.pass(request_.clean.tokens, {.edits = &edits,
                                              .hidden = &clean_.at({Quantity::hidden, layer, 0}),
                                              .first_layer = layer});
        const double patched = difference_of(run_.logits({}, hidden.bottomRows(1)));
        map.effect.push_back((patched - result_.clean_difference) / whole);
        ++result_.passes;
      }
    }
    result_.maps.push_back(std::move(map));
  }

  ModelRun<T>& run_;
  const PatchRequest& request_;
  PatchResult& result_;
  Progress& progress_;
  std::int64_t passes_{};  ///< in all
  bool kept_clean_{false};
  Kept clean_{}, corrupted_{};
  Matrix<T> clean_logits_{}, corrupted_logits_{};  ///< [1, vocabulary]
};

}  // namespace

PatchResult patch_activations(LiveModel& model, const PatchRequest& request, Progress& progress) {
  PatchResult result{.model = model.name(),
                     .family = model.family(),
                     .clean = request.clean,
                     .corrupted = request.corrupted};
  model.with_run(progress, [&](auto& run) { Patching(run, request, result, progress).run(); });
  return result;
}

std::uint64_t patch_bytes(const LiveModel& model, const PatchRequest& request) {
  const std::size_t tokens = request.clean.tokens.size();
  // The residual stream, what attention and what feed-forward add to it.
  const auto states = 3 * static_cast<std::size_t>(model.layers()) + 1;
  return 2 * (model.bytes_of_states(states, tokens) +
              (request.heads ? model.bytes_of_head_outputs(tokens) : 0));
}

std::vector<std::int32_t> patch_ids(const PatchResult& result) {
  std::vector<std::int32_t> ids = result.clean.tokens;
  ids.insert(ids.end(), result.corrupted.tokens.begin(), result.corrupted.tokens.end());
  ids.push_back(result.answer);
  ids.push_back(result.foil);
  return ids;
}

}  // namespace orrery
