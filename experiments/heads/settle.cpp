#include "experiments/heads/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/errors.h"
#include "experiments/heads/model_run.h"
#include "experiments/heads/text_losses.h"
#include "experiments/statistics/welch.h"

namespace orrery {
namespace {

constexpr double significance = 0.05;
constexpr std::size_t fewest_texts = 4;  // two of each half, without which nothing has a spread
constexpr double far_behind = 0.5;       // nats of one text by which no preference is left
constexpr double least_gain = 0.05;      // nats, below which a loss is held against no model
constexpr double least_of_more = 0.02;   // the same of a model that is known to be wrong already
constexpr double least_of_neighbours = 0.005;

template <class T>
class Settling {
 public:
  Settling(ModelRun<T>& run, const SettleRequest& request, Settlement& result, Progress& progress)
      : run_(run),
        request_(request),
        result_(result),
        losses_(run, request.texts, request.edits, progress) {
    for (const std::string& question : request.questions) require_question(question);
  }

  void run() {
    result_.frequencies = frequency_loss(request_.texts, run_.vocabulary_size());
    Edits edits = request_.edits;
    result_.questions = ask_all(edits);
    std::vector<OpenQuestion> asked = result_.questions;
    Candidate changed, next = correction_of(asked, edits);
    const auto ask_again = [&] {
      edits = changed.edits(request_.edits);
      asked = ask_all(edits);
      next = correction_of(asked, edits);
    };
    for (std::int64_t round = 0; round < request_.rounds && !next.answers.empty(); ++round) {
      changed = changed.changed_by(next);
      least_ = least_of_more;
      ask_again();
    }
    const bool fewer = drop_needless(changed);
    if (exchange_one(changed, asked) || fewer) ask_again();
    result_.is_at_its_best =
        is_at_its_best(changed, edits, asked) && is_at_its_best(next, next.edits(edits), {});
    result_.is_known = is_known(edits);
    const bool is_explained = result_.is_at_its_best && result_.is_known;
    if (!changed.answers.empty() && is_explained) {
      result_.corrections = added_to(request_.edits, edits);
      result_.corrected = asked;
    }
    judge(asked, changed, next, is_explained);
    const Edits& judged = result_.corrections.empty() ? request_.edits : edits;
    result_.loss = sample_mean(losses_.of_texts(judged, 0, 1));
    result_.passes = losses_.passes();
  }

 private:
  /// Verdicts of the model as it was asked about, from those of the corrected one.
  /// @param next  what is better still
  void judge(const std::vector<OpenQuestion>& corrected, const Candidate& changed,
             const Candidate& next, bool is_explained) {
    const auto of_last = [&](const std::string& name) {
      for (const OpenQuestion& question : corrected)
        if (question.name == name) return question.verdict;
      return LossVerdict::undecided;  // it does not arise there
    };
    for (std::vector<OpenQuestion>* questions : {&result_.questions, &result_.corrected})
      for (OpenQuestion& question : *questions) {
        question.verdict = of_last(question.name);
        const bool is_open = next.answers.count(question.name) > 0;
        const bool is_changed =
            questions == &result_.questions && changed.answers.count(question.name) > 0;
        if (!is_explained || (!next.answers.empty() && !is_open))
          question.verdict = LossVerdict::undecided;
        else if (is_open || is_changed)
          question.verdict = LossVerdict::contradicted;
      }
  }

  /// Leaves out changes without which the others are no worse: what a later one has made needless.
  bool drop_needless(Candidate& changed) {
    const std::size_t all = changed.answers.size();
    for (const std::string& name : question_names()) {
      if (changed.answers.size() < 2 || changed.answers.count(name) == 0) continue;
      const Candidate fewer = changed.without(name);
      if (!is_better(changed.edits(request_.edits), fewer.edits(request_.edits))) changed = fewer;
    }
    return changed.answers.size() < all;
  }

  /// Takes another question's answer in place of one of the changes where that is better: what is
  /// wrong there may have been made up for here.
  bool exchange_one(Candidate& changed, const std::vector<OpenQuestion>& questions) {
    std::vector<Candidate> others;
    for (const auto& [name, answer] : changed.answers)
      for (const OpenQuestion& question : questions) {
        if (changed.answers.count(question.name) > 0) continue;
        for (const Hypothesis& h : question.hypotheses)
          if (!h.stands) others.push_back(changed.without(name).with(question.name, h));
      }
    const Candidate best = best_of(std::move(others), request_.edits);
    if (best.answers.empty() ||
        !is_better(best.edits(request_.edits), changed.edits(request_.edits), least_of_neighbours))
      return false;
    changed = best;
    return true;
  }

