#include "experiments/tokenizers/scored_bpe.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"
#include "experiments/tokenizers/merge_chain.h"

namespace orrery {
namespace {

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
    for (const char c : text)
      if (bytes_[static_cast<unsigned char>(c)] < 0) return add_unknown(text, tokens);
    for (const char c : text) tokens.push_back({bytes_[static_cast<unsigned char>(c)], 1});
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

std::unique_ptr<Model> scored_bpe_model(Vocabulary vocabulary, std::vector<double> scores,
                                        std::int32_t unknown) {
  check_invariant(scores.size() == vocabulary.slots(), "every token has a score");
  return std::make_unique<ScoredBpeModel>(std::move(vocabulary), std::move(scores), unknown);
}

}  // namespace orrery
