#include "experiments/tokenizers/unigram.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"
#include "experiments/tokenizers/byte_trie.h"
#include "experiments/tokenizers/merge_chain.h"

namespace orrery {
namespace {

constexpr double unknown_penalty = 10;
constexpr std::uint32_t not_reached = std::numeric_limits<std::uint32_t>::max();

/// The best tokens that end at a byte.
struct Ending {
  double score{};
  std::uint32_t begin{not_reached};  // of the last of them
  std::int32_t id{};
};

class UnigramModel final : public Model {
 public:
  UnigramModel(Vocabulary vocabulary, std::vector<double> scores, UnigramOptions options)
      : Model(std::move(vocabulary)),
        scores_(std::move(scores)),
        options_(std::move(options)),
        bytes_(byte_ids(this->vocabulary())),
        parts_(this->vocabulary(), options_.is_matched) {
    std::vector<ByteTrie::Entry> entries;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      if (holds(options_.is_scored, i) && scores_[i] < lowest) lowest = scores_[i];
      if (!holds(options_.is_matched, i)) continue;
      const std::string_view piece = this->vocabulary().piece(static_cast<std::int32_t>(i));
      if (!piece.empty()) entries.emplace_back(piece, this->vocabulary().require(piece, "token"));
    }
    unknown_score_ = lowest - unknown_penalty;
    trie_ = ByteTrie(std::move(entries));
  }

  void tokenize(std::string_view piece, std::vector<Subword>& tokens) const override {
    double score = 0;
    parts_.each(piece, [&](std::string_view part) { score = add_best(part, score, tokens); });
  }

 private:
  /// Appends the best tokens of a part, and returns their score and that of the parts before.
  double add_best(std::string_view piece, double score_before, std::vector<Subword>& tokens) const {
    const std::size_t before = tokens.size();
    const std::vector<Ending> best = best_endings(piece, score_before);
    std::size_t end = piece.size();
    while (end > 0) {
      const std::size_t begin = begin_of_run(best, end);
      add_reversed(piece.substr(begin, end - begin), best[end].id, tokens);
      end = begin;
    }
    std::reverse(tokens.begin() + static_cast<std::ptrdiff_t>(before), tokens.end());
    return best.back().score;
  }

  static bool holds(const std::vector<bool>& flags, std::size_t i) {
    return flags.empty() || flags[i];
  }

  static void improve(Ending& ending, double score, std::size_t begin, std::int32_t id) {
    if (ending.begin == not_reached || score > ending.score)
      ending = {score, static_cast<std::uint32_t>(begin), id};
  }

  std::vector<Ending> best_endings(std::string_view piece, double score_before) const {
    std::vector<Ending> best(piece.size() + 1);
    best.front().score = score_before;
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t length = character_length(piece, at);
      const double score = best[at].score;
      bool has_token = false;
      trie_.each_prefix(piece.substr(at), [&](std::size_t covered, std::int32_t id) {
        improve(best[at + covered], score + scores_[static_cast<std::size_t>(id)], at, id);
        has_token = has_token || covered == length;
      });
      if (!has_token) improve(best[at + length], score + unknown_score_, at, options_.unknown);
      at += length;
    }
    return best;
  }

  /// Where the token that ends at `end` begins, or the run of unknown ones.
  std::size_t begin_of_run(const std::vector<Ending>& best, std::size_t end) const {
    std::size_t begin = best[end].begin;
    while (begin > 0 && best[end].id == options_.unknown && best[begin].id == options_.unknown)
      begin = best[begin].begin;
    return begin;
  }

  void add_reversed(std::string_view text, std::int32_t id, std::vector<Subword>& tokens) const {
    if (id != options_.unknown) return tokens.push_back({id, text.size()});
    // A run of unknown characters may be a token as a whole.
    if (const auto whole = vocabulary().id(text)) return tokens.push_back({*whole, text.size()});
    if (options_.byte_fallback && add_bytes_reversed(text, tokens)) return;
    if (options_.unknown < 0)
      throw DataError(
          vocabulary().name(),
          fmt::format("has no token for {}, nor one for what is unknown", in_quotes(text)),
          "leave the characters out, or give another tokenizer");
    tokens.push_back({options_.unknown, text.size()});
  }

  bool add_bytes_reversed(std::string_view text, std::vector<Subword>& tokens) const {
    for (const char c : text)
      if (bytes_[static_cast<unsigned char>(c)] < 0) return false;
    for (auto c = text.rbegin(); c != text.rend(); ++c)
      tokens.push_back({bytes_[static_cast<unsigned char>(*c)], 1});
    return true;
  }

  std::vector<double> scores_;
  UnigramOptions options_;
  std::array<std::int32_t, 256> bytes_;
  PieceParts parts_;
  double unknown_score_{};
  ByteTrie trie_{};
};

}  // namespace

std::unique_ptr<Model> unigram_model(Vocabulary vocabulary, std::vector<double> scores,
                                     UnigramOptions options) {
  check_invariant(scores.size() == vocabulary.slots(), "every token has a score");
  return std::make_unique<UnigramModel>(std::move(vocabulary), std::move(scores),
                                        std::move(options));
}

}  // namespace orrery
