#include "experiments/tokenizers/bpe.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"
#include "experiments/tokenizers/merge_chain.h"

namespace orrery {
namespace {

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

  bool add_bytes(std::string_view text, std::vector<Subword>& tokens) const {
    for (const char c : text)
      if (bytes_[static_cast<unsigned char>(c)] < 0) return false;
    for (const char c : text) tokens.push_back({bytes_[static_cast<unsigned char>(c)], 1});
    return true;
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
      } else if (!(options_.byte_fallback && add_bytes(text, tokens)) && options_.unknown) {
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

}  // namespace

std::unique_ptr<Model> bpe_model(Vocabulary vocabulary, const MergeList& merges,
                                 BpeOptions options) {
  return std::make_unique<BpeModel>(std::move(vocabulary), merges, std::move(options));
}

}  // namespace orrery
