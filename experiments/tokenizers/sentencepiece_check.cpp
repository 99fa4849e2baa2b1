#include "experiments/tokenizers/sentencepiece_check.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <unordered_set>

#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"
#include "experiments/tokenizers/charsmap.h"
#include "experiments/tokenizers/protobuf.h"
#include "experiments/tokenizers/vocabulary.h"

namespace orrery {
namespace {

// Fields of sentencepiece_model.proto.
constexpr std::uint64_t pieces_field = 1, trainer_field = 2, normalizer_field = 3, tests_field = 4,
                        denormalizer_field = 5;
constexpr std::uint64_t piece_text = 1, piece_score = 2, piece_type = 3;
constexpr std::uint64_t model_type_field = 3, charsmap_field = 2;

constexpr std::uint64_t first_piece_type = 1, unknown_type = 2, last_piece_type = 6;
constexpr std::uint64_t first_model_type = 1, last_model_type = 4;
constexpr std::size_t most_test_bytes = 1 << 16;

class SentencePieceChecker {
 public:
  SentencePieceChecker(std::string_view proto, std::string_view file)
      : file_(file), reader_(proto, file) {}

  void check() {
    ProtoField field;
    while (reader_.next(field)) check_field(field);
    if (seen_.empty()) reader_.refuse("no pieces");
    if (unknowns_ != 1) reader_.refuse(fmt::format("{} unknown pieces", unknowns_));
  }

 private:
  void check_field(const ProtoField& field) {
    if (field.number >= pieces_field && field.number <= denormalizer_field && !field.is_bytes)
      reader_.refuse(fmt::format("field {} that is no message", field.number));
    if (field.number == pieces_field) check_piece(field.bytes);
    if (field.number == trainer_field) check_trainer(field.bytes);
    if (field.number == normalizer_field || field.number == denormalizer_field)
      check_normalizer(field.bytes);
    if (field.number == tests_field && field.bytes.size() > most_test_bytes)
      reader_.refuse(fmt::format("{} bytes of self-tests", field.bytes.size()));
  }

  void check_piece(std::string_view message) {
    ProtoReader fields(message, file_);
    std::string_view text;
    float score = 0;
    std::uint64_t type = first_piece_type;
    for (ProtoField field; fields.next(field);) {
      if (field.number == piece_text) text = field.bytes;
      if (field.number == piece_score)
        score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
      if (field.number == piece_type) type = field.value;
    }
    require_piece(text, score, type);
  }

  void require_piece(std::string_view text, float score, std::uint64_t type) {
    const std::string which = fmt::format("piece {}", seen_.size());
    if (text.empty() || text.size() > longest_piece || !is_utf8(text))
      reader_.refuse(which + " is empty, too long or not UTF-8");
    // The library takes a NUL for the end of a piece.
    if (text.find('\0') != std::string_view::npos) reader_.refuse(which + " holds a NUL");
    if (!std::isfinite(score)) reader_.refuse(which + " has a score that is not finite");
    if (type < first_piece_type || type > last_piece_type)
      reader_.refuse(fmt::format("{} is of type {}", which, type));
    if (!seen_.insert(text).second) reader_.refuse(fmt::format("{} twice", in_quotes(text)));
    if (seen_.size() > static_cast<std::size_t>(most_ids)) reader_.refuse("too many pieces");
    if (type == unknown_type) ++unknowns_;
  }

  void check_trainer(std::string_view message) {
    ProtoReader fields(message, file_);
    for (ProtoField field; fields.next(field);)
      if (field.number == model_type_field &&
          (field.value < first_model_type || field.value > last_model_type))
        reader_.refuse(fmt::format("model type {}", field.value));
  }

  void check_normalizer(std::string_view message) {
    ProtoReader fields(message, file_);
    for (ProtoField field; fields.next(field);)
      if (field.number == charsmap_field && !field.bytes.empty()) Charsmap(field.bytes, file_);
  }

  std::string_view file_;
  ProtoReader reader_;
  std::unordered_set<std::string_view> seen_{};
  int unknowns_{0};
};

}  // namespace

void check_sentencepiece(std::string_view proto, std::string_view file) {
  SentencePieceChecker(proto, file).check();
}

}  // namespace orrery
