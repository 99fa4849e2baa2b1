#include "experiments/tokenizers/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/errors.h"
#include "experiments/tokenizers/stages.h"
#include "experiments/tokenizers/unicode.h"
#include "experiments/tokenizers/vocabulary.h"

namespace orrery {
namespace {

/// A stretch of a text: an added token, or what is between two.
struct Stretch {
  AlignedText text{};
  std::optional<std::int32_t> id{};
};

/// Where the character before `at` begins. Needs at > 0.
std::size_t before(std::string_view text, std::size_t at) {
  do --at;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80);
  return at;
}

char32_t character_at(std::string_view text, std::size_t at) { return next_character(text, at); }

bool is_single_word(std::string_view text, const TextRange& match) {
  if (match.begin > 0 && is_word_character(character_at(text, before(text, match.begin))))
    return false;
  return match.end == text.size() || !is_word_character(character_at(text, match.end));
}

std::size_t begin_of_space_before(std::string_view text, std::size_t at) {
  while (at > 0) {
    const std::size_t previous = before(text, at);
    if (!is_white_space(character_at(text, previous))) return at;
    at = previous;
  }
  return at;
}

std::size_t end_of_space_after(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (!is_white_space(next_character(text, next))) return at;
    at = next;
  }
  return at;
}

void add_text(const AlignedText& text, std::size_t begin, std::size_t end,
              std::vector<Stretch>& out) {
  if (begin < end) out.push_back({slice(text, begin, end), std::nullopt});
}

/// Finds added tokens, from left to right the longest one; of two that are alike the first.
class AddedTokens {
 public:
  AddedTokens(const std::vector<AddedToken>& tokens, Normalizer normalizer)
      : normalizer_(std::move(normalizer)) {
    std::vector<AddedToken> raw, normalized;
    for (AddedToken token : tokens) {
      if (token.content.empty()) continue;
      if (token.normalized && normalizer_) token.content = normalizer_(aligned(token.content)).text;
      if (!token.content.empty()) (token.normalized ? normalized : raw).push_back(std::move(token));
    }
    raw_ = patterns_of(std::move(raw));
    normalized_ = patterns_of(std::move(normalized));
  }

  /// The text without the tokens that are sought in it as it is, normalised, and without those that are
  /// sought then. No stretch is empty.
  std::vector<Stretch> separate(AlignedText text) const {
    std::vector<Stretch> raw, all;
    find(raw_, std::move(text), raw);
    for (Stretch& stretch : raw) {
      if (stretch.id) {
        all.push_back(std::move(stretch));
        continue;
      }
      if (normalizer_) stretch.text = normalizer_(std::move(stretch.text));
      find(normalized_, std::move(stretch.text), all);
    }
    return all;
  }

 private:
  struct Patterns {
    std::vector<AddedToken> tokens{};
    ByteTrie trie{};
  };

  static Patterns patterns_of(std::vector<AddedToken> tokens) {
    std::vector<ByteTrie::Entry> entries;
    for (const AddedToken& token : tokens)
      entries.emplace_back(token.content, static_cast<std::int32_t>(entries.size()));
    ByteTrie trie(std::move(entries));
    return {.tokens = std::move(tokens), .trie = std::move(trie)};
  }

  static void find(const Patterns& patterns, AlignedText text, std::vector<Stretch>& out) {
    const std::string_view bytes = text.text;
    std::size_t done = 0;
    for (std::size_t at = 0; at < bytes.size();) {
      const auto match = patterns.trie.longest(bytes.substr(at));
      if (!match) {
        ++at;
        continue;
      }
      const AddedToken& token = patterns.tokens[static_cast<std::size_t>(match->value)];
      TextRange range{at, at + match->length};
      at = range.end;
      if (token.single_word && !is_single_word(bytes, range)) continue;
      if (token.lstrip)
        range = {std::max<std::size_t>(begin_of_space_before(bytes, range.begin), done), range.end};
      if (token.rstrip) range = {range.begin, end_of_space_after(bytes, range.end)};
      add_text(text, done, range.begin, out);
      out.push_back({slice(text, range.begin, range.end), token.id});
      done = range.end;
    }
    if (done > 0)
      add_text(text, done, bytes.size(), out);
    else if (!text.empty())
      out.push_back({std::move(text), std::nullopt});
  }

  Normalizer normalizer_;
  Patterns raw_{}, normalized_{};
};

// Words come again and again; longer pieces seldom do.
constexpr std::size_t longest_cached = 256;
constexpr std::size_t most_cached = std::size_t{1} << 16;

/// The tokens of pieces, each of which is tokenized once.
class PieceCache {
 public:
  explicit PieceCache(const Model& model) : model_(model) {}

