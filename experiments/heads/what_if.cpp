#include "experiments/heads/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "core/analysis/largest.h"
#include "core/attention/multi_head.h"
#include "core/errors.h"
#include "experiments/heads/model_run.h"
#include "experiments/heads/seen_head.h"

namespace orrery {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

std::set<HeadPlace> heads_named(const std::vector<std::string>& texts, int layers, int heads) {
  std::set<HeadPlace> places;
  for (const std::string& text : texts) {
    const std::vector<HeadPlace> named = parse_heads(text);
    for (const HeadPlace& place : named)
      if (place.layer >= layers || place.head >= heads)
        throw UsageError(fmt::format("head {}.{}", place.layer, place.head),
                         fmt::format("the model has {} layers of {} heads", layers, heads),
                         "name a head that it has");
    places.merge(single_heads(named, heads));
  }
  return places;
}

/// Of the largest weights of the c × c cells of an N × N map: what some of its rows add. Row and
/// column i are of cell ⌊i c/N⌋.
template <class T>
void add_cells(const MatrixIn<T>& rows, Index first, Index n, Index c, float* cells) {
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index cell = 0, from = 0; cell < c; ++cell) {
      const Index end = ((cell + 1) * n + c - 1) / c;
      Largest largest(static_cast<double>(cells[(first + i) * c / n * c + cell]));
      for (Index j = from; j < end; ++j) largest.see(static_cast<double>(rows(i, j)));
      cells[(first + i) * c / n * c + cell] = static_cast<float>(largest.value());
      from = end;
    }
}

/// What a pass hands on to the edited one, and what is compared.
template <class T>
class SideBySide {
 public:
  SideBySide(ModelRun<T>& run, const WhatIfRequest& request, WhatIf& result, Progress& progress)
      : run_(run),
        request_(request),
        result_(result),
        progress_(progress),
        edits_(parse_edits(request.edits)),
        changes_(static_cast<std::size_t>(run.layer_count() * run.head_count()), 0.0) {
    for (const Edit& edit : edits_) result.edits.push_back(edit_text(edit));
    result.first_layer = first_edited_layer(edits_, run.layer_count());
    kept_ = heads_named(request.maps, run.layer_count(), run.head_count());
    corpus_means_ = corpus_means<T>(run, edits_, request.corpus);
    if (!request.terms.empty()) ask_for_terms();
  }

  void run() {
    for (std::size_t t = 0; t < request_.texts.size(); ++t) {
      checkpoint(progress_, t, request_.texts.size(), "texts");
      compare(request_.texts[t], t == 0);
    }
    finish();
  }

 private:
  void compare(const ModelText& text, bool is_first) {
    const auto n = static_cast<Index>(text.tokens.size());
    KeptPass<T> own;
    if (is_first) begin_cells(n);
    const KeptPass<T>& before = passed(text.tokens, own, is_first);
    TextEffect effect{.name = text.name, .tokens = text.tokens, .before = before.losses};
    if (is_first) show_unedited(before);
    if (edits_.empty())
      effect.after = before.losses;
    else
      compare_edited(before, is_first, effect);
    if (is_first && told_apart_) tell_apart(before);
    if (run_.predicts_next() && edits_.empty()) effect.next = next_tokens(before.next, before.next);
    result_.texts.push_back(std::move(effect));
  }

  void compare_edited(const KeptPass<T>& before, bool is_first, TextEffect& effect) {
    const auto n = static_cast<Index>(before.tokens.size());
    PassEdits<T> edits = run_.edits_of(edits_, n);
    edits.corpus_means = corpus_means_;
    const int first = result_.first_layer;
    const Matrix<T> after =
        run_.pass(before.tokens, {.probe = edited_probe(before, is_first),
                                  .edits = &edits,
                                  .hidden = first > 0 ? &before.hidden.at(first) : nullptr,
                                  .first_layer = first});
    for (const auto& [place, map] : after_) add_map("after", place, map);
    after_.clear();
    add_changes(n);
    if (!run_.predicts_next()) return;
    Matrix<T> last;
    effect.after = run_.losses(edits_, after, before.tokens, &last);
    effect.next = next_tokens(before.next, probabilities_of<T>(last, 0));
  }

  /// How far a text's maps have moved joins that of the texts before.
  void add_changes(Index queries) {
    all_changes_.resize(changes_.size());
    for (std::size_t h = 0; h < changes_.size(); ++h)
      all_changes_[h].push_back(std::exchange(changes_[h], 0));
    queries_.push_back(static_cast<double>(queries));
  }

