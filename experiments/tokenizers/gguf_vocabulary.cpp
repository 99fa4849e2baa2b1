#include "experiments/tokenizers/read_tokenizer.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/errors.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/text/printable.h"
#include "experiments/tokenizers/gguf_pre_tokenizers.h"
#include "experiments/tokenizers/models.h"
#include "experiments/tokenizers/pipeline.h"
#include "experiments/tokenizers/stages.h"

namespace orrery {
namespace {

constexpr std::string_view key_prefix = "tokenizer.ggml.";

/// What llama.cpp's token types say.
enum class TokenKind {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

/// The metadata of a tokenizer.
class GgufTokenizer {
 public:
  GgufTokenizer(std::string_view bytes, std::string_view name)
      : bytes_(bytes), name_(name), file_(parse_gguf(bytes, name)) {
    pieces_ = list("tokens").texts;
    if (pieces_.empty()) refuse("no tokens");
    if (pieces_.size() >= static_cast<std::size_t>(most_ids)) refuse("too many tokens");
    kinds_ = list("token_type").numbers;
    if (!kinds_.empty() && kinds_.size() < pieces_.size()) refuse("fewer types than tokens");
  }

  [[noreturn]] void refuse(std::string_view what) const {
    throw DataError(name_, fmt::format("has {} in its tokenizer", what),
                    "give the model's tokenizer.json instead");
  }

  GgufList list(std::string_view key) const {
    return gguf_list(bytes_, fmt::format("{}{}", key_prefix, key), name_);
  }

  template <class T>
  std::optional<T> value(std::string_view key) const {
    const auto found = file_.values.find(fmt::format("{}{}", key_prefix, key));
    if (found == file_.values.end()) return std::nullopt;
    const T* held = std::get_if<T>(&found->second);
    if (!held) refuse(fmt::format("a value of another type for {}", key));
    return *held;
  }

  bool flag(std::string_view key, bool otherwise) const {
    return value<bool>(key).value_or(otherwise);
  }

  std::optional<std::int32_t> id(std::string_view key) const {
    const auto id = value<std::int64_t>(key);
    if (!id) return std::nullopt;
    if (*id < 0 || *id >= static_cast<std::int64_t>(pieces_.size()))
      refuse(fmt::format("{} {}, which is no token,", key, *id));
    return static_cast<std::int32_t>(*id);
  }

  std::int32_t require_id(std::string_view key, std::optional<std::int32_t> otherwise) const {
    if (const auto found = id(key)) return *found;
    if (!otherwise || *otherwise >= static_cast<std::int32_t>(pieces_.size()))
      refuse(fmt::format("no {}", key));
    return *otherwise;
  }

  bool is(std::size_t i, TokenKind kind) const {
    return kinds_.empty() ? kind == TokenKind::normal : kinds_[i] == static_cast<double>(kind);
  }

  /// [tokens] whether a token is of one of the kinds.
  std::vector<bool> are(std::initializer_list<TokenKind> kinds) const {
    std::vector<bool> flags(pieces_.size());
    for (std::size_t i = 0; i < flags.size(); ++i)
      for (const TokenKind kind : kinds)
        if (is(i, kind)) flags[i] = true;
    return flags;
  }

  Vocabulary vocabulary() const {
    Vocabulary vocabulary(name_);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (!is_utf8(pieces_[i])) refuse(fmt::format("token {} that is not UTF-8", i));
      vocabulary.add(pieces_[i], static_cast<std::int64_t>(i));
    }
    return vocabulary;
  }

  std::vector<double> scores() const {
    std::vector<double> scores = list("scores").numbers;
    if (scores.size() < pieces_.size()) refuse("fewer scores than tokens");
    scores.resize(pieces_.size());
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (!std::isfinite(scores[i]))
        refuse(fmt::format("a score of token {} that is not finite", i));
    return scores;
  }

  /// The tokens that are found in the text before anything else.
  std::vector<AddedToken> added() const {
    const std::vector<bool> flags =
        are({TokenKind::control, TokenKind::user_defined, TokenKind::unknown});
    std::vector<AddedToken> all;
    for (std::size_t i = 0; i < flags.size(); ++i)
      if (flags[i]) {
        all.emplace_back();
        all.back().id = static_cast<std::int32_t>(i);
        all.back().content = pieces_[i];
      }
    return all;
  }

  std::string piece(std::int32_t id) const {
    return std::string(pieces_[static_cast<std::size_t>(id)]);
  }

  const std::string& name() const { return name_; }

