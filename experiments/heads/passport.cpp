#include "experiments/heads/passport.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "core/encodings/rope.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/heads/model_run.h"
#include "experiments/heads/repeat.h"
#include "experiments/model/sub_progress.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {
namespace {

constexpr std::size_t fewest_passport_texts = 4;
constexpr Position far_shift = 1000;
constexpr double least_of_sinks = 0.5;  // of the weight, as HeadScores::sink_dominates

/// "smollm2.gguf", or the folder that a model lies in.
std::string name_of(const std::filesystem::path& path) {
  const std::filesystem::path plain = path.lexically_normal();
  return (plain.has_filename() ? plain : plain.parent_path()).filename().string();
}

std::vector<Passport::Layers> layers_of(const PositionPlan& plan) {
  std::vector<Passport::Layers> all;
  for (const std::vector<int>& alike : alike_layers(plan.layers)) {
    const LayerPlan& layer = plan.layers[static_cast<std::size_t>(alike.front())];
    all.push_back({numbers_text(alike), facts_of(layer)});
  }
  return all;
}

/// A change that is tried.
struct TriedBreak {
  std::string name;
  std::vector<std::string> edits;
};

/// The heads that a score above `least` has chosen.
std::vector<HeadPlace> chosen_heads(const HeadTable& table, const char* score, double least,
                                    std::size_t most) {
  std::vector<HeadPlace> places;
  if (table.choices.empty()) return places;
  for (const ChosenHead& head : table.choices[score_number(score)].heads)
    if (places.size() < most && head.chosen_by > least) places.push_back({head.layer, head.head});
  return places;
}

std::string ablation_of(const std::vector<HeadPlace>& places) {
  std::string text = "zero:";
  for (const HeadPlace& place : places)
    text += fmt::format("{}{}.{}", text.back() == ':' ? "" : "+", place.layer, place.head);
  return text;
}

/// As many heads, drawn among all that neither score has chosen.
std::vector<HeadPlace> other_heads(const HeadTable& table, const std::set<HeadPlace>& chosen,
                                   std::size_t count, std::int64_t seed) {
  std::vector<HeadPlace> rest;
  for (const HeadRow& row : table.rows)
    if (chosen.count({row.layer, row.head}) == 0) rest.push_back({row.layer, row.head});
  Random random(seed, "heads of a passport");
  std::vector<HeadPlace> drawn;
  while (drawn.size() < count && !rest.empty()) {
    const auto at = random.integer(static_cast<std::int64_t>(rest.size()));
    drawn.push_back(rest[static_cast<std::size_t>(at)]);
    rest.erase(rest.begin() + at);
  }
  return drawn;
}

void try_ropes(const std::vector<LayerPlan>& layers, std::vector<TriedBreak>& tried) {
  const auto rope = std::find_if(layers.begin(), layers.end(),
                                 [](const LayerPlan& layer) { return layer.encoding == "rope"; });
  if (rope == layers.end()) return;
  const auto pairs = static_cast<std::int64_t>(pairs_of(completed(rope->rope)));
  if (pairs >= 4) {
    tried.push_back({"the fastest quarter of the pairs stands still",
                     {fmt::format("still:0..{}", pairs / 4 - 1)}});
    tried.push_back({"the slowest half of the pairs stands still",
                     {fmt::format("still:{}..{}", pairs / 2, pairs - 1)}});
  }
  if (rope->rope.base != 1e4) tried.push_back({"the base is lost: 10000", {"base:10000"}});
  tried.push_back({"angles are those of 4 times as short a text", {"positions:compress=4"}});
  tried.push_back({"the pairing is the other one",
                   {rope->rope.pairing == RopePairing::half_split ? "pairing:interleaved"
                                                                  : "pairing:half_split"}});
}

std::vector<TriedBreak> tried_breaks(const std::vector<LayerPlan>& layers, const HeadTable& table,
                                     const PassportRequest& request) {
  std::vector<TriedBreak> tried = {
      {"every token stands at position 0", {"no_position"}},
      {"positions begin at 1000", {fmt::format("positions:shift={}", far_shift)}}};
  try_ropes(layers, tried);
  const auto length = static_cast<std::int64_t>(request.texts.front().tokens.size());
  if (length >= 16)
    tried.push_back({fmt::format("each layer sees the last {} tokens", length / 4),
                     {fmt::format("window:{}", length / 4)}});
  std::set<HeadPlace> chosen;
  for (const auto& [score, least, name] :
       {std::tuple{"induction", 0.0, "the strongest induction heads are silent"},
        std::tuple{"previous", 0.0, "the strongest heads of the token before are silent"},
        std::tuple{"first", least_of_sinks, "the strongest sinks are silent"}}) {
    const std::vector<HeadPlace> heads = chosen_heads(table, score, least, request.chosen);
    if (heads.empty()) continue;
    chosen.insert(heads.begin(), heads.end());
    tried.push_back({name, {ablation_of(heads)}});
  }
  const std::vector<HeadPlace> others = other_heads(table, chosen, request.chosen, request.seed);
  if (!chosen.empty() && !others.empty())
    tried.push_back({"as many heads, drawn at random, are silent", {ablation_of(others)}});
  return tried;
}

/// The losses by place of texts, in bins of 1, 2, 4, … tokens.
std::vector<PlaceLoss> losses_by_place(const std::vector<std::vector<double>>& of_texts) {
  std::size_t longest = 0;
  for (const std::vector<double>& losses : of_texts)
    longest = std::max<std::size_t>(longest, losses.size());
  std::vector<PlaceLoss> bins;
  for (std::size_t from = 1; from <= longest; from *= 2) {
    const std::size_t to = std::min<std::size_t>(2 * from - 1, longest);
    std::vector<double> means;
    for (const std::vector<double>& losses : of_texts) {
      if (losses.size() < to) continue;
      const auto begin = losses.begin() + static_cast<std::ptrdiff_t>(from - 1);
      const auto end = losses.begin() + static_cast<std::ptrdiff_t>(to);
      means.push_back(sample_mean({begin, end}));
    }
    const SampleMoments moments = sample_moments(means);
    bins.push_back({static_cast<std::int64_t>(from), static_cast<std::int64_t>(to), moments.mean,
                    moments.standard_error});
  }
  return bins;
}

/// What a model that predicts the next token loses, as it is and when it is changed.
template <class T>
class LossChapter {
 public:
  LossChapter(ModelRun<T>& run, Passport& passport, Progress& progress)
      : run_(run),
        passport_(passport),
        places_(equal_part(progress, 0, 2)),
        breaks_(equal_part(progress, 1, 2)) {}