  /// Whether no number of a corrected model would be better a little larger or smaller: a loss that
  /// something else has raised is lowered by many numbers, and by none of them most where a file
  /// would say it. Nor may another answer be better that loses too little to be a correction.
  bool is_at_its_best(const Candidate& changed, const Edits& edits,
                      const std::vector<OpenQuestion>& asked) {
    if (changed.answers.empty()) return true;
    std::vector<Edits> near;
    const auto add_near = [&](const Edits& answer) {
      for (Edits& other : neighbours_of(answer, facts())) near.push_back(std::move(other));
    };
    for (const auto& [question, answer] : changed.answers) add_near(answer.edits);
    if (run_.design().norm.kind == NormKind::rms && changed.answers.count("norm_plus_one") == 0)
      add_near({run_.design().norm.added == 0 ? "adds_one:no" : "adds_one:yes"});
    std::vector<Edits> others;
    for (const OpenQuestion& question : asked)
      for (const Hypothesis& h : question.hypotheses)
        if (h.loss < standing(question).loss) others.push_back(h.edits);
    // No text has chosen these, so that all of them test.
    const auto is_any_better = [&](const std::vector<Edits>& answers, double least) {
      return std::any_of(answers.begin(), answers.end(), [&](const Edits& other) {
        return is_better(joined(edits, other), edits, least, true);
      });
    };
    return !is_any_better(near, least_of_neighbours) && !is_any_better(others, least_of_more);
  }

  /// Whether it predicts better than frequencies, by more than the spread over texts.
  bool is_known(const Edits& edits) {
    std::vector<double> better = result_.frequencies.of_same;
    for (std::size_t i = 0; i < better.size(); ++i) better[i] -= losses_.of(edits, i);
    const SampleMoments moments = sample_moments(better);
    return moments.mean > 0 && moments.mean > moments.deviation;
  }

  bool is_asked(const std::string& question) const {
    const auto& asked = request_.questions;
    return asked.empty() || std::find(asked.begin(), asked.end(), question) != asked.end();
  }

  ModelFacts facts() const {
    const LayerPlan* rope = nullptr;
    for (const LayerPlan& layer : run_.layers())
      if (!rope && layer.encoding == "rope") rope = &layer;
    return {run_.design(), rope, run_.checkpoint().stack().places.layers.front().attention.o.out,
            run_.checkpoint().stack().longest};
  }

  std::vector<OpenQuestion> ask_all(const Edits& stands) {
    Index longest = 0;
    for (const ModelText& text : request_.texts)
      longest = std::max<Index>(longest, static_cast<Index>(text.tokens.size()));
    std::vector<OpenQuestion> questions;
    std::size_t others = 0;
    for (const std::string& name : question_names()) {
      if (!is_asked(name)) continue;
      questions.push_back({.name = name, .hypotheses = hypotheses_of(name, facts(), longest)});
      for (Hypothesis& h : questions.back().hypotheses)
        h.place = static_cast<std::size_t>(&h - questions.back().hypotheses.data());
      others += questions.back().hypotheses.size();
    }
    expect_round(others - questions.size());  // of each one is what stands
    for (OpenQuestion& question : questions)
      question.hypotheses = distinct(std::move(question.hypotheses), stands);
    std::erase_if(questions, [](const OpenQuestion& one) { return one.hypotheses.size() < 2; });
    for (OpenQuestion& question : questions) prefer(question, stands);
    test(questions, stands);
    return questions;
  }

  /// What asking and trying pairs take: the texts as they are, of each other hypothesis the odd ones,
  /// and the beginning of one for each two.
  void expect_round(std::size_t others) {
    const auto all = static_cast<double>(losses_.texts()), n = static_cast<double>(others);
    losses_.expect(all + n * (all / 2 + 2), n * n / 2);
  }

  double loss_with(const Edits& stands, const Hypothesis& h, std::size_t text) {
    return losses_.of(joined(stands, h.edits), text);
  }

  /// The model as it stands and what gives other losses. Where a hypothesis gives the same ones, it
  /// is what stands.
  std::vector<Hypothesis> distinct(std::vector<Hypothesis> others, const Edits& stands) {
    std::vector<Hypothesis> all = {{.label = "as it stands", .stands = true}};
    for (Hypothesis& other : others) {
      // To the bit: a change that the longest of the odd texts does not show is none of these texts.
      const auto same = std::find_if(all.begin(), all.end(), [&](const Hypothesis& one) {
        return loss_with(stands, one, losses_.longest_odd()) ==
               loss_with(stands, other, losses_.longest_odd());
      });
      if (same == all.end())
        all.push_back(std::move(other));
      else if (same->stands)
        same->label = other.label, same->place = other.place;
    }
    return all;
  }

