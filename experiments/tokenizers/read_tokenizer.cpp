#include "experiments/tokenizers/read_tokenizer.h"

#include <fmt/format.h>

#include <optional>
#include <system_error>
#include <vector>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/model_files/config_json.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/model_files/gguf_folder.h"
#include "experiments/text/printable.h"
#include "experiments/tokenizers/gguf_vocabulary.h"
#include "experiments/tokenizers/sentencepiece_model.h"
#include "experiments/tokenizers/tokenizer_json.h"
#include "experiments/tokenizers/vocabulary_files.h"

namespace orrery {
namespace {

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

TokenizerConfig vocabulary_config(const fs::path& file) {
  const Json config = config_beside(file).value_or(Json::object());
  return {.tokenizer_class = value_in<std::string>(config, "tokenizer_class", ""),
          .lowercase = value_in(config, "do_lower_case", true),
          .add_prefix_space = value_in(config, "add_prefix_space", false)};
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
  const std::vector<fs::path> ggufs = ggufs_in(folder);
  if (ggufs.size() == 1) return ggufs.front();
  if (ggufs.empty())
    throw IoError(folder.string(),
                  "holds no tokenizer.json, tokenizer.model, vocab.json, vocab.txt or .gguf file",
                  "give the folder of a model, or one of these files");
  throw DataError(folder.string(), fmt::format("holds {} .gguf files", ggufs.size()),
                  fmt::format("give one of them, {}", ggufs.front().string()));
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
  if (file.extension() == ".json") return parse_tokenizer_json(bytes, name);
  if (file.extension() == ".model") return parse_sentencepiece(bytes, name, ends_beside(file));
  if (file.filename() == "vocab.txt")
    return parse_word_pieces(bytes, name, vocabulary_config(file));
  throw DataError(name, "is no tokenizer by its name",
                  "give a tokenizer.json, tokenizer.model, vocab.json, vocab.txt or .gguf file");
}

}  // namespace orrery
