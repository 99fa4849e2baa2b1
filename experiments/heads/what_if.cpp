#include "experiments/heads/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/errors.h"
#include "experiments/heads/corpus_means.h"
#include "experiments/heads/model_run.h"

namespace orrery::heads {
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

/// The weights of heads, by place.
template <class T>
using Maps = std::map<HeadPlace, Matrix<T>>;

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
  }

  void run() {
    for (std::size_t t = 0; t < request_.texts.size(); ++t) {
      checkpoint(progress_, t, request_.texts.size(), "texts");
      compare(request_.texts[t], t == 0);
    }
    finish();
  }

 private:
  void compare(const ModelText& text, bool keeps_maps) {
    const std::vector<std::int32_t>& tokens = text.tokens;
    const auto n = static_cast<Index>(tokens.size());
    before_.clear();
    const Matrix<T> before = run_.pass(tokens, {.probe = first_probe()});
    PassEdits<T> edits = run_.edits_of(edits_, n);
    edits.corpus_means = corpus_means_;
    const int first = result_.first_layer;
    const Matrix<T> after = run_.pass(tokens, {.probe = second_probe(keeps_maps, n),
                                               .edits = &edits,
                                               .hidden = first > 0 ? &hidden_ : nullptr,
                                               .first_layer = first});
    TextEffect effect{.name = text.name, .tokens = tokens};
    if (run_.predicts_next()) {
      effect.before = run_.losses({}, before, tokens);
      effect.after = run_.losses(edits_, after, tokens);
      effect.next = next_tokens(before.bottomRows(1), after.bottomRows(1));
    }
    result_.texts.push_back(std::move(effect));
  }

  bool wants_map(const Site& site) const {
    if (site.quantity != Quantity::weights) return false;
    const bool compared = request_.heads && site.layer >= result_.first_layer;
    return compared || kept_.count({site.layer, site.head}) == 1;
  }

  Probe<T> first_probe() {
    return {.wants =
                [this](const Site& site) {
                  const bool resumed =
                      site.quantity == Quantity::hidden && site.layer == result_.first_layer;
                  return resumed || wants_map(site);
                },
            .see =
                [this](const Site& site, Index first, const MatrixIn<T>& rows) {
                  if (site.quantity == Quantity::hidden) {
                    hidden_ = rows;
                    return;
                  }
                  Matrix<T>& map = before_[{site.layer, site.head}];
                  if (first == 0) map.resize(rows.cols(), rows.cols());
                  map.middleRows(first, rows.rows()) = rows;
                }};
  }

  Probe<T> second_probe(bool keeps_maps, Index n) {
    queries_ += n;
    return {.wants = [this](const Site& site) { return wants_map(site); },
            .see =
                [this, keeps_maps](const Site& site, Index first, const MatrixIn<T>& rows) {
                  const HeadPlace place{site.layer, site.head};
                  const auto& own = before_.at(place).middleRows(first, rows.rows());
                  // Of more numbers than a row of T may add up.
                  changes_[at(place)] +=
                      0.5 * (own - rows).template cast<double>().array().abs().sum();
                  if (keeps_maps && kept_.count(place) == 1) keep(place, first, rows);
                }};
  }

  void keep(const HeadPlace& place, Index first, const MatrixIn<T>& rows) {
    Matrix<T>& map = after_[place];
    if (first == 0) map.resize(rows.cols(), rows.cols());
    map.middleRows(first, rows.rows()) = rows;
    if (first + rows.rows() < rows.cols()) return;
    for (const bool edited : {false, true}) {
      const Matrix<T>& of = edited ? map : before_.at(place);
      result_.maps.push_back(
          {.name =
               fmt::format("map_{}.{}.{}", edited ? "after" : "before", place.layer, place.head),
           .description = "weights of attention of the first text",
           .shape = {static_cast<std::size_t>(of.rows()), static_cast<std::size_t>(of.cols())},
           .axes = {"query", "key"},
           .values = std::vector<T>(of.data(), of.data() + of.size())});
    }
    after_.erase(place);
  }

  std::size_t at(const HeadPlace& place) const {
    return static_cast<std::size_t>(place.layer) * static_cast<std::size_t>(run_.head_count()) +
           static_cast<std::size_t>(place.head);
  }

  std::vector<NextToken> next_tokens(const MatrixIn<T>& before, const MatrixIn<T>& after) {
    const std::vector<double> was = probabilities_of<T>(run_.logits({}, before), 0);
    const std::vector<double> is = probabilities_of<T>(run_.logits(edits_, after), 0);
    std::vector<std::int32_t> ids = most_probable(was, request_.next);
    for (const std::int32_t id : most_probable(is, request_.next))
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    std::vector<NextToken> next;
    for (const std::int32_t id : ids)
      next.push_back({id, was[static_cast<std::size_t>(id)], is[static_cast<std::size_t>(id)]});
    std::stable_sort(next.begin(), next.end(),
                     [](const NextToken& a, const NextToken& b) { return a.before > b.before; });
    return next;
  }

  void finish() {
    std::vector<double> means[2];
    for (const TextEffect& text : result_.texts) {
      if (text.before.empty()) continue;
      means[0].push_back(statistics::sample_mean(text.before));
      means[1].push_back(statistics::sample_mean(text.after));
    }
    result_.before = statistics::sample_mean(means[0]);
    result_.after = statistics::sample_mean(means[1]);
    result_.difference = {.difference = result_.after - result_.before,
                          .t = no_number,
                          .degrees = no_number,
                          .p = no_number,
                          .low = no_number,
                          .high = no_number};
    if (means[0].size() > 1) result_.difference = statistics::paired_test(means[0], means[1]);
    if (!request_.heads) return;
    for (int l = result_.first_layer; l < run_.layer_count(); ++l)
      for (int h = 0; h < run_.head_count(); ++h)
        result_.changes.push_back({l, h, changes_[at({l, h})] / static_cast<double>(queries_)});
  }

  ModelRun<T>& run_;
  const WhatIfRequest& request_;
  WhatIf& result_;
  Progress& progress_;
  std::vector<Edit> edits_;
  std::set<HeadPlace> kept_{};
  std::map<HeadPlace, Matrix<T>> corpus_means_{};
  Matrix<T> hidden_{};  ///< in front of the first edited layer
  Maps<T> before_{}, after_{};
  std::vector<double> changes_;  ///< Σ over queries
  Index queries_{0};
};

}  // namespace

