#include "experiments/tokenizers/read_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/model_files/config_values.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/model_files/read_positions.h"
#include "experiments/text/nesting.h"
#include "experiments/text/printable.h"
#include "experiments/tokenizers/models.h"
#include "experiments/tokenizers/pipeline.h"
#include "experiments/tokenizers/tokenizer_json.h"
#include "experiments/tokenizers/unicode.h"

namespace orrery {
namespace {

/// What tokenizer_config.json says of a tokenizer whose vocabulary stands in files of text.
struct TokenizerConfig {
  std::string tokenizer_class{};  ///< empty where there is no such file
  bool lowercase{true};           ///< do_lower_case
  bool add_prefix_space{false};
  AddedBeside added{};
};

[[noreturn]] void refuse_files(std::string_view name, std::string_view what) {
  throw DataError(name, what, "give the tokenizer.json instead");
}

/// The class without the Fast that names the same tokenizer in another language.
std::string base_class(const TokenizerConfig& config) {
  const std::string& name = config.tokenizer_class;
  return name.ends_with("Fast") ? name.substr(0, name.size() - 4) : name;
}

void require_class(const TokenizerConfig& config, std::initializer_list<std::string_view> known,
                   std::string_view name) {
  if (std::find(known.begin(), known.end(), base_class(config)) == known.end())
    refuse_files(name, fmt::format("belongs to a {}, whose rules are not in its files",
                                   in_quotes(config.tokenizer_class)));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min<std::size_t>(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min<std::size_t>(end + 1, text.size()));
  }
  return lines;
}

Vocabulary vocabulary_of_json(std::string_view text, std::string_view name) {
  if (first_deep_place_in_json(text)) refuse_files(name, "holds JSON that " + too_deep());
  const SortedJson json = SortedJson::parse(text, nullptr, false);
  if (!json.is_object()) refuse_files(name, "holds no JSON object");
  Vocabulary vocabulary(name);
  for (const auto& [piece, id] : json.items()) {
    if (!id.is_number_integer())
      refuse_files(name, fmt::format("has token {} without an id", in_quotes(piece)));
    vocabulary.add(piece, id.get<std::int64_t>());
  }
  return vocabulary;
}

/// @param name  of the merges' file, in messages
MergeList merges_of_lines(std::string_view text, const Vocabulary& vocabulary,
                          std::string_view name) {
  MergeList merges;
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with("#version")) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos)
      refuse_files(name, fmt::format("has the merge {}, which is not two pieces", in_quotes(line)));
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
    for (const std::string& part : {merges.back().first, merges.back().second})
      if (!vocabulary.id(part))
        refuse_files(name, fmt::format("has the merge {}, and {} has no token {}", in_quotes(line),
                                       vocabulary.name(), in_quotes(part)));
  }
  return merges;
}

std::vector<AddedToken> special_tokens(const Vocabulary& vocabulary,
                                       std::initializer_list<std::string_view> contents) {
  std::vector<AddedToken> all;
  for (const std::string_view content : contents)
    if (const auto id = vocabulary.id(content)) {
      all.emplace_back();
      all.back().id = *id;
      all.back().content = content;
      all.back().lstrip = content == "<mask>";
    }
  return all;
}

Vocabulary vocabulary_of_lines(std::string_view text, std::string_view name) {
  Vocabulary vocabulary(name);
  std::int64_t id = 0;
  for (std::string_view line : lines_of(text)) {
    if (!is_utf8(line)) refuse_files(name, fmt::format("has line {}, which is not UTF-8", id + 1));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    vocabulary.add(line, id++);
  }
  return vocabulary;
}

/// The tokenizer of vocab.json and merges.txt: GPT2Tokenizer, which is also taken where no class is
/// named, or RobertaTokenizer. Throws DataError: another class, damaged files.
std::unique_ptr<Tokenizer> parse_vocabulary_and_merges(std::string_view vocabulary_json,
                                                       std::string_view merges,
                                                       std::string_view name,
                                                       const TokenizerConfig& config) {
  require_class(config, {"", "GPT2Tokenizer", "RobertaTokenizer"}, name);
  Vocabulary vocabulary = vocabulary_of_json(vocabulary_json, name);
  TokenizerStages pipeline;
  pipeline.added =
      special_tokens(vocabulary, {"<|endoftext|>", "<s>", "</s>", "<pad>", "<unk>", "<mask>"});
  add_tokens_beside(config.added, vocabulary, pipeline.added);
  if (base_class(config) == "RobertaTokenizer")
    pipeline.around = template_around({vocabulary.require("<s>", "first token")},
                                      {vocabulary.require("</s>", "last token")});
  pipeline.pre_tokenizer = byte_level_pre_tokenizer(config.add_prefix_space, true);
  const std::string merges_name =
      (std::filesystem::path(name).parent_path() / "merges.txt").string();
  const MergeList list = merges_of_lines(merges, vocabulary, merges_name);
  pipeline.model = bpe_model(std::move(vocabulary), list, {});
  return pipeline_tokenizer(std::move(pipeline));
}

