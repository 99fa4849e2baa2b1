#include "experiments/tokenizers/read_tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <bit>
#include <cmath>
#include <unordered_set>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"
#include "experiments/tokenizers/byte_level.h"
#include "experiments/tokenizers/charsmap.h"
#include "experiments/tokenizers/vocabulary.h"

namespace orrery {
namespace {

// Kinds of values, in the low bits of a field's key.
constexpr std::uint64_t varint_kind = 0, eight_bytes_kind = 1, bytes_kind = 2, four_bytes_kind = 5;
constexpr unsigned kind_bits = 3, varint_bits = 7, most_shift = 63;

/// A field of a message in Protocol Buffers' encoding.
struct ProtoField {
  std::uint64_t number{};
  std::uint64_t value{};     ///< of a number; for a float its 4 bytes
  std::string_view bytes{};  ///< of a text or a message
  bool is_bytes{};
};

/// Reads the fields of a message one after another.
class ProtoReader {
 public:
  ProtoReader(std::string_view message, std::string_view file) : rest_(message), file_(file) {}

  /// False at the end. Throws DataError: cut off, a number of more than 10 bytes, or a group.
  bool next(ProtoField& field) {
    if (rest_.empty()) return false;
    const std::uint64_t key = varint();
    field = {.number = key >> kind_bits};
    switch (key & ((1U << kind_bits) - 1)) {
      case varint_kind:
        field.value = varint();
        return true;
      case eight_bytes_kind:
        field.value = little_endian(8);
        return true;
      case four_bytes_kind:
        field.value = little_endian(4);
        return true;
      case bytes_kind:
        field.bytes = take(varint());
        field.is_bytes = true;
        return true;
      default:
        refuse("a field of no known kind");
    }
  }

  [[noreturn]] void refuse(std::string_view what) const {
    throw DataError(file_, fmt::format("is a damaged tokenizer.model ({})", what),
                    "copy or download it again");
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift <= most_shift; shift += varint_bits) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    refuse("a number that is too long");
  }

  std::uint64_t little_endian(std::size_t bytes) {
    const std::string_view part = take(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(part[i]);
    return value;
  }

  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) refuse("cut off");
    const std::string_view part = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(static_cast<std::size_t>(count));
    return part;
  }

  std::string_view rest_;
  std::string_view file_;
};

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

/// Checks what libsentencepiece takes on trust before it is given a file: the fields of each message are
/// whole; there are 1 to 2^21 pieces of 1 to 4096 bytes of UTF-8 without NULs, each of a known type, with a finite
/// score, and no two alike; one is unknown; the model is of a known type; no search in a map of
/// characters leaves its array (Charsmap); self-tests, which it would run, are few and short.
/// Throws DataError.
void check_sentencepiece(std::string_view proto, std::string_view file) {
  SentencePieceChecker(proto, file).check();
}

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