  /// The head whose logits are told apart, if they are a sum.
  void ask_for_terms() {
    const std::set<HeadPlace> places =
        heads_named({request_.terms}, run_.layer_count(), run_.head_count());
    if (places.size() != 1)
      throw UsageError("terms of " + request_.terms, "are those of one head", "name one");
    const HeadPlace place = *places.begin();
    for (const Edit& edit : edits_)  // it turns other pairs than those of the layer's encoding
      if (edit.kind == EditKind::defect && edit.acts_in(place.layer)) return;
    const AttentionDesign& a = run_.design().attention;
    if (run_.has_terms(place.layer))
      told_apart_.emplace(place, HeadGroups(a.heads, a.kv_heads).kv_head(place.head));
  }

  bool is_edited(const HeadPlace& place) const {
    return !edits_.empty() && place.layer >= result_.first_layer;
  }

  void tell_apart(const KeptPass<T>& before) {
    const int layer = told_apart_->place().layer;
    if (!is_edited(told_apart_->place())) {
      // The pass from the layer itself on, or all in front of it.
      const auto own = before.hidden.find(layer);
      const bool has_own = own != before.hidden.end();
      run_.pass(before.tokens,
                {.probe = {.wants = [this](const Site& site) { return told_apart_->wants(site); },
                           .see =
                               [this](const Site& site, Index first, const MatrixIn<T>& rows) {
                                 told_apart_->see(site, first, rows);
                               }},
                 .hidden = has_own ? &own->second : nullptr,
                 .first_layer = has_own ? layer : 0,
                 .end_layer = layer + 1});
    }
    const SeenHead<T>& head = *told_apart_;
    const auto n = static_cast<Index>(before.tokens.size());
    const double softcap = edited_design(run_.design(), edits_).attention.softcap;
    const std::string& encoding = run_.layers()[static_cast<std::size_t>(layer)].encoding;
    result_.terms =
        encoding == "rope"
            ? head.terms(run_.turning_pairs(layer, edits_, n), run_.scale_of(layer, edits_),
                         softcap)
            : head.terms(encoding, run_.score_terms(head.place(), edits_, head.q(), head.k()),
                         softcap);
  }

  /// The model's own pass over a text: the kept one, or into `own`.
  const KeptPass<T>& passed(const std::vector<std::int32_t>& tokens, KeptPass<T>& own,
                            bool is_first) {
    if (!request_.keeps_pass) run_.kept_pass() = {};
    KeptPass<T>& pass = request_.keeps_pass ? run_.kept_pass() : own;
    if (pass.tokens == tokens) return pass;
    pass = {};
    pass.last = run_.pass(tokens, {.probe = own_probe(pass, is_first)});
    if (run_.predicts_next()) {
      Matrix<T> last;
      pass.losses = run_.losses({}, pass.last, tokens, &last);
      pass.next = probabilities_of<T>(last, 0);
    }
    pass.tokens = tokens;  // last: a pass that was stopped is none
    return pass;
  }

  /// Whether a head's map is shown or compared with the edited one.
  bool asks_for_map(const HeadPlace& place) const {
    const bool compared = is_edited(place) && (request_.heads || request_.cells > 0);
    return compared || kept_.count(place) == 1;
  }

  /// Whether the model's own map waits for the edited one, or for another question.
  bool keeps_own(const HeadPlace& place) const {
    return request_.keeps_pass || asks_for_map(place);
  }

  Probe<T> own_probe(KeptPass<T>& pass, bool is_first) {
    return {.wants =
                [this, is_first](const Site& site) {
                  if (site.quantity == Quantity::hidden)
                    return request_.keeps_pass || site.layer == result_.first_layer;
                  const bool in_cells = is_first && request_.cells > 0;
                  return site.quantity == Quantity::weights &&
                         (in_cells || keeps_own({site.layer, site.head}));
                },
            .see =
                [this, &pass, is_first](const Site& site, Index first, const MatrixIn<T>& rows) {
                  const HeadPlace place{site.layer, site.head};
                  if (site.quantity == Quantity::hidden)
                    pass.hidden[site.layer] = rows;
                  else if (keeps_own(place))
                    put_rows(map_of(pass.weights, place), first, rows);
                  else if (is_first)
                    see_cells(place, first, rows);
                },
            .heads_at_once = true};
  }

