#include "experiments/tokenizers/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"
#include "experiments/tokenizers/vocabulary.h"

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
    if (options_.byte_fallback && add_bytes(text, bytes_, tokens))
      return std::reverse(tokens.end() - std::ssize(text), tokens.end());
    if (options_.unknown < 0)
      throw DataError(
          vocabulary().name(),
          fmt::format("has no token for {}, nor one for what is unknown", in_quotes(text)),
          "leave the characters out, or give another tokenizer");
    tokens.push_back({options_.unknown, text.size()});
  }

  std::vector<double> scores_;
  UnigramOptions options_;
  std::array<std::int32_t, 256> bytes_;
  PieceParts parts_;
  double unknown_score_{};
  ByteTrie trie_{};
};

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += character_length(text, at)) ++count;
  return count;
}

/// The pieces that begin with a prefix, without it, but for those that begin with another.
ByteTrie pieces_after(std::string_view prefix, std::string_view other, const Vocabulary& vocabulary,
                      const std::vector<bool>& is_matched) {
  std::vector<ByteTrie::Entry> entries;
  for (std::size_t i = 0; i < vocabulary.slots(); ++i) {
    const std::string_view piece = vocabulary.piece(static_cast<std::int32_t>(i));
    if (!piece.starts_with(prefix) || piece.size() == prefix.size()) continue;
    if (!other.empty() && piece.starts_with(other)) continue;
    if (!is_matched.empty() && !is_matched[i]) continue;
    if (const auto id = vocabulary.id(piece))
      entries.emplace_back(piece.substr(prefix.size()), *id);
  }
  return ByteTrie(std::move(entries));
}

class WordPieceModel final : public Model {
 public:
  WordPieceModel(Vocabulary vocabulary, const WordPieceOptions& options)
      : Model(std::move(vocabulary)),
        most_characters_(options.max_input_chars_per_word),
        unknown_(this->vocabulary().require(options.unknown, "token for what is unknown")),
        first_(
            pieces_after(options.first_subword_prefix, {}, this->vocabulary(), options.is_matched)),
        later_(pieces_after(options.continuing_subword_prefix, options.first_subword_prefix,
                            this->vocabulary(), options.is_matched)) {}

  void tokenize(std::string_view piece, std::vector<Subword>& tokens) const override {
    const std::size_t before = tokens.size();
    if (count_characters(piece) <= most_characters_ && add_longest(piece, tokens)) return;
    tokens.resize(before);
    tokens.push_back({unknown_, piece.size()});
  }

 private:
  bool add_longest(std::string_view piece, std::vector<Subword>& tokens) const {
    for (std::size_t at = 0; at < piece.size();) {
      const auto match = (at == 0 ? first_ : later_).longest(piece.substr(at));
      if (!match) return false;
      tokens.push_back({match->value, match->length});
      at += match->length;
    }
    return true;
  }

  std::size_t most_characters_;
  std::int32_t unknown_;
  ByteTrie first_, later_;
};

}  // namespace

bool add_bytes(std::string_view text, const std::array<std::int32_t, 256>& ids,
               std::vector<Subword>& tokens) {
  const auto id_of = [&](char c) { return ids[static_cast<unsigned char>(c)]; };
  if (std::any_of(text.begin(), text.end(), [&](char c) { return id_of(c) < 0; })) return false;
  for (const char c : text) tokens.push_back({id_of(c), 1});
  return true;
}

std::unique_ptr<Model> unigram_model(Vocabulary vocabulary, std::vector<double> scores,
                                     UnigramOptions options) {
  check_invariant(scores.size() == vocabulary.slots(), "every token has a score");
  return std::make_unique<UnigramModel>(std::move(vocabulary), std::move(scores),
                                        std::move(options));
}

std::unique_ptr<Model> word_piece_model(Vocabulary vocabulary, const WordPieceOptions& options) {
  return std::make_unique<WordPieceModel>(std::move(vocabulary), options);
}

}  // namespace orrery
