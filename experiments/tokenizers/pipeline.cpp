#include "experiments/tokenizers/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.h"

namespace orrery {
namespace {

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
    const Origin origin = begin < end ? origin_of(piece, begin, end) : Origin{last, last};
    out.push_back({token.id, origin.begin, origin.end});
    begin = end;
  }
}

class PipelineTokenizer final : public Tokenizer {
 public:
  explicit PipelineTokenizer(TokenizerStages pipeline)
      : added_(pipeline.added),
        separator_(std::move(pipeline.added), std::move(pipeline.normalizer)),
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
      const Origin origin = origin_of(stretch.text, 0, stretch.text.text.size());
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