  Probe<T> edited_probe(const KeptPass<T>& before, bool is_first) {
    const bool tells = is_first && told_apart_;
    return {.wants =
                [this, tells](const Site& site) {
                  const bool is_map = site.quantity == Quantity::weights;
                  return (is_map && asks_for_map({site.layer, site.head})) ||
                         (tells && told_apart_->wants(site));
                },
            .see =
                [this, &before, is_first](const Site& site, Index first, const MatrixIn<T>& rows) {
                  if (site.quantity != Quantity::weights) {
                    told_apart_->see(site, first, rows);
                    return;
                  }
                  const HeadPlace place{site.layer, site.head};
                  const auto& own = before.weights.at(place).middleRows(first, rows.rows());
                  // Of more numbers than a row of T may add up.
                  changes_[at(place)] +=
                      0.5 * (own - rows).template cast<double>().array().abs().sum();
                  if (!is_first) return;
                  if (kept_.count(place) == 1) put_rows(map_of(after_, place), first, rows);
                  see_cells(place, first, rows);
                },
            .heads_at_once = true};
  }

  /// One of several maps that heads are adding to at once.
  Matrix<T>& map_of(std::map<HeadPlace, Matrix<T>>& maps, const HeadPlace& place) {
    const std::lock_guard lock(adding_);
    return maps[place];
  }

  static void put_rows(Matrix<T>& map, Index first, const MatrixIn<T>& rows) {
    if (first == 0) map.resize(rows.cols(), rows.cols());
    map.middleRows(first, rows.rows()) = rows;
  }

  void begin_cells(Index n) {
    side_ = std::min<Index>(n, static_cast<Index>(request_.cells));
    small_.assign(changes_.size() * static_cast<std::size_t>(side_ * side_), 0.0F);
  }

  /// Small maps gain rows of a head's map.
  void see_cells(const HeadPlace& place, Index first, const MatrixIn<T>& rows) {
    if (float* cells = cells_of(place)) add_cells<T>(rows, first, rows.cols(), side_, cells);
  }

  /// Maps and small maps of what no edit reaches, and the pass has kept.
  void show_unedited(const KeptPass<T>& before) {
    for (const auto& [place, map] : before.weights)
      if (!is_edited(place)) see_cells(place, 0, map);
    for (const HeadPlace& place : kept_) {
      const Matrix<T>& map = before.weights.at(place);
      add_map("before", place, map);
      if (!is_edited(place)) add_map("after", place, map);
    }
  }

  /// By the masks of the edited layers.
  Array unseen_cells() const {
    const auto n = static_cast<Index>(result_.texts.front().tokens.size());
    std::vector<float> unseen;
    for (int l = 0; l < run_.layer_count(); ++l) {
      const Mask mask = run_.mask_of(l, n, edits_);
      const std::size_t before = unseen.size();
      unseen.resize(before + static_cast<std::size_t>(side_ * side_), 1.0F);
      for (Index i = 0; i < n; ++i) {
        const VisibleKeys keys = mask.keys_of(i, n);
        for (Index j = keys.first; j < keys.end; ++j)
          if (keys.all || mask.allows(i, j))
            unseen[before + static_cast<std::size_t>(i * side_ / n * side_ + j * side_ / n)] = 0;
      }
    }
    const auto side = static_cast<std::size_t>(side_);
    return {.name = "unseen_cells",
            .description = "1 where no query of a cell sees a key of it",
            .shape = {static_cast<std::size_t>(run_.layer_count()), side, side},
            .axes = {"layer", "query", "key"},
            .values = std::move(unseen)};
  }

  /// Null without small maps.
  float* cells_of(const HeadPlace& place) {
    if (side_ == 0) return nullptr;
    return small_.data() + at(place) * static_cast<std::size_t>(side_ * side_);
  }

  void add_map(const char* when, const HeadPlace& place, const Matrix<T>& map) {
    result_.maps.push_back(
        {.name = fmt::format("map_{}.{}.{}", when, place.layer, place.head),
         .description = "weights of attention of the first text",
         .shape = {static_cast<std::size_t>(map.rows()), static_cast<std::size_t>(map.cols())},
         .axes = {"query", "key"},
         .values = std::vector<T>(map.data(), map.data() + map.size())});
  }

  std::size_t at(const HeadPlace& place) const {
    return static_cast<std::size_t>(place.layer) * static_cast<std::size_t>(run_.head_count()) +
           static_cast<std::size_t>(place.head);
  }

