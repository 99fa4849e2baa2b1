#include "experiments/tokenizers/wordpiece.h"

#include "experiments/text/utf8.h"
#include "experiments/tokenizers/byte_trie.h"

namespace orrery {
namespace {

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

std::unique_ptr<Model> word_piece_model(Vocabulary vocabulary, const WordPieceOptions& options) {
  return std::make_unique<WordPieceModel>(std::move(vocabulary), options);
}

}  // namespace orrery