WhatIf what_if(LiveModel& model, const WhatIfRequest& request, Progress& progress) {
  if (request.edits.empty())
    throw UsageError("no edit", "is given, so nothing would differ",
                     "add one, as in base:10000 or zero:16.0");
  WhatIf result{.model = model.name(),
                .family = model.family(),
                .layers = model.layers(),
                .heads = model.heads()};
  model.with_run([&](auto& run) { SideBySide(run, request, result, progress).run(); });
  return result;
}

std::vector<EditHelp> edit_help() {
  std::vector<EditHelp> help;
  for (EditForm& form : edit_forms())
    help.push_back({std::move(form.form), std::move(form.description)});
  return help;
}

std::uint64_t map_bytes(const LiveModel& model, const WhatIfRequest& request) {
  if (!request.heads) return 0;
  std::uint64_t longest = 0;
  for (const ModelText& text : request.texts)
    longest = std::max<std::uint64_t>(longest, text.tokens.size());
  const int first = first_edited_layer(parse_edits(request.edits), model.layers());
  const auto heads = static_cast<std::uint64_t>(model.layers() - first) *
                     static_cast<std::uint64_t>(model.heads());
  return heads * longest * longest * (model.settings().single ? sizeof(float) : sizeof(double));
}

}  // namespace orrery::heads