/// The tokenizer of vocab.txt, a token on each line: BertTokenizer, which is also taken where no class
/// is named, DistilBertTokenizer or ElectraTokenizer. Throws DataError: another class, not UTF-8, a
/// special token that is missing.
std::unique_ptr<Tokenizer> parse_word_pieces(std::string_view lines, std::string_view name,
                                             const TokenizerConfig& config) {
  require_class(config, {"", "BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"}, name);
  Vocabulary vocabulary = vocabulary_of_lines(lines, name);
  TokenizerStages pipeline;
  pipeline.added = special_tokens(vocabulary, {"[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"});
  add_tokens_beside(config.added, vocabulary, pipeline.added);
  pipeline.normalizer =
      bert_normalizer({.strip_accents = config.lowercase, .lowercase = config.lowercase});
  pipeline.pre_tokenizer = in_sequence({split_at(is_white_space, SplitBehavior::removed),
                                        split_at(is_punctuation, SplitBehavior::isolated)});
  pipeline.around = template_around({vocabulary.require("[CLS]", "first token")},
                                    {vocabulary.require("[SEP]", "last token")});
  pipeline.model = word_piece_model(std::move(vocabulary), {});
  pipeline.writing = Writing::word_piece;
  return pipeline_tokenizer(std::move(pipeline));
}

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// tokenizer_config.json beside a file.
std::optional<Json> config_beside(const fs::path& file) {
  const fs::path config = file.parent_path() / "tokenizer_config.json";
  if (!is_file(config)) return std::nullopt;
  return parse_config(read_file(config, max_config_bytes), config.string());
}

template <class T>
T value_in(const Json& config, const char* key, T otherwise) {
  const auto found = config.find(key);
  if (found == config.end()) return otherwise;
  if constexpr (std::is_same_v<T, bool>)
    return found->is_boolean() ? found->get<bool>() : otherwise;
  else
    return found->is_string() ? found->get<std::string>() : otherwise;
}

constexpr const char* special_names[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                         "pad_token", "cls_token", "mask_token"};

/// A token that a configuration names, as an entry of a list.
void add_special(const Json& token, Json& list) {
  if (token.is_string()) list.push_back({{"content", token}, {"special", true}});
  if (!token.is_object() || !token.contains("content")) return;
  list.push_back(token);
  list.back()["special"] = true;
}

/// added_tokens.json: special are those that the configuration names.
Json read_added_file(const fs::path& file, const Json& specials) {
  Json list = Json::array();
  const Json ids = parse_config(read_file(file, max_config_bytes), file.string());
  for (const auto& [content, id] : ids.items()) {
    const bool special =
        std::any_of(specials.begin(), specials.end(),
                    [&, &name = content](const Json& one) { return one["content"] == name; });
    list.push_back({{"id", id}, {"content", content}, {"special", special}});
  }
  return list;
}

bool has_less_id(const Json& a, const Json& b) {
  return a["id"].is_number_integer() && b["id"].is_number_integer() &&
         a["id"].get<std::int64_t>() < b["id"].get<std::int64_t>();
}

AddedBeside added_beside(const fs::path& file) {
  const Json config = config_beside(file).value_or(Json::object());
  Json specials = Json::array(), list = Json::array();
  for (const char* name : special_names)
    if (const auto token = config.find(name); token != config.end()) add_special(*token, specials);
  for (const char* name : {"additional_special_tokens", "extra_special_tokens"})
    if (const auto more = config.find(name); more != config.end() && more->is_structured())
      for (const Json& token : *more) add_special(token, specials);
  const fs::path added = file.parent_path() / "added_tokens.json";
  const auto decoder = config.find("added_tokens_decoder");
  AddedBeside beside{.list = "", .file = (file.parent_path() / "tokenizer_config.json").string()};
  if (decoder != config.end() && decoder->is_object()) {
    for (const auto& [id, token] : decoder->items()) {
      if (!token.is_object() || id.empty() || id.size() > 9 ||
          id.find_first_not_of("0123456789") != std::string::npos)
        refuse_files(beside.file,
                     "has an entry of added_tokens_decoder that is no token by its id");
      list.push_back(token);
      list.back()["id"] = std::stoll(id);
    }
  } else if (is_file(added)) {
    list = read_added_file(added, specials);
    beside.file = added.string();
  }
  std::stable_sort(list.begin(), list.end(), has_less_id);
  for (Json& token : specials) list.push_back(std::move(token));
  if (!list.empty()) beside.list = list.dump(-1, ' ', false, Json::error_handler_t::replace);
  return beside;
}

