#include "experiments/tokenizers/models.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

/// What two neighbours become, and how soon: the smallest rank comes first.
struct Merge {
  double rank{};
  std::int32_t id{};
};

/// A link of the chain of tokens that merges shorten. A token that was merged into its left neighbour
/// has length 0.
struct Link {
  std::int32_t id{};
  std::size_t begin{}, length{};     ///< bytes of the piece
  std::ptrdiff_t before{}, after{};  ///< neighbours, -1 for none
};

/// The chain of tokens that stand for a piece from its first byte on.
std::vector<Link> chain_of(const std::vector<Subword>& tokens) {
  std::vector<Link> chain;
  std::size_t begin = 0;
  for (const Subword& token : tokens) {
    const auto i = static_cast<std::ptrdiff_t>(chain.size());
    chain.push_back({token.id, begin, token.length, i - 1, i + 1});
    begin += token.length;
  }
  if (!chain.empty()) chain.back().after = -1;
  return chain;
}

/// Merges neighbours until no two can be: that of the smallest rank first, of equal ones the leftmost.
/// @param merge_of  (const Link& left, const Link& right) → std::optional<Merge>
/// Cost: n log n.
template <class MergeOf>
void merge_neighbours(std::vector<Link>& chain, const MergeOf& merge_of) {
  struct Candidate {
    double rank;
    std::ptrdiff_t left;
    std::int32_t id;
    bool operator<(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };
  std::priority_queue<Candidate> queue;
  const auto at = [&](std::ptrdiff_t i) -> Link& { return chain[static_cast<std::size_t>(i)]; };
  const auto consider = [&](std::ptrdiff_t left, std::ptrdiff_t right) {
    if (left < 0 || right < 0) return;
    if (const std::optional<Merge> merge = merge_of(at(left), at(right)))
      queue.push({merge->rank, left, merge->id});
  };
  for (std::size_t i = 1; i < chain.size(); ++i)
    consider(static_cast<std::ptrdiff_t>(i) - 1, static_cast<std::ptrdiff_t>(i));
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Link& left = at(best.left);
    if (left.length == 0 || left.after < 0) continue;
    Link& right = at(left.after);
    // A candidate is out of date when its tokens have been merged with others since.
    const std::optional<Merge> merge = merge_of(left, right);
    if (!merge || merge->id != best.id) continue;
    left.id = best.id;
    left.length += right.length;
    right.length = 0;
    left.after = right.after;
    if (left.after >= 0) at(left.after).before = best.left;
    consider(left.before, best.left);
    consider(best.left, left.after);
  }
}

using PairKey = std::uint64_t;

PairKey pair_key(std::int32_t left, std::int32_t right) {
  return static_cast<PairKey>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

class BpeModel final : public Model {
 public:
  BpeModel(Vocabulary vocabulary, const MergeList& merges, BpeOptions options)
      : Model(std::move(vocabulary)),
        options_(std::move(options)),
        bytes_(byte_ids(this->vocabulary())),
        parts_(this->vocabulary()) {
    merges_.reserve(merges.size());
    for (std::size_t rank = 0; rank < merges.size(); ++rank) add_merge(merges[rank], rank);
  }

  void tokenize(std::string_view piece, std::vector<Subword>& tokens) const override {
    if (options_.ignore_merges)
      if (const auto id = vocabulary().id(piece)) return tokens.push_back({*id, piece.size()});
    if (!options_.continuing_subword_prefix.empty() || !options_.end_of_word_suffix.empty())
      return add_merged(piece, tokens);
    parts_.each(piece, [&](std::string_view part) { add_merged(part, tokens); });
  }

 private:
  void add_merged(std::string_view piece, std::vector<Subword>& tokens) const {
    std::vector<Link> chain = chain_of(characters(piece));
    merge_neighbours(chain,
                     [&](const Link& left, const Link& right) { return merge_of(left, right); });
    for (const Link& link : chain)
      if (link.length > 0) tokens.push_back({link.id, link.length});
  }

  void add_merge(const std::pair<std::string, std::string>& pair, std::size_t rank) {
    const std::int32_t left = vocabulary().require(pair.first, "part of a merge");
    const std::int32_t right = vocabulary().require(pair.second, "part of a merge");
    const std::size_t prefix = options_.continuing_subword_prefix.size();
    if (pair.second.size() < prefix)
      throw DataError(
          vocabulary().name(),
          fmt::format("merges {}, which is shorter than the prefix {}", in_quotes(pair.second),
                      in_quotes(options_.continuing_subword_prefix)),
          "copy or download it again");
    const std::int32_t both =
        vocabulary().require(pair.first + pair.second.substr(prefix), "result of a merge");
    merges_[pair_key(left, right)] = {static_cast<double>(rank), both};
  }

  std::optional<Merge> merge_of(const Link& left, const Link& right) const {
    const auto found = merges_.find(pair_key(left.id, right.id));
    if (found == merges_.end()) return std::nullopt;
    return found->second;
  }

  std::string written(std::string_view character, bool is_first, bool is_last) const {
    std::string text(character);
    if (!is_first) text.insert(0, options_.continuing_subword_prefix);
    if (is_last) text += options_.end_of_word_suffix;
    return text;
  }

  std::vector<Subword> characters(std::string_view piece) const {
    std::vector<Subword> tokens;
    std::size_t unknown = 0;  // bytes of characters without a token that wait for theirs
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t begin = at;
      at += character_length(piece, at);
      const std::size_t length = at - begin;
      const std::string text = written(piece.substr(begin, length), begin == 0, at == piece.size());
      if (const auto id = vocabulary().id(text)) {
        add_unknown(unknown, tokens);
        tokens.push_back({*id, length});
      } else if (!(options_.byte_fallback && add_bytes(text, bytes_, tokens)) && options_.unknown) {
        if (!options_.fuse_unknown) add_unknown(unknown, tokens);
        unknown += length;
      }
    }
    add_unknown(unknown, tokens);
    return tokens;
  }

  void add_unknown(std::size_t& length, std::vector<Subword>& tokens) const {
    if (length == 0) return;
    tokens.push_back(
        {vocabulary().require(*options_.unknown, "token for what is unknown"), length});
    length = 0;
  }

  BpeOptions options_;
  std::array<std::int32_t, 256> bytes_;
  std::unordered_map<PairKey, Merge> merges_;
  PieceParts parts_;
};

