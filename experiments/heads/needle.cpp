#include "experiments/heads/needle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.h"
#include "core/random.h"
#include "experiments/heads/model_run.h"
#include "experiments/heads/repeat.h"

namespace orrery {
namespace {

using Ids = std::vector<std::int32_t>;

void append_ids(Ids& to, const Ids& more) { to.insert(to.end(), more.begin(), more.end()); }

/// What a model makes of an answer.
struct Judged {
  double loss{};
  bool retrieved{};
};

template <class T>
class NeedleSearch {
 public:
  NeedleSearch(ModelRun<T>& run, NeedleTable& table, Progress& progress)
      : run_(run), request_(table.request), table_(table), progress_(progress) {
    run.require_losses();
    run.require_token(request_.first, "first");
    edits_ = parse_edits(request_.edits);
    for (const Edit& edit : edits_) table_.edits.push_back(edit_text(edit));
    draw_needles();
  }

  void fill() {
    const std::size_t steps = request_.lengths.size() * needles_.size();
    std::vector<double> all_with(needles_.size()), all_without(needles_.size());  // Σ over cells
    std::size_t done = 0;
    for (const std::int64_t length : request_.lengths) {
      std::vector<NeedleCell> row;
      for (const double depth : table_.depths) row.push_back({.length = length, .depth = depth});
      std::vector<double> without;
      for (std::size_t r = 0; r < needles_.size(); ++r) {
        checkpoint(progress_, done++, steps, "needles");
        without.push_back(judged(context_without(r, length), needles_[r]).loss);
        for (NeedleCell& cell : row) {
          const Judged with = judged(context_with(r, length, cell.depth), needles_[r]);
          cell.losses.push_back(with.loss);
          all_with[r] += with.loss;
          all_without[r] += without.back();
          cell.retrieved += with.retrieved ? 1 / static_cast<double>(needles_.size()) : 0;
        }
      }
      for (NeedleCell& cell : row) {
        cell.loss = sample_mean(cell.losses);
        cell.gain = paired_test(cell.losses, without);
        table_.cells.push_back(std::move(cell));
      }
    }
    const auto cells = static_cast<double>(table_.cells.size());
    for (std::size_t r = 0; r < needles_.size(); ++r) {
      all_with[r] /= cells;
      all_without[r] /= cells;
    }
    table_.gain = paired_test(all_with, all_without);
  }

 private:
  void draw_needles() {
    if (!request_.needle.empty()) {
      needles_.assign(static_cast<std::size_t>(request_.draws), request_.needle.front());
      return;
    }
    Ids taken;
    for (const ModelText& text : request_.texts) append_ids(taken, text.tokens);
    if (request_.first >= 0) taken.push_back(request_.first);
    std::sort(taken.begin(), taken.end());
    taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
    const std::int64_t free = run_.vocabulary_size() - static_cast<std::int64_t>(taken.size());
    if (free < request_.key + request_.value)
      throw UsageError(fmt::format("{} tokens of the vocabulary are not in the texts", free),
                       fmt::format("a needle is made of {}", request_.key + request_.value),
                       "give a shorter text, or the needle with --fact, --question and --answer");
    for (std::int64_t r = 0; r < request_.draws; ++r) {
      Random random(request_.seed, fmt::format("needle {}", r));
      Needle needle;
      needle.fact =
          random_tokens(random, request_.key + request_.value, run_.vocabulary_size(), taken);
      const auto value = needle.fact.begin() + static_cast<std::ptrdiff_t>(request_.key);
      needle.question.assign(needle.fact.begin(), value);
      needle.answer.assign(value, needle.fact.end());
      needles_.push_back(std::move(needle));
    }
  }

  /// `count` tokens of a text, another part of it for each draw.
  Ids hay(std::size_t draw, std::int64_t count) const {
    const std::size_t texts = request_.texts.size();
    const ModelText& text = request_.texts[draw % texts];
    const auto all = static_cast<std::int64_t>(text.tokens.size());
    if (all < count)
      throw UsageError(fmt::format("{}: {} tokens", text.name, all),
                       fmt::format("a context takes {} of them", count),
                       "give a longer text, or smaller lengths=");
    const auto number = static_cast<std::int64_t>(draw / texts);
    const std::int64_t parts =
        (request_.draws + static_cast<std::int64_t>(texts) - 1) / static_cast<std::int64_t>(texts);
    const std::int64_t begin = parts > 1 ? (all - count) * number / (parts - 1) : 0;
    const auto from = text.tokens.begin() + static_cast<std::ptrdiff_t>(begin);
    return {from, from + static_cast<std::ptrdiff_t>(count)};
  }

  /// Tokens of the text in a context that has `fact` tokens of a fact.
  std::int64_t hay_tokens(const Needle& needle, std::int64_t length, std::size_t fact) const {
    const auto taken = static_cast<std::int64_t>(fact + needle.question.size());
    if (length <= taken)
      throw UsageError(fmt::format("length {}", length),
                       fmt::format("fact and question alone have {} tokens", taken),
                       "give larger lengths=");
    return length - taken;
  }

  Ids begun() const { return request_.first >= 0 ? Ids{request_.first} : Ids{}; }

  Ids context_with(std::size_t draw, std::int64_t length, double depth) const {
    const Needle& needle = needles_[draw];
    const Ids text = hay(draw, hay_tokens(needle, length, needle.fact.size()));
    const auto before =
        static_cast<std::ptrdiff_t>(std::llround(depth * static_cast<double>(text.size())));
    Ids context = begun();
    context.insert(context.end(), text.begin(), text.begin() + before);
    append_ids(context, needle.fact);
    context.insert(context.end(), text.begin() + before, text.end());
    append_ids(context, needle.question);
    return context;
  }

  Ids context_without(std::size_t draw, std::int64_t length) const {
    Ids context = begun();
    append_ids(context, hay(draw, hay_tokens(needles_[draw], length, 0)));
    append_ids(context, needles_[draw].question);
    return context;
  }

  Judged judged(Ids context, const Needle& needle) {
    const auto first = static_cast<Index>(context.size()) - 1;
    append_ids(context, needle.answer);
    context.pop_back();
    const Matrix<T> hidden = run_.edited_pass(edits_, context);
    const auto count = static_cast<Index>(needle.answer.size());
    const Matrix<T> logits = run_.logits(edits_, hidden.middleRows(first, count));
    ++table_.passes;
    Judged judged{.retrieved = true};
    for (Index t = 0; t < count; ++t) {
      const std::vector<double> p = probabilities_of<T>(logits, t);
      const std::int32_t token = needle.answer[static_cast<std::size_t>(t)];
      judged.loss -= std::log(p[static_cast<std::size_t>(token)]) / static_cast<double>(count);
      judged.retrieved = judged.retrieved && most_probable(p, 1).front() == token;
    }
    return judged;
  }

  ModelRun<T>& run_;
  const NeedleRequest& request_;
  NeedleTable& table_;
  Progress& progress_;
  std::vector<Edit> edits_{};
  std::vector<Needle> needles_{};  ///< of each draw
};

}  // namespace

NeedleTable find_needles(LiveModel& model, const NeedleRequest& request, Progress& progress) {
  NeedleTable table{.model = model.name(), .family = model.family(), .request = request};
  for (std::size_t d = 0; d < request.depths; ++d)
    table.depths.push_back(request.depths == 1
                               ? 0.5
                               : static_cast<double>(d) / static_cast<double>(request.depths - 1));
  model.with_run(progress, [&](auto& run) { NeedleSearch(run, table, progress).fill(); });
  return table;
}

}  // namespace orrery