TokenizerConfig vocabulary_config(const fs::path& file) {
  const Json config = config_beside(file).value_or(Json::object());
  return {.tokenizer_class = value_in<std::string>(config, "tokenizer_class", ""),
          .lowercase = value_in(config, "do_lower_case", true),
          .add_prefix_space = value_in(config, "add_prefix_space", false),
          .added = added_beside(file)};
}

/// What the classes of Transformers add around a text when the configuration does not say.
struct KnownEnds {
  std::string_view tokenizer_class;
  SentenceEnds ends;
};
constexpr KnownEnds known_ends[] = {
    {"LlamaTokenizer", {.add_bos = true}},     {"LlamaTokenizerFast", {.add_bos = true}},
    {"CodeLlamaTokenizer", {.add_bos = true}}, {"CodeLlamaTokenizerFast", {.add_bos = true}},
    {"GemmaTokenizer", {.add_bos = true}},     {"GemmaTokenizerFast", {.add_bos = true}},
    {"T5Tokenizer", {.add_eos = true}},        {"T5TokenizerFast", {.add_eos = true}}};

SentenceEnds ends_beside(const fs::path& file) {
  const auto config = config_beside(file);
  if (!config) return {};
  const auto name = value_in<std::string>(*config, "tokenizer_class", "");
  for (const auto& [known, ends] : known_ends)
    if (known == name)
      return {.add_bos = value_in(*config, "add_bos_token", ends.add_bos),
              .add_eos = value_in(*config, "add_eos_token", ends.add_eos)};
  throw DataError(
      file.string(),
      fmt::format("belongs to a {}, whose tokens around a text are not known", in_quotes(name)),
      "give the tokenizer.json instead");
}

std::unique_ptr<Tokenizer> read_vocabulary_and_merges(const fs::path& vocabulary) {
  const fs::path merges = vocabulary.parent_path() / "merges.txt";
  return parse_vocabulary_and_merges(read_file(vocabulary, max_tokenizer_bytes),
                                     read_file(merges, max_tokenizer_bytes), vocabulary.string(),
                                     vocabulary_config(vocabulary));
}

fs::path tokenizer_in(const fs::path& folder) {
  for (const char* name :
       {"tokenizer.json", "tokenizer.model", "spiece.model", "vocab.json", "vocab.txt"})
    if (is_file(folder / name)) return folder / name;
  if (std::optional<fs::path> gguf = only_gguf_in(folder)) return *std::move(gguf);
  throw IoError(folder.string(),
                "holds no tokenizer.json, tokenizer.model, vocab.json, vocab.txt or .gguf file",
                "give the folder of a model, or one of these files");
}

}  // namespace

std::unique_ptr<Tokenizer> read_tokenizer(const fs::path& path) {
  std::error_code error;
  const fs::path file = fs::is_directory(path, error) ? tokenizer_in(path) : path;
  const std::string name = file.string();
  if (const MappedFile mapped(file, name); is_gguf(mapped.bytes())) {
    std::unique_ptr<Tokenizer> tokenizer = parse_gguf_vocabulary(mapped.bytes(), name);
    mapped.require_whole();
    return tokenizer;
  }
  if (file.filename() == "vocab.json") return read_vocabulary_and_merges(file);
  const std::string bytes = read_file(file, max_tokenizer_bytes, name);
  if (file.extension() == ".json") return parse_tokenizer_json(bytes, name, added_beside(file));
  if (file.extension() == ".model")
    return parse_sentencepiece(
        bytes, name, ends_beside(file), added_beside(file),
        value_in(config_beside(file).value_or(Json::object()), "legacy", false));
  if (file.filename() == "vocab.txt")
    return parse_word_pieces(bytes, name, vocabulary_config(file));
  throw DataError(name, "is no tokenizer by its name",
                  "give a tokenizer.json, tokenizer.model, vocab.json, vocab.txt or .gguf file");
}

}  // namespace orrery