 private:
  std::string_view bytes_;
  std::string name_;
  GgufFile file_;
  std::vector<std::string_view> pieces_;
  std::vector<double> kinds_;
};

struct Ends {
  bool add_bos, add_eos;
  std::optional<std::int32_t> bos{}, eos{};  // ids where the file names none
};

Template template_of(const GgufTokenizer& gguf, const Ends& usual) {
  std::vector<std::int32_t> before, behind;
  if (gguf.flag("add_bos_token", usual.add_bos))
    before.push_back(gguf.require_id("bos_token_id", usual.bos));
  if (gguf.flag("add_eos_token", usual.add_eos))
    behind.push_back(gguf.require_id("eos_token_id", usual.eos));
  return template_around(std::move(before), std::move(behind));
}

MergeList merges_of(const GgufTokenizer& gguf) {
  MergeList merges;
  for (const std::string_view merge : gguf.list("merges").texts) {
    // A piece may begin with a space.
    const std::size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos)
      gguf.refuse(fmt::format("the merge {}, which is not two pieces,", in_quotes(merge)));
    merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
  }
  return merges;
}

PreTokenizer expressions_of(const GgufPreTokenizer& pre, std::string_view name) {
  std::vector<PreTokenizer> all;
  for (const std::string_view expression : pre.expressions)
    all.push_back(split_by(Regex(expression, name), SplitBehavior::isolated, false));
  all.push_back(byte_level_pre_tokenizer(false, false));
  return in_sequence(std::move(all));
}

TokenizerStages gpt2_pipeline(const GgufTokenizer& gguf) {
  const auto named = gguf.value<std::string>("pre");
  const GgufPreTokenizer& pre = gguf_pre_tokenizer(named.value_or("default"), gguf.name());
  TokenizerStages pipeline;
  pipeline.pre_tokenizer = expressions_of(pre, gguf.name());
  BpeOptions options;
  options.ignore_merges = pre.ignore_merges;
  pipeline.model = bpe_model(gguf.vocabulary(), merges_of(gguf), std::move(options));
  pipeline.around = template_of(gguf, {.add_bos = pre.add_bos, .add_eos = false});
  pipeline.writing = Writing::byte_level;
  return pipeline;
}

TokenizerStages llama_pipeline(const GgufTokenizer& gguf) {
  constexpr std::int32_t usual_unknown = 0, usual_bos = 1, usual_eos = 2;
  TokenizerStages pipeline;
  std::vector<Normalizer> normalizers;
  if (gguf.flag("add_space_prefix", true)) normalizers.push_back(prepended(" "));
  normalizers.push_back(replace(Regex(" ", gguf.name()), "▁"));
  pipeline.normalizer = in_sequence(std::move(normalizers));
  pipeline.model = scored_bpe_model(gguf.vocabulary(), gguf.scores(),
                                    gguf.require_id("unknown_token_id", usual_unknown));
  pipeline.around =
      template_of(gguf, {.add_bos = true, .add_eos = false, .bos = usual_bos, .eos = usual_eos});
  pipeline.writing = Writing::metaspace;
  return pipeline;
}

TokenizerStages bert_pipeline(const GgufTokenizer& gguf) {
  constexpr std::int32_t usual_unknown = 100, usual_cls = 101, usual_sep = 102;
  TokenizerStages pipeline;
  BertOptions bert;
  bert.lowercase = gguf.flag("normalizer.lowercase", true);
  bert.strip_accents = gguf.flag("normalizer.strip_accents", bert.lowercase);
  pipeline.normalizer = bert_normalizer(bert);
  pipeline.pre_tokenizer = bert_pre_tokenizer();
  WordPieceOptions options;
  options.unknown = gguf.piece(gguf.require_id("unknown_token_id", usual_unknown));
  options.first_subword_prefix = "▁";
  options.continuing_subword_prefix = "";
  options.is_matched = gguf.are({TokenKind::normal, TokenKind::unused});
  pipeline.model = word_piece_model(gguf.vocabulary(), options);
  // llama.cpp's converter writes [CLS] as the first token or by its own name.
  const auto cls = gguf.id("cls_token_id");
  pipeline.around = template_around({cls ? *cls : gguf.require_id("bos_token_id", usual_cls)},
                                    {gguf.require_id("seperator_token_id", usual_sep)});
  pipeline.writing = Writing::word_start;
  return pipeline;
}

std::optional<Charsmap> charsmap_of(const GgufTokenizer& gguf) {
  std::string blob;
  for (const double byte : gguf.list("precompiled_charsmap").numbers) {
    if (!(byte >= -128 && byte < 256)) gguf.refuse("a map of characters that are no bytes");
    blob += static_cast<char>(static_cast<int>(byte));
  }
  if (blob.empty()) return std::nullopt;
  return Charsmap(blob, gguf.name());
}

TokenizerStages t5_pipeline(const GgufTokenizer& gguf) {
  constexpr std::int32_t usual_eos = 1, usual_unknown = 2;
  TokenizerStages pipeline;
  pipeline.normalizer = sentencepiece_normalizer(
      charsmap_of(gguf),
      {.add_space_prefix = gguf.flag("add_space_prefix", false),
       .remove_extra_whitespaces = gguf.flag("remove_extra_whitespaces", false)});
  UnigramOptions options;
  options.unknown = gguf.require_id("unknown_token_id", usual_unknown);
  options.is_matched = gguf.are({TokenKind::normal, TokenKind::user_defined, TokenKind::unused});
  options.is_scored = gguf.are({TokenKind::normal});
  pipeline.model = unigram_model(gguf.vocabulary(), gguf.scores(), std::move(options));
  pipeline.around = template_of(gguf, {.add_bos = false, .add_eos = true, .eos = usual_eos});
  pipeline.writing = Writing::metaspace;
  return pipeline;
}

TokenizerStages pipeline_of(const GgufTokenizer& gguf) {
  const auto model = gguf.value<std::string>("model");
  if (!model) gguf.refuse("no model");
  if (*model == "gpt2") return gpt2_pipeline(gguf);
  if (*model == "llama") return llama_pipeline(gguf);
  if (*model == "bert") return bert_pipeline(gguf);
  if (*model == "t5") return t5_pipeline(gguf);
  gguf.refuse(fmt::format("the model {}, which is not known,", in_quotes(*model)));
}

}  // namespace

std::unique_ptr<Tokenizer> parse_gguf_vocabulary(std::string_view bytes, std::string_view name) {
  const GgufTokenizer gguf(bytes, name);
  TokenizerStages pipeline = pipeline_of(gguf);
  pipeline.added = gguf.added();
  return pipeline_tokenizer(std::move(pipeline));
}

}  // namespace orrery
