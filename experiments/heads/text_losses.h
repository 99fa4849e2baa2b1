#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/transformer/edit.h"
#include "experiments/heads/model_run.h"
#include "experiments/heads/open_question.h"
#include "experiments/model/progress.h"
#include "experiments/statistics/welch.h"
#include "experiments/text/number_text.h"

namespace orrery {

/// As EditForm has them.
using Edits = std::vector<std::string>;

inline Edits joined(Edits first, const Edits& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

/// Mean losses of texts under edits, each computed once.
template <class T>
class TextLosses {
 public:
  /// @param stands  edits of the model that is asked about
  TextLosses(ModelRun<T>& run, const std::vector<ModelText>& texts, Edits stands,
             Progress& progress)
      : run_(run), texts_(texts), stands_(std::move(stands)), progress_(progress) {
    constexpr std::size_t beginning = 16;
    for (std::size_t i = 2; i < texts.size(); ++i) {
      std::size_t& longest = i % 2 == 0 ? longest_ : longest_odd_;
      if (texts[i].tokens.size() > texts[longest].tokens.size()) longest = i;
    }
    const std::vector<std::int32_t>& tokens = texts[longest_].tokens;
    const std::size_t count = std::min<std::size_t>(beginning, tokens.size());
    beginning_.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count));
  }

  double of(const Edits& edits, std::size_t text) { return of(edits, text, texts_[text].tokens); }
  /// Of the first tokens of the longest even text.
  double of_beginning(const Edits& edits) { return of(edits, texts_.size(), beginning_); }
  /// Of the texts from `first` on, every `step`-th.
  std::vector<double> of_texts(const Edits& edits, std::size_t first, std::size_t step) {
    std::vector<double> losses;
    for (std::size_t i = first; i < texts_.size(); i += step) losses.push_back(of(edits, i));
    return losses;
  }

  std::size_t longest() const { return longest_; }  ///< of the even texts
  std::size_t longest_odd() const { return longest_odd_; }
  std::size_t texts() const { return texts_.size(); }
  std::int64_t passes() const { return passes_; }

  /// So many more passes will be needed, over whole texts and over the beginning of one. Tells how
  /// long the first ones will take, from some that are timed.
  void expect(double whole, double beginnings) {
    const double before = done_;
    for (std::size_t i = 0; i < texts_.size() && before == 0; ++i) timed(i);
    const double work = whole * work_of(texts_[longest_].tokens) + beginnings * work_of(beginning_);
    expected_ = before + work;
    if (before > 0 || seconds_ == 0) return;
    const double seconds = seconds_ / timed_ * work;
    constexpr double worth_telling = 5;
    if (seconds > worth_telling)
      progress_.tell(fmt::format("about {} for {:.0f} passes, as long again for each correction",
                                 duration_text(seconds), whole + beginnings));
  }

 private:
  /// In tokens: each pass takes the weights once, which costs about as much as this many.
  static double work_of(const std::vector<std::int32_t>& tokens) {
    constexpr double as_weights = 32;
    return as_weights + static_cast<double>(tokens.size());
  }

  /// The model as it stands, all but the first text with weights that are decoded already.
  void timed(std::size_t text) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    of(stands_, text);
    if (text == 0) return;
    seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
    timed_ += work_of(texts_[text].tokens);
  }

  /// A change that overflows is worse than any other; a model that does so as it stands is no model.
  double loss_of(const Edits& edits, const std::vector<std::int32_t>& tokens) {
    constexpr double overflown = 1000;  // nats
    try {
      return sample_mean(run_.edited_losses(parse_edits(edits), tokens));
    } catch (const NotFiniteError&) {
      if (edits == stands_) throw;
      return overflown;
    }
  }

  double of(const Edits& edits, std::size_t text, const std::vector<std::int32_t>& tokens) {
    std::string key = fmt::format("{}", fmt::join(edits, " "));
    const auto [known, is_new] = known_.try_emplace({std::move(key), text});
    if (!is_new) return known->second;
    const std::string& label = known->first.first;
    const double share = done_ / expected_;
    if (share > shown_) shown_ = share < most_shown ? share : most_shown;
    checkpoint(progress_, shown_, label.empty() ? "as it stands" : label);
    known->second = loss_of(edits, tokens);
    done_ += work_of(tokens);
    ++passes_;
    return known->second;
  }

  ModelRun<T>& run_;
  const std::vector<ModelText>& texts_;
  Edits stands_;
  Progress& progress_;
  std::map<std::pair<std::string, std::size_t>, double> known_{};
  std::size_t longest_{0}, longest_odd_{1};
  std::vector<std::int32_t> beginning_{};
  std::int64_t passes_{0};
  static constexpr double most_shown = 0.99;
  double done_{0}, expected_{std::numeric_limits<double>::infinity()},
      shown_{0};                  ///< work; its share
  double seconds_{0}, timed_{0};  ///< of the passes that were timed, and their work
};

/// Changes of a model: an answer to each of some questions.
struct Candidate {
  std::map<std::string, Hypothesis> answers{};
  double loss{};  ///< of the texts that it was tried on

  /// The model as it stands with these answers.
  Edits edits(const Edits& stands) const {
    Edits all = stands;
    for (const auto& [question, answer] : answers)
      all.insert(all.end(), answer.edits.begin(), answer.edits.end());
    return all;
  }
  Candidate with(const std::string& question, const Hypothesis& answer) const {
    Candidate other = *this;
    other.answers[question] = answer;
    return other;
  }
  /// With later answers in place of its own; a change that is made again is undone, as a sign is.
  Candidate changed_by(const Candidate& later) const {
    Candidate both = *this;
    for (const auto& [question, answer] : later.answers) {
      const auto own = both.answers.find(question);
      if (own != both.answers.end() && own->second.edits == answer.edits)
        both.answers.erase(own);
      else
        both.answers[question] = answer;
    }
    return both;
  }
  Candidate without(const std::string& question) const {
    Candidate other = *this;
    other.answers.erase(question);
    return other;
  }
};

}  // namespace orrery
