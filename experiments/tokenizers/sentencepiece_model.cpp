#include "experiments/tokenizers/read_tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

#include <bit>
#include <cmath>
#include <unordered_set>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"
#include "experiments/tokenizers/charsmap.h"
#include "experiments/tokenizers/pipeline.h"
#include "experiments/tokenizers/tokenizer_json.h"
#include "experiments/tokenizers/unicode.h"
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

/// What libsentencepiece makes of a text.
class SentencePieces {
 public:
  SentencePieces(std::string_view proto, std::string_view name) : name_(name) {
    const auto status = guarded([&] { return processor_.LoadFromSerializedProto(proto); });
    if (!status.ok()) refuse(status.ToString());
  }

  void add_spans(std::string_view text, std::vector<TokenSpan>& all) const {
    require_text(text, max_sentencepiece_bytes);
    sentencepiece::ImmutableSentencePieceText encoded;
    const auto status = guarded([&] { return processor_.Encode(text, encoded.mutable_proto()); });
    if (!status.ok()) refuse(status.ToString());
    for (std::size_t i = 0; i < encoded.pieces_size(); ++i) {
      const auto piece = encoded.pieces(static_cast<int>(i));
      all.push_back({static_cast<std::int32_t>(piece.id()), piece.begin(), piece.end()});
    }
  }

  const std::string& piece(std::int32_t id) const { return processor_.IdToPiece(id); }
  int size() const { return processor_.GetPieceSize(); }
  const std::string& name() const { return name_; }

  /// The tokens around a text.
  std::vector<std::int32_t> before(const SentenceEnds& ends) const {
    return ends.add_bos ? required(processor_.bos_id(), "first") : std::vector<std::int32_t>{};
  }
  std::vector<std::int32_t> behind(const SentenceEnds& ends) const {
    return ends.add_eos ? required(processor_.eos_id(), "last") : std::vector<std::int32_t>{};
  }

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

  std::vector<std::int32_t> required(int id, std::string_view which) const {
    if (id < 0)
      throw DataError(name_, fmt::format("has no {} token, and its model expects one", which),
                      "give the tokenizer.json instead");
    return {id};
  }

  std::string name_;
  sentencepiece::SentencePieceProcessor processor_{};
};

class SentencePieceTokenizer final : public Tokenizer {
 public:
  SentencePieceTokenizer(std::string_view proto, std::string_view name, const SentenceEnds& ends)
      : pieces_(proto, name), before_(pieces_.before(ends)), behind_(pieces_.behind(ends)) {}

  std::vector<TokenSpan> spans(std::string_view text, Special special) const override {
    std::vector<TokenSpan> all;
    const bool adds = special == Special::add;
    if (adds)
      for (const std::int32_t id : before_) all.push_back({id, 0, 0});
    pieces_.add_spans(text, all);
    if (adds)
      for (const std::int32_t id : behind_) all.push_back({id, text.size(), text.size()});
    return all;
  }

  std::string piece(std::int32_t id) const override {
    if (id < 0 || id >= pieces_.size())
      throw UsageError(fmt::format("token {}", id),
                       fmt::format("ids are 0 to {}", pieces_.size() - 1), "give one of them");
    return pieces_.piece(id);
  }

  std::string bytes(std::int32_t id) const override {
    return text_of_piece(piece(id), Writing::metaspace);
  }

  std::size_t size() const override { return static_cast<std::size_t>(pieces_.size()); }

 private:
  SentencePieces pieces_;
  std::vector<std::int32_t> before_, behind_;
};

Vocabulary vocabulary_of(const SentencePieces& pieces) {
  Vocabulary vocabulary(pieces.name());
  for (int id = 0; id < pieces.size(); ++id) vocabulary.add(pieces.piece(id), id);
  return vocabulary;
}

/// The same as a stage behind others.
class SentencePieceModel final : public Model {
 public:
  explicit SentencePieceModel(std::unique_ptr<SentencePieces> pieces)
      : Model(vocabulary_of(*pieces)), pieces_(std::move(pieces)) {}

  void tokenize(std::string_view piece, std::vector<Subword>& tokens) const override {
    std::vector<TokenSpan> spans;
    pieces_->add_spans(piece, spans);
    for (const TokenSpan& span : spans) tokens.push_back({span.id, span.end - span.begin});
  }

 private:
  std::unique_ptr<SentencePieces> pieces_;
};

/// add_dummy_prefix of the normalizer, true by default. A file may have several parts of it, which
/// are read as one.
bool adds_prefix(std::string_view proto, std::string_view name) {
  constexpr std::uint64_t prefix_field = 3;
  bool adds = true;
  ProtoReader reader(proto, name);
  for (ProtoField field; reader.next(field);) {
    if (field.number != normalizer_field) continue;
    ProtoReader fields(field.bytes, name);
    for (ProtoField inner; fields.next(inner);)
      if (inner.number == prefix_field) adds = inner.value != 0;
  }
  return adds;
}

/// A further part of the normalizer, with add_dummy_prefix: false.
constexpr std::string_view no_prefix{"\x1A\x02\x18\x00", 4};

std::unique_ptr<Tokenizer> with_added_tokens(std::string_view proto, std::string_view name,
                                             const SentenceEnds& ends, const AddedBeside& beside,
                                             bool legacy) {
  using Scheme = MetaspaceOptions::PrependScheme;
  auto pieces = std::make_unique<SentencePieces>(std::string(proto).append(no_prefix), name);
  TokenizerStages pipeline;
  pipeline.around = template_around(pieces->before(ends), pieces->behind(ends));
  if (adds_prefix(proto, name))
    pipeline.pre_tokenizer =
        metaspace({.prepend_scheme = legacy ? Scheme::always : Scheme::first, .split = false});
  pipeline.model = std::make_unique<SentencePieceModel>(std::move(pieces));
  add_tokens_beside(beside, pipeline.model->vocabulary(), pipeline.added);
  pipeline.writing = Writing::metaspace;
  return pipeline_tokenizer(std::move(pipeline));
}

}  // namespace

std::unique_ptr<Tokenizer> parse_sentencepiece(std::string_view proto, std::string_view name,
                                               const SentenceEnds& ends, const AddedBeside& beside,
                                               bool legacy) {
  check_sentencepiece(proto, name);
  if (!beside.list.empty()) return with_added_tokens(proto, name, ends, beside, legacy);
  return std::make_unique<SentencePieceTokenizer>(proto, name, ends);
}

}  // namespace orrery
