#include "experiments/heads/settle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/encodings/rope_settings.h"
#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/heads/model_run.h"
#include "experiments/statistics/welch.h"

namespace orrery {
namespace {

constexpr double significance = 0.05;
constexpr std::size_t fewest_texts = 4;  // two of each half, without which nothing has a spread

struct AskedQuestion {
  const char* name;
  const char* words;
};

constexpr AskedQuestion all_questions[] = {
    {"pairing", "which channels of RoPE turn together"},
    {"base", "the base of RoPE"},
    {"scaling", "how RoPE's frequencies are scaled"},
    {"fraction", "the share of a head's channels that turn"},
    {"direction", "which way RoPE turns"},
    {"norm_plus_one", "whether norms multiply by their weight or by 1 more"},
    {"softcap", "whether logits are capped"},
    {"scale", "by what logits are multiplied"},
    {"window", "how far back layers see"}};

constexpr const char* rope_questions[] = {"pairing", "base", "scaling", "fraction", "direction"};

using Edits = std::vector<std::string>;

Edits joined(Edits first, const Edits& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

/// Without those whose setting a later one sets again.
Edits without_overruled(const Edits& edits) {
  Edits kept;
  for (auto edit = edits.begin(); edit != edits.end(); ++edit) {
    const std::string setting = edit->substr(0, edit->find(':') + 1);
    const bool again = !setting.empty() && std::any_of(edit + 1, edits.end(), [&](const auto& e) {
      return e.starts_with(setting);
    });
    if (!again) kept.push_back(*edit);
  }
  return kept;
}

Hypothesis alternative(std::string label, Edits edits) {
  return {.label = std::move(label), .edits = std::move(edits)};
}

/// The facts of a model that hypotheses are made of.
struct ModelFacts {
  const TransformerDesign& design;
  const LayerPlan* rope;  ///< of the first layer with RoPE; null for none
  Index d_model;
};

std::vector<Hypothesis> base_hypotheses(const ModelFacts& facts) {
  std::vector<double> bases = {1e4, 1e5, 5e5, 1e6};
  if (std::find(bases.begin(), bases.end(), facts.rope->rope.base) == bases.end())
    bases.push_back(facts.rope->rope.base);
  std::vector<Hypothesis> all;
  for (const double base : bases)
    all.push_back(alternative(number_text(base), {"base:" + number_text(base)}));
  return all;
}

std::vector<Hypothesis> scaling_hypotheses() {
  std::vector<Hypothesis> all = {alternative("none", {"scaling:none"})};
  for (const char* factor : {"2", "4", "8"})
    all.push_back(alternative(fmt::format("linear, factor {}", factor),
                              {"scaling:linear", fmt::format("factor:{}", factor)}));
  return all;
}

std::vector<Hypothesis> fraction_hypotheses(const ModelFacts& facts) {
  std::vector<Hypothesis> all;
  for (const double share : {1.0, 0.5, 0.25}) {
    const double channels = share * static_cast<double>(facts.rope->rope.d_head);
    if (channels < 2 || std::fmod(channels, 2) != 0) continue;
    all.push_back(alternative(number_text(share), {"fraction:" + number_text(share)}));
  }
  return all;
}

std::vector<Hypothesis> scale_hypotheses(const ModelFacts& facts) {
  const auto d = static_cast<double>(facts.design.attention.d_head);
  const double of_width =
      static_cast<double>(facts.d_model) / static_cast<double>(facts.design.attention.heads);
  std::vector<Hypothesis> all;
  const auto add = [&](const char* label, double scale) {
    all.push_back(alternative(label, {"scale:" + number_text(scale)}));
  };
  add("1/√d_head", 1 / std::sqrt(d));
  add("1", 1);
  add("1/d_head", 1 / d);
  if (of_width != d) add("1/√(d_model/heads)", 1 / std::sqrt(of_width));
  return all;
}

std::vector<Hypothesis> window_hypotheses(const ModelFacts& facts, Index tokens) {
  std::vector<Position> windows = {0, static_cast<Position>(tokens / 2)};
  for (const LayerDesign& layer : facts.design.layers)
    if (layer.window > 0 &&
        std::find(windows.begin(), windows.end(), layer.window) == windows.end())
      windows.push_back(layer.window);
  std::vector<Hypothesis> all;
  for (const Position window : windows)
    all.push_back(alternative(window == 0 ? "none" : fmt::format("{} in all layers", window),
                              {fmt::format("window:{}", window)}));
  return all;
}

/// What there is beside the model as it stands; empty where the question does not arise.
std::vector<Hypothesis> hypotheses_of(const std::string& question, const ModelFacts& facts,
                                      Index tokens) {
  if (question == "norm_plus_one") {
    if (facts.design.norm.kind != NormKind::rms) return {};
    return {alternative("gain", {"adds_one:no"}), alternative("1 + gain", {"adds_one:yes"})};
  }
  if (question == "softcap")
    return {alternative("none", {"softcap:0"}), alternative("30", {"softcap:30"}),
            alternative("50", {"softcap:50"})};
  if (question == "scale") return scale_hypotheses(facts);
  if (question == "window") return window_hypotheses(facts, tokens);
  if (!facts.rope) return {};
  if (question == "pairing")
    return {alternative("half_split", {"pairing:half_split"}),
            alternative("interleaved", {"pairing:interleaved"})};
  if (question == "base") return base_hypotheses(facts);
  if (question == "scaling") return scaling_hypotheses();
  if (question == "fraction") return fraction_hypotheses(facts);
  return {alternative("the other way", {"sign"})};
}

/// Mean losses of texts under edits, each computed once.
template <class T>
class TextLosses {
 public:
  TextLosses(ModelRun<T>& run, const std::vector<ModelText>& texts, Progress& progress)
      : run_(run), texts_(texts), progress_(progress) {}

  double of(const Edits& edits, std::size_t text) {
    std::string key = fmt::format("{}", fmt::join(edits, " "));
    const auto [known, is_new] = known_.try_emplace({std::move(key), text});
    if (!is_new) return known->second;
    const std::string& label = known->first.first;
    checkpoint(progress_, 0.5, label.empty() ? "as it stands" : label);
    known->second = sample_mean(run_.edited_losses(parse_edits(edits), texts_[text].tokens));
    ++passes_;
    return known->second;
  }
  std::vector<double> of(const Edits& edits) {
    std::vector<double> means;
    for (std::size_t i = 0; i < texts_.size(); ++i) means.push_back(of(edits, i));
    return means;
  }

  std::size_t texts() const { return texts_.size(); }
  std::int64_t passes() const { return passes_; }

 private:
  ModelRun<T>& run_;
  const std::vector<ModelText>& texts_;
  Progress& progress_;
  std::map<std::pair<std::string, std::size_t>, double> known_{};
  std::int64_t passes_{0};
};

/// The texts of one half.
std::vector<double> half_of(const std::vector<double>& of_texts, std::size_t first) {
  std::vector<double> half;
  for (std::size_t i = first; i < of_texts.size(); i += 2) half.push_back(of_texts[i]);
  return half;
}

template <class T>
class Settling {
 public:
  Settling(ModelRun<T>& run, const SettleRequest& request, Settlement& result, Progress& progress)
      : run_(run), request_(request), result_(result), losses_(run, request.texts, progress) {
    for (const std::string& question : request.questions) require_known(question);
  }

  void run() {
    Edits edits = request_.edits;
    result_.questions = ask_all(edits);
    std::vector<OpenQuestion> asked = result_.questions;
    for (std::int64_t round = 0; round < request_.rounds; ++round) {
      const Hypothesis* single = best_correction(asked);
      Edits correction = single ? single->edits : Edits();
      if (single || is_rope_open(asked)) {
        const Edits of_rope = added_to(edits, best_of(ropes_of(asked, edits)).edits);
        if (is_better(joined(edits, of_rope), joined(edits, correction))) correction = of_rope;
      }
      if (correction.empty()) correction = best_pair(asked, edits);
      if (correction.empty()) break;
      edits = joined(edits, correction);
      result_.corrections = without_overruled(joined(result_.corrections, correction));
      asked = ask_all(edits);
      result_.corrected = asked;
    }
    result_.passes = losses_.passes();
  }

 private:
  static void require_known(const std::string& question) {
    const std::vector<std::string> names = question_names();
    if (std::find(names.begin(), names.end(), question) == names.end())
      throw_unknown_name(question, "a question", names);
  }

  bool is_asked(const std::string& question) const {
    const auto& asked = request_.questions;
    return asked.empty() || std::find(asked.begin(), asked.end(), question) != asked.end();
  }

  ModelFacts facts() const {
    const LayerPlan* rope = nullptr;
    for (const LayerPlan& layer : run_.layers())
      if (!rope && layer.encoding == "rope") rope = &layer;
    return {run_.design(), rope, run_.checkpoint().stack().places.layers.front().attention.o.out};
  }

  std::vector<OpenQuestion> ask_all(const Edits& stands) {
    Index longest = 0;
    for (const ModelText& text : request_.texts)
      longest = std::max<Index>(longest, static_cast<Index>(text.tokens.size()));
    std::vector<OpenQuestion> questions;
    for (const auto& [name, words] : all_questions) {
      if (!is_asked(name)) continue;
      OpenQuestion question{.name = name};
      question.hypotheses = distinct(hypotheses_of(name, facts(), longest), stands);
      if (question.hypotheses.size() > 1) questions.push_back(std::move(question));
    }
    for (OpenQuestion& question : questions) prefer(question, stands);
    test(questions, stands);
    return questions;
  }

  std::vector<double> losses_with(const Edits& stands, const Hypothesis& hypothesis) {
    return losses_.of(joined(stands, hypothesis.edits));
  }

  /// The model as it stands and what gives other losses. Where a hypothesis gives the same ones, it
  /// is what stands.
  std::vector<Hypothesis> distinct(std::vector<Hypothesis> others, const Edits& stands) {
    std::vector<Hypothesis> all = {{.label = "as it stands", .stands = true}};
    for (Hypothesis& other : others) {
      const std::vector<double> losses = losses_with(stands, other);
      const auto same = std::find_if(all.begin(), all.end(), [&](const Hypothesis& one) {
        return losses_with(stands, one) == losses;
      });
      if (same == all.end())
        all.push_back(std::move(other));
      else if (same->stands)
        same->label = other.label;
    }
    return all;
  }

  /// The hypothesis of the lowest loss of the even texts comes first.
  void prefer(OpenQuestion& question, const Edits& stands) {
    const auto loss = [&](const Hypothesis& h) {
      return sample_mean(half_of(losses_with(stands, h), 0));
    };
    auto best = question.hypotheses.begin();
    for (auto one = question.hypotheses.begin(); one != question.hypotheses.end(); ++one)
      if (loss(*one) < loss(*best)) best = one;
    std::rotate(question.hypotheses.begin(), best, best + 1);
  }

  void test(std::vector<OpenQuestion>& questions, const Edits& stands) {
    std::vector<double> p;
    for (OpenQuestion& question : questions) {
      const std::vector<double> preferred =
          half_of(losses_with(stands, question.hypotheses.front()), 1);
      for (Hypothesis& h : question.hypotheses) {
        const std::vector<double> own = half_of(losses_with(stands, h), 1);
        const Welch test = paired_test(preferred, own);
        h.loss = sample_mean(own);
        h.difference = test.difference;
        h.low = test.low;
        h.high = test.high;
        h.p = test.p;
        if (&h != &question.hypotheses.front()) p.push_back(test.p);
      }
    }
    const std::vector<double> corrected = holm_corrected(p);
    auto next = corrected.begin();
    for (OpenQuestion& question : questions) {
      for (auto h = question.hypotheses.begin() + 1; h != question.hypotheses.end(); ++h) {
        h->p = *next++;
        h->rejected = h->p < significance && h->difference > 0;
      }
      question.verdict = verdict_of(question);
    }
  }

  static LossVerdict verdict_of(const OpenQuestion& question) {
    const auto& all = question.hypotheses;
    const auto stands =
        std::find_if(all.begin(), all.end(), [](const Hypothesis& h) { return h.stands; });
    if (stands->rejected) return LossVerdict::contradicted;
    const bool only = std::all_of(all.begin(), all.end(),
                                  [&](const Hypothesis& h) { return h.stands || h.rejected; });
    return only && stands == all.begin() ? LossVerdict::confirmed : LossVerdict::undecided;
  }

  /// The preferred hypothesis of the contradicted question in which what stands loses most.
  static const Hypothesis* best_correction(const std::vector<OpenQuestion>& questions) {
    const Hypothesis* best = nullptr;
    double most = 0;
    for (const OpenQuestion& question : questions) {
      if (question.verdict != LossVerdict::contradicted) continue;
      for (const Hypothesis& h : question.hypotheses)
        if (h.stands && h.difference > most) {
          most = h.difference;
          best = &question.hypotheses.front();
        }
    }
    return best;
  }

  struct Candidate {
    Edits edits{};
    std::vector<Edits> alone{};  ///< each of its corrections without the other
    double sum{};                ///< of the losses of the texts that it was tried on
  };

  /// The candidate that the even texts like best. All are tried on the first text, and ever fewer of
  /// them, the best ones, on more.
  Candidate best_of(std::vector<Candidate> candidates) {
    std::size_t tried = 0;
    for (std::size_t next = 0; next < losses_.texts(); next += 2) {
      for (Candidate& one : candidates) one.sum += losses_.of(one.edits, next);
      std::stable_sort(candidates.begin(), candidates.end(),
                       [](const Candidate& a, const Candidate& b) { return a.sum < b.sum; });
      constexpr std::size_t fewest = 8;
      if (++tried % 2 == 1 && candidates.size() > fewest)
        candidates.resize(std::max<std::size_t>(fewest, candidates.size() / 4));
    }
    return candidates.front();
  }

  /// What edits add to the model as it stands.
  static Edits added_to(const Edits& stands, const Edits& edits) {
    return {edits.begin() + static_cast<std::ptrdiff_t>(stands.size()), edits.end()};
  }

  /// Two settings whose mistakes compensate for each other: mended together they are better than
  /// what stands, and than either of them mended alone. None where the odd texts do not say so.
  Edits best_pair(const std::vector<OpenQuestion>& questions, const Edits& stands) {
    std::vector<Candidate> pairs;
    for (auto a = questions.begin(); a != questions.end(); ++a)
      for (auto b = a + 1; b != questions.end(); ++b) {
        if (is_of_rope(a->name) && is_of_rope(b->name)) continue;  // those are tried all at once
        for (const Hypothesis& one : a->hypotheses)
          for (const Hypothesis& other : b->hypotheses)
            if (!one.stands && !other.stands)
              pairs.push_back({.edits = joined(joined(stands, one.edits), other.edits),
                               .alone = {joined(stands, one.edits), joined(stands, other.edits)}});
      }
    if (pairs.empty()) return {};
    const Candidate best = best_of(std::move(pairs));
    const bool is_needed = is_better(best.edits, stands) &&
                           std::all_of(best.alone.begin(), best.alone.end(), [&](const Edits& one) {
                             return is_better(best.edits, one);
                           });
    return is_needed ? added_to(stands, best.edits) : Edits();
  }

  /// One hypothesis of each question about a rope, in all combinations: where several settings are
  /// wrong, mending one alone may help nothing.
  static std::vector<Candidate> ropes_of(const std::vector<OpenQuestion>& questions,
                                         const Edits& stands) {
    std::vector<Candidate> ropes{{.edits = stands}};
    for (const OpenQuestion& question : questions) {
      if (!is_of_rope(question.name)) continue;
      std::vector<Candidate> more;
      for (const Candidate& rope : ropes)
        for (const Hypothesis& h : question.hypotheses)
          more.push_back({.edits = joined(rope.edits, h.edits)});
      ropes = std::move(more);
    }
    return ropes;
  }

  /// Whether questions about a rope were asked and none is confirmed: one that is wrong in several
  /// ways leaves all of them undecided.
  static bool is_rope_open(const std::vector<OpenQuestion>& questions) {
    bool open = false;
    for (const OpenQuestion& question : questions) {
      if (!is_of_rope(question.name)) continue;
      if (question.verdict == LossVerdict::confirmed) return false;
      open = true;
    }
    return open;
  }

  static bool is_of_rope(const std::string& question) {
    return std::find(std::begin(rope_questions), std::end(rope_questions), question) !=
           std::end(rope_questions);
  }

  /// Whether the odd texts say so.
  bool is_better(const Edits& a, const Edits& b) {
    if (a == b) return false;
    const Welch test = paired_test(half_of(losses_.of(b), 1), half_of(losses_.of(a), 1));
    return test.p < significance && test.difference < 0;
  }

  ModelRun<T>& run_;
  const SettleRequest& request_;
  Settlement& result_;
  TextLosses<T> losses_;
};

}  // namespace

const char* verdict_name(LossVerdict verdict) {
  switch (verdict) {
    case LossVerdict::confirmed:
      return "confirmed";
    case LossVerdict::contradicted:
      return "contradicted";
    case LossVerdict::undecided:
      break;
  }
  return "undecided";
}

std::vector<std::string> question_names() {
  std::vector<std::string> names;
  for (const AskedQuestion& question : all_questions) names.emplace_back(question.name);
  return names;
}

ParamSpec questions_param(std::string description, std::vector<std::string> usual) {
  ParamSpec spec{.key = "questions",
                 .description = std::move(description),
                 .kind = ParamKind::choice_list,
                 .default_value = std::move(usual)};
  for (const auto& [name, words] : all_questions) spec.choices.push_back({name, words});
  return spec;
}

Settlement settle(LiveModel& model, const SettleRequest& request, Progress& progress) {
  if (request.texts.size() < fewest_texts)
    throw UsageError(fmt::format("{} texts", request.texts.size()),
                     fmt::format("settle takes {} or more: half of them test", fewest_texts),
                     "cut the text in more parts with parts=");
  Settlement result{.model = model.name(),
                    .family = model.family(),
                    .texts = request.texts,
                    .start = request.edits};
  model.with_run(progress, [&](auto& run) { Settling(run, request, result, progress).run(); });
  return result;
}

bool is_contradicted(const Settlement& settlement) {
  return !settlement.corrections.empty() ||
         std::any_of(settlement.questions.begin(), settlement.questions.end(),
                     [](const OpenQuestion& question) {
                       return question.verdict == LossVerdict::contradicted;
                     });
}

}  // namespace orrery