  void fill() {
    std::vector<std::vector<double>> of_texts;
    for (const ModelText& text : passport_.request.texts) {
      checkpoint(places_, of_texts.size(), passport_.request.texts.size(), "losses by place");
      of_texts.push_back(run_.edited_losses({}, text.tokens));
    }
    passport_.by_place = losses_by_place(of_texts);
    std::vector<double>& own = passport_.losses;
    for (std::size_t t = 1; t < of_texts.size(); t += 2) own.push_back(sample_mean(of_texts[t]));
    const double own_copying = sample_mean(passport_.repeat->second_half);
    const std::vector<TriedBreak> tried =
        tried_breaks(run_.layers(), passport_.table, passport_.request);
    for (std::size_t b = 0; b < tried.size(); ++b) {
      checkpoint(breaks_, b, tried.size(), tried[b].name);
      try_break(tried[b], own, own_copying);
    }
    correct_breaks();
  }

 private:
  /// Leaves a change out that the model has no place for.
  void try_break(const TriedBreak& tried, const std::vector<double>& own, double own_copying) {
    Break one{.name = tried.name, .edits = tried.edits};
    try {
      const std::vector<Edit> edits = {parse_edit(tried.edits.front())};
      const std::vector<double> changed = means_under(edits);
      one.loss = sample_mean(changed);
      one.difference = paired_test(own, changed);
      one.copying = copying_under(edits) - own_copying;
    } catch (const UsageError&) {
      return;
    }
    passport_.breaks.push_back(std::move(one));
  }

  void correct_breaks() {
    std::vector<double> p;
    for (const Break& one : passport_.breaks) p.push_back(one.difference.p);
    const std::vector<double> corrected = holm_corrected(p);
    for (std::size_t b = 0; b < corrected.size(); ++b) passport_.breaks[b].p = corrected[b];
  }

  /// Mean losses of the odd texts.
  std::vector<double> means_under(const std::vector<Edit>& edits) {
    std::vector<double> means;
    const std::vector<ModelText>& texts = passport_.request.texts;
    for (std::size_t t = 1; t < texts.size(); t += 2)
      means.push_back(sample_mean(run_.edited_losses(edits, texts[t].tokens)));
    return means;
  }

  /// The mean loss of random tokens that come again.
  double copying_under(const std::vector<Edit>& edits) {
    const PassportRequest& request = passport_.request;
    std::vector<double> means;
    for (std::int64_t s = 0; s < request.repeats; ++s) {
      const std::vector<double> losses =
          run_.edited_losses(edits, repeated_tokens(request.repeated, run_.vocabulary_size(),
                                                    request.seed, s, request.first));
      means.push_back(second_half_mean(losses, static_cast<std::size_t>(request.repeated)));
    }
    return sample_mean(means);
  }

  ModelRun<T>& run_;
  Passport& passport_;
  SubProgress places_, breaks_;
};

}  // namespace

Passport passport_of(LiveModel& model, const PassportRequest& request, Progress& progress) {
  if (request.texts.size() < fewest_passport_texts)
    throw UsageError(
        fmt::format("{} texts", request.texts.size()),
        fmt::format("a passport takes {} or more: half of them test", fewest_passport_texts),
        "cut the text in more parts with parts=");
  Passport passport{.model = name_of(model.path()),
                    .family = model.family(),
                    .layers = model.layers(),
                    .heads = model.heads(),
                    .vocabulary = model.vocabulary(),
                    .single = model.settings().single,
                    .request = request};
  model.with_run([&](auto& run) {
    const PositionPlan& plan = run.checkpoint().plan();
    passport.format = plan.format;
    passport.kv_heads = static_cast<int>(run.design().attention.kv_heads);
    passport.encodings = layers_of(plan);
    passport.assumed = plan.assumed;
  });
  SubProgress chapters[] = {equal_part(progress, 0, 5), equal_part(progress, 1, 5),
                            equal_part(progress, 2, 5), equal_part(progress, 3, 5),
                            equal_part(progress, 4, 5)};
  passport.table = measure_heads(
      model,
      {.texts = request.texts, .repeated = 0, .seed = request.seed, .chosen = request.chosen},
      chapters[0]);
  if (!model.predicts_next()) return passport;
  passport.settlement =
      settle(model, {.texts = request.texts, .questions = request.questions}, chapters[1]);
  passport.reach = context_reach(model, request.texts, request.targets, request.first, chapters[2]);
  passport.repeat = repeat_tokens(model,
                                  {.tokens = request.repeated,
                                   .sequences = request.repeats,
                                   .seed = request.seed,
                                   .first = request.first},
                                  chapters[3]);
  model.with_run(progress, [&](auto& run) { LossChapter(run, passport, chapters[4]).fill(); });
  return passport;
}

}  // namespace orrery