  const std::vector<Subword>& tokens_of(const std::string& piece) {
    if (const auto found = cached_.find(piece); found != cached_.end()) return found->second;
    std::vector<Subword> tokens;
    model_.tokenize(piece, tokens);
    if (piece.size() <= longest_cached && cached_.size() < most_cached)
      return cached_.emplace(piece, std::move(tokens)).first->second;
    return last_ = std::move(tokens);
  }

 private:
  const Model& model_;
  TextMap<std::vector<Subword>> cached_{};
  std::vector<Subword> last_{};
};

void add_spans(const AlignedText& piece, const std::vector<Subword>& tokens,
               std::vector<TokenSpan>& out) {
  std::size_t begin = 0;
  for (const Subword& token : tokens) {
    // A suffix that a vocabulary writes behind words has bytes of its own, and no place in the text.
    const std::size_t end = std::min<std::size_t>(begin + token.length, piece.text.size());
    const std::uint32_t last = piece.origins.back().end;
    const AlignedText::Origin origin =
        begin < end ? origin_of(piece, begin, end) : AlignedText::Origin{last, last};
    out.push_back({token.id, origin.begin, origin.end});
    begin = end;
  }
}

class PipelineTokenizer final : public Tokenizer {
 public:
  explicit PipelineTokenizer(TokenizerStages pipeline)
      : added_(std::move(pipeline.added)),
        separator_(added_, std::move(pipeline.normalizer)),
        pre_tokenizer_(std::move(pipeline.pre_tokenizer)),
        model_(std::move(pipeline.model)),
        around_(std::move(pipeline.around)),
        writing_(pipeline.writing) {
    size_ = model_->vocabulary().slots();
    for (const AddedToken& token : added_) {
      added_by_id_.emplace(token.id, token.content);
      size_ = std::max<std::size_t>(size_, static_cast<std::size_t>(token.id) + 1);
    }
  }

  std::vector<TokenSpan> spans(std::string_view text, Special special) const override {
    require_text(text);
    std::vector<TokenSpan> inner = spans_of_text(text), all;
    for (const TemplatePart& part : around_) {
      if (part.is_text && all.empty())
        all.swap(inner);
      else if (part.is_text)
        all.insert(all.end(), inner.begin(), inner.end());
      const std::size_t place = all.empty() ? 0 : all.back().end;
      if (special == Special::add)
        for (const std::int32_t id : part.ids) all.push_back({id, place, place});
    }
    return all;
  }

  std::string piece(std::int32_t id) const override {
    require_id(id);
    if (const auto found = added_by_id_.find(id); found != added_by_id_.end()) return found->second;
    return model_->vocabulary().piece(id);
  }

  std::string bytes(std::int32_t id) const override {
    require_id(id);
    if (const auto found = added_by_id_.find(id); found != added_by_id_.end()) return found->second;
    return text_of_piece(model_->vocabulary().piece(id), writing_);
  }

  std::size_t size() const override { return size_; }

 private:
  void require_id(std::int32_t id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= size_)
      throw UsageError(fmt::format("token {}", id), fmt::format("ids are 0 to {}", size_ - 1),
                       "give one of them");
  }

  std::vector<TokenSpan> spans_of_text(std::string_view text) const {
    std::vector<TokenSpan> all;
    if (text.empty()) return all;
    all.reserve(text.size());  // memory that is not written to is not taken
    PieceCache cache(*model_);
    for (Stretch& stretch : separator_.separate(aligned(text))) {
      if (!stretch.id) {
        add_pieces(std::move(stretch.text), cache, all);
        continue;
      }
      const AlignedText::Origin origin = origin_of(stretch.text, 0, stretch.text.text.size());
      all.push_back({*stretch.id, origin.begin, origin.end});
    }
    return all;
  }

  void add_pieces(AlignedText text, PieceCache& cache, std::vector<TokenSpan>& all) const {
    const PieceSink add = [&](const AlignedText& piece) {
      add_spans(piece, cache.tokens_of(piece.text), all);
    };
    if (pre_tokenizer_)
      pre_tokenizer_(std::move(text), add);
    else
      add(std::move(text));
  }

  std::vector<AddedToken> added_;
  AddedTokens separator_;
  PreTokenizer pre_tokenizer_;
  std::unique_ptr<Model> model_;
  Template around_;
  Writing writing_;
  std::size_t size_{};
  std::unordered_map<std::int32_t, std::string> added_by_id_{};
};

}  // namespace

Template template_around(std::vector<std::int32_t> before, std::vector<std::int32_t> behind) {
  return {{.is_text = false, .ids = std::move(before)},
          {.is_text = true, .ids = {}},
          {.is_text = false, .ids = std::move(behind)}};
}

std::unique_ptr<Tokenizer> pipeline_tokenizer(TokenizerStages pipeline) {
  check_invariant(pipeline.model != nullptr, "a tokenizer has a model");
  return std::make_unique<PipelineTokenizer>(std::move(pipeline));
}

}  // namespace orrery