  /// The hypothesis of the lowest loss of the even texts comes first; those that are far behind on
  /// the longest of the odd texts are not tried on them.
  void prefer(OpenQuestion& question, const Edits& stands) {
    std::vector<Hypothesis>& all = question.hypotheses;
    const auto of_odd = [&](const Hypothesis& h) {
      return loss_with(stands, h, losses_.longest_odd());
    };
    double least = of_odd(all.front());
    for (const Hypothesis& h : all)
      if (of_odd(h) < least) least = of_odd(h);
    auto best = all.end();
    double least_mean = 0;
    for (auto h = all.begin(); h != all.end(); ++h) {
      if (of_odd(*h) > least + far_behind) continue;
      const double mean = sample_mean(losses_.of_texts(joined(stands, h->edits), 0, 2));
      if (best != all.end() && mean >= least_mean) continue;
      best = h;
      least_mean = mean;
    }
    std::rotate(all.begin(), best, best + 1);
  }

  /// Tests every hypothesis against the preferred one of its question on the odd texts.
  void test(std::vector<OpenQuestion>& questions, const Edits& stands) {
    std::vector<double> p;
    for (OpenQuestion& question : questions) {
      const std::vector<double> preferred = odd_losses(stands, question.hypotheses.front());
      for (Hypothesis& h : question.hypotheses) {
        const std::vector<double> own = odd_losses(stands, h);
        const Welch test = paired_test(preferred, own);
        h.loss = sample_mean(own);
        h.difference = test.difference;
        h.low = test.low;
        h.high = test.high;
        h.p = test.p;
        std::vector<double> apart;
        for (std::size_t i = 0; i < own.size(); ++i) apart.push_back(own[i] - preferred[i]);
        h.spread = sample_moments(apart).deviation;
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

  std::vector<double> odd_losses(const Edits& stands, const Hypothesis& h) {
    return losses_.of_texts(joined(stands, h.edits), 1, 2);
  }

  static const Hypothesis& standing(const OpenQuestion& question) {
    return *std::find_if(question.hypotheses.begin(), question.hypotheses.end(),
                         [](const Hypothesis& h) { return h.stands; });
  }

  LossVerdict verdict_of(const OpenQuestion& question) const {
    const auto& all = question.hypotheses;
    const Hypothesis& stands = standing(question);
    if (stands.rejected && stands.difference > least_) return LossVerdict::contradicted;
    const bool only = std::all_of(all.begin(), all.end(), [](const Hypothesis& h) {
      return h.stands || (h.rejected && h.difference > h.spread);
    });
    return only && all.front().stands ? LossVerdict::confirmed : LossVerdict::undecided;
  }

  /// The changes that are better than what stands; none where nothing is.
  Candidate correction_of(const std::vector<OpenQuestion>& questions, const Edits& stands) {
    Candidate best = best_single(questions);
    const auto take_if_better = [&](const Candidate& other) {
      if (is_better(other.edits(stands), best.edits(stands))) best = other;
    };
    take_if_better(best_pair(questions, stands));
    if (!best.answers.empty() || is_rope_open(questions) || !is_known(stands))
      take_if_better(best_of(ropes_of(questions), stands));
    return plainest(std::move(best), questions, stands);
  }

  /// The same with answers that come earlier in the list where these are no worse: no window rather
  /// than a long one.
  Candidate plainest(Candidate best, const std::vector<OpenQuestion>& questions,
                     const Edits& stands) {
    for (const OpenQuestion& question : questions) {
      const auto answer = best.answers.find(question.name);
      if (answer == best.answers.end()) continue;
      const Hypothesis* plain = &answer->second;
      for (const Hypothesis& h : question.hypotheses) {
        if (h.stands || h.place >= plain->place) continue;
        const Candidate other = best.with(question.name, h);
        if (!is_better(best.edits(stands), other.edits(stands))) plain = &h;
      }
      best = best.with(question.name, Hypothesis(*plain));
    }
    return best;
  }

  /// The preferred hypothesis of the contradicted question in which what stands loses most.
  static Candidate best_single(const std::vector<OpenQuestion>& questions) {
    Candidate best;
    double most = 0;
    for (const OpenQuestion& question : questions) {
      if (question.verdict != LossVerdict::contradicted) continue;
      for (const Hypothesis& h : question.hypotheses)
        if (h.stands && h.difference > most) {
          most = h.difference;
          best = Candidate().with(question.name, question.hypotheses.front());
        }
    }
    return best;
  }

  /// The best six, and up to as many of other questions, the best one of each: few tokens tell
  /// answers of one question apart, and none of them may be the one that is wrong.
  static std::vector<Candidate> best_and_others(const std::vector<Candidate>& sorted) {
    constexpr std::size_t best = 6, most = 12;
    std::vector<Candidate> kept;
    std::set<std::string> questions;
    for (const Candidate& one : sorted) {
      std::string own;
      for (const auto& [question, answer] : one.answers) own += question + " ";
      const bool is_new = questions.insert(own).second;
      if (kept.size() < most && (is_new || kept.size() < best)) kept.push_back(one);
    }
    return kept;
  }

  /// The candidate that the even texts like best; an empty one where the longest of them likes none
  /// better than what stands. All are tried on its beginning, and ever fewer, the best ones, on more.
  Candidate best_of(std::vector<Candidate> candidates, const Edits& stands) {
    constexpr std::size_t fewest = 2;
    const auto keep_best = [&](std::size_t count) {
      std::stable_sort(candidates.begin(), candidates.end(),
                       [](const Candidate& a, const Candidate& b) { return a.loss < b.loss; });
      if (candidates.size() > count) candidates.resize(count);
    };
    for (Candidate& one : candidates) one.loss = losses_.of_beginning(one.edits(stands));
    keep_best(candidates.size());
    candidates = best_and_others(candidates);
    for (Candidate& one : candidates) one.loss = losses_.of(one.edits(stands), losses_.longest());
    keep_best(fewest);
    if (candidates.empty() || candidates.front().loss >= losses_.of(stands, losses_.longest()))
      return {};
    for (Candidate& one : candidates)
      one.loss = sample_mean(losses_.of_texts(one.edits(stands), 0, 2));
    keep_best(1);
    return candidates.front();
  }

  /// What edits add to the model as it stands.
  static Edits added_to(const Edits& stands, const Edits& edits) {
    return {edits.begin() + static_cast<std::ptrdiff_t>(stands.size()), edits.end()};
  }

  /// Two changes whose mistakes compensate for each other: together they are better than what stands,
  /// and than either of them alone. None where the odd texts do not say so.
  Candidate best_pair(const std::vector<OpenQuestion>& questions, const Edits& stands) {
    std::vector<Candidate> pairs;
    for (auto a = questions.begin(); a != questions.end(); ++a)
      for (auto b = a + 1; b != questions.end(); ++b)
        for (const Hypothesis& one : a->hypotheses)
          for (const Hypothesis& other : b->hypotheses)
            if (!one.stands && !other.stands)
              pairs.push_back(Candidate().with(a->name, one).with(b->name, other));
    const Candidate best = best_of(std::move(pairs), stands);
    bool is_needed = !best.answers.empty() && is_better(best.edits(stands), stands);
    for (const auto& [question, answer] : best.answers)
      is_needed = is_needed && is_better(best.edits(stands), best.without(question).edits(stands));
    return is_needed ? best : Candidate();
  }

  /// One hypothesis of each question about a rope, in all combinations: where several settings are
  /// wrong, mending two of them may help nothing.
  static std::vector<Candidate> ropes_of(const std::vector<OpenQuestion>& questions) {
    std::vector<Candidate> ropes(1);
    for (const OpenQuestion& question : questions) {
      if (!is_of_rope(question.name)) continue;
      std::vector<Candidate> more;
      for (const Candidate& rope : ropes)
        for (const Hypothesis& h : question.hypotheses)
          more.push_back(h.stands ? rope : rope.with(question.name, h));
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

  /// Whether the odd texts, or all of them, lose less under `a` than under `b`, by more than `least`
  /// nats and more than chance.
  bool is_better(const Edits& a, const Edits& b, double least, bool all = false) {
    if (a == b) return false;
    const std::size_t first = all ? 0 : 1, step = all ? 1 : 2;
    const Welch test =
        paired_test(losses_.of_texts(a, first, step), losses_.of_texts(b, first, step));
    return test.p < significance && test.difference > least;
  }

  bool is_better(const Edits& a, const Edits& b) { return is_better(a, b, least_); }

  ModelRun<T>& run_;
  const SettleRequest& request_;
  Settlement& result_;
  TextLosses<T> losses_;
  double least_{least_gain};
};

}  // namespace

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
  return std::any_of(
      settlement.questions.begin(), settlement.questions.end(),
      [](const OpenQuestion& question) { return question.verdict == LossVerdict::contradicted; });
}

bool is_wrong_elsewhere(const Settlement& settlement) {
  return !settlement.is_at_its_best || settlement.loss > settlement.frequencies.of_others;
}

}  // namespace orrery