constexpr std::int32_t no_token = -1;

class ScoredBpeModel final : public Model {
 public:
  ScoredBpeModel(Vocabulary vocabulary, std::vector<double> scores, std::int32_t unknown)
      : Model(std::move(vocabulary)),
        scores_(std::move(scores)),
        unknown_(unknown),
        bytes_(byte_ids(this->vocabulary())),
        parts_(this->vocabulary()) {}

  void tokenize(std::string_view piece, std::vector<Subword>& tokens) const override {
    parts_.each(piece, [&](std::string_view part) { add_merged(part, tokens); });
  }

 private:
  void add_merged(std::string_view piece, std::vector<Subword>& tokens) const {
    std::vector<Link> chain = chain_of(characters_of(piece));
    merge_neighbours(chain, [&](const Link& left, const Link& right) {
      return merge_of(piece.substr(left.begin, left.length + right.length));
    });
    for (const Link& link : chain)
      if (link.length > 0) add_token(link.id, piece.substr(link.begin, link.length), tokens);
  }

  std::vector<Subword> characters_of(std::string_view piece) const {
    std::vector<Subword> tokens;
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t length = character_length(piece, at);
      tokens.push_back({vocabulary().id(piece.substr(at, length)).value_or(no_token), length});
      at += length;
    }
    return tokens;
  }

  std::optional<Merge> merge_of(std::string_view both) const {
    const auto id = vocabulary().id(both);
    if (!id) return std::nullopt;
    return Merge{-scores_[static_cast<std::size_t>(*id)], *id};
  }

  void add_token(std::int32_t id, std::string_view text, std::vector<Subword>& tokens) const {
    if (id != no_token) return tokens.push_back({id, text.size()});
    if (!add_bytes(text, bytes_, tokens)) add_unknown(text, tokens);
  }

  void add_unknown(std::string_view text, std::vector<Subword>& tokens) const {
    if (unknown_ == no_token)
      throw DataError(
          vocabulary().name(),
          fmt::format("has no token for the character {}, nor for its bytes", in_quotes(text)),
          "leave the character out, or give another tokenizer");
    tokens.push_back({unknown_, text.size()});
  }

  std::vector<double> scores_;
  std::int32_t unknown_;
  std::array<std::int32_t, 256> bytes_;
  PieceParts parts_;
};

}  // namespace

std::unique_ptr<Model> bpe_model(Vocabulary vocabulary, const MergeList& merges,
                                 BpeOptions options) {
  return std::make_unique<BpeModel>(std::move(vocabulary), merges, std::move(options));
}

std::unique_ptr<Model> scored_bpe_model(Vocabulary vocabulary, std::vector<double> scores,
                                        std::int32_t unknown) {
  check_invariant(scores.size() == vocabulary.slots(), "every token has a score");
  return std::make_unique<ScoredBpeModel>(std::move(vocabulary), std::move(scores), unknown);
}

}  // namespace orrery