  std::vector<TextEffect::NextToken> next_tokens(const std::vector<double>& was,
                                                 const std::vector<double>& is) const {
    std::vector<std::int32_t> ids = most_probable(was, request_.next);
    for (const std::int32_t id : most_probable(is, request_.next))
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    std::vector<TextEffect::NextToken> next;
    for (const std::int32_t id : ids)
      next.push_back({id, was[static_cast<std::size_t>(id)], is[static_cast<std::size_t>(id)]});
    std::stable_sort(next.begin(), next.end(),
                     [](const TextEffect::NextToken& a, const TextEffect::NextToken& b) {
                       return a.before > b.before;
                     });
    return next;
  }

  void finish() {
    std::vector<double> means[2];
    for (const TextEffect& text : result_.texts) {
      if (text.before.empty()) continue;
      means[0].push_back(sample_mean(text.before));
      means[1].push_back(sample_mean(text.after));
    }
    result_.before = sample_mean(means[0]);
    result_.after = sample_mean(means[1]);
    result_.difference = {.difference = result_.after - result_.before,
                          .t = no_number,
                          .degrees = no_number,
                          .p = no_number,
                          .low = no_number,
                          .high = no_number};
    if (means[0].size() > 1) result_.difference = paired_test(means[0], means[1]);
    if (side_ > 0) {
      const auto side = static_cast<std::size_t>(side_);
      result_.small_maps = {.name = "small_maps",
                            .description = "the largest weight of each cell of every head's map",
                            .shape = {static_cast<std::size_t>(run_.layer_count()),
                                      static_cast<std::size_t>(run_.head_count()), side, side},
                            .axes = {"layer", "head", "query", "key"},
                            .values = std::move(small_)};
      result_.unseen_cells = unseen_cells();
    }
    if (!request_.heads || edits_.empty()) return;
    for (int l = result_.first_layer; l < run_.layer_count(); ++l)
      for (int h = 0; h < run_.head_count(); ++h) result_.changes.push_back(change_of(l, h));
  }

  HeadChange change_of(int layer, int head) const {
    const std::vector<double>& of_texts = all_changes_[at({layer, head})];
    Largest greatest;
    Smallest least(1);
    double sum = 0, queries = 0;
    for (std::size_t t = 0; t < of_texts.size(); ++t) {
      greatest.see(of_texts[t] / queries_[t]);
      least.see(of_texts[t] / queries_[t]);
      sum += of_texts[t];
      queries += queries_[t];
    }
    return {layer, head, sum / queries, least.value(), greatest.value()};
  }

  ModelRun<T>& run_;
  const WhatIfRequest& request_;
  WhatIf& result_;
  Progress& progress_;
  std::vector<Edit> edits_;
  std::set<HeadPlace> kept_{};
  std::map<HeadPlace, Matrix<T>> corpus_means_{};
  std::map<HeadPlace, Matrix<T>> after_{};  ///< maps of the first text
  std::mutex adding_{};                     ///< to maps
  Index side_{0};                           ///< of the small maps
  std::vector<float> small_{};
  std::vector<double> changes_;                     ///< Σ over the queries of a text
  std::vector<std::vector<double>> all_changes_{};  ///< Σ over queries, by head and text
  std::vector<double> queries_{};                   ///< of each text
  std::optional<SeenHead<T>> told_apart_{};
};

}  // namespace

WhatIf what_if(LiveModel& model, const WhatIfRequest& request, Progress& progress) {
  WhatIf result{.model = model.name(),
                .family = model.family(),
                .layers = model.layers(),
                .heads = model.heads()};
  model.with_run(progress, [&](auto& run) { SideBySide(run, request, result, progress).run(); });
  return result;
}

std::uint64_t map_bytes(const LiveModel& model, const WhatIfRequest& request) {
  if (!request.heads && request.cells == 0 && !request.keeps_pass) return 0;
  std::uint64_t longest = 0;
  for (const ModelText& text : request.texts)
    longest = std::max<std::uint64_t>(longest, text.tokens.size());
  const int first =
      request.keeps_pass ? 0 : first_edited_layer(parse_edits(request.edits), model.layers());
  const auto heads = static_cast<std::uint64_t>(model.layers() - first) *
                     static_cast<std::uint64_t>(model.heads());
  return heads * longest * longest * model.bytes_of_number();
}

}  // namespace orrery
