#include "experiments/tokenizers/sentencepiece_model.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/tokenizers/sentencepiece_check.h"
#include "experiments/tokenizers/writing.h"

namespace orrery {
namespace {

class SentencePieceTokenizer final : public Tokenizer {
 public:
  SentencePieceTokenizer(std::string_view proto, std::string_view name, const SentenceEnds& ends)
      : name_(name), ends_(ends) {
    const auto status = guarded([&] { return processor_.LoadFromSerializedProto(proto); });
    if (!status.ok()) refuse(status.ToString());
    if (ends.add_bos) require_token(processor_.bos_id(), "first", name);
    if (ends.add_eos) require_token(processor_.eos_id(), "last", name);
  }

  std::vector<TokenSpan> spans(std::string_view text, Special special) const override {
    require_text(text, max_sentencepiece_bytes);
    std::vector<TokenSpan> all;
    const bool adds = special == Special::add;
    if (adds && ends_.add_bos) all.push_back({processor_.bos_id(), 0, 0});
    sentencepiece::ImmutableSentencePieceText encoded;
    const auto status = guarded([&] { return processor_.Encode(text, encoded.mutable_proto()); });
    if (!status.ok()) refuse(status.ToString());
    for (std::size_t i = 0; i < encoded.pieces_size(); ++i) {
      const auto piece = encoded.pieces(static_cast<int>(i));
      all.push_back({static_cast<std::int32_t>(piece.id()), piece.begin(), piece.end()});
    }
    if (adds && ends_.add_eos) all.push_back({processor_.eos_id(), text.size(), text.size()});
    return all;
  }

  std::string piece(std::int32_t id) const override {
    if (id < 0 || id >= processor_.GetPieceSize())
      throw UsageError(fmt::format("token {}", id),
                       fmt::format("ids are 0 to {}", processor_.GetPieceSize() - 1),
                       "give one of them");
    return processor_.IdToPiece(id);
  }

  std::string bytes(std::int32_t id) const override {
    return text_of_piece(piece(id), Writing::metaspace);
  }

  std::size_t size() const override { return static_cast<std::size_t>(processor_.GetPieceSize()); }

 private:
  [[noreturn]] void refuse(std::string_view reason) const {
    throw DataError(
        name_, fmt::format("is refused by libsentencepiece ({})", in_one_line(std::string(reason))),
        "copy or download it again");
  }

  /// Parts of the library throw exceptions of types that its header does not have.
  template <class Call>
  auto guarded(const Call& call) const -> decltype(call()) {
    try {
      return call();
    } catch (const std::exception& error) {
      refuse(error.what());
    }
  }

  static void require_token(int id, std::string_view which, std::string_view name) {
    if (id < 0)
      throw DataError(name, fmt::format("has no {} token, and its model expects one", which),
                      "give the tokenizer.json instead");
  }

  std::string name_;
  sentencepiece::SentencePieceProcessor processor_{};
  SentenceEnds ends_;
};

}  // namespace

std::unique_ptr<Tokenizer> parse_sentencepiece(std::string_view proto, std::string_view name,
                                               const SentenceEnds& ends) {
  check_sentencepiece(proto, name);
  return std::make_unique<SentencePieceTokenizer>(proto, name, ends);
}

}  // namespace orrery
