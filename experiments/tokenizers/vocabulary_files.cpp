#include "experiments/tokenizers/vocabulary_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/errors.h"
#include "experiments/text/nesting.h"
#include "experiments/text/printable.h"
#include "experiments/tokenizers/bpe.h"
#include "experiments/tokenizers/categories.h"
#include "experiments/tokenizers/component.h"
#include "experiments/tokenizers/pipeline.h"
#include "experiments/tokenizers/wordpiece.h"

namespace orrery {
namespace {

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

}  // namespace

std::unique_ptr<Tokenizer> parse_vocabulary_and_merges(std::string_view vocabulary_json,
                                                       std::string_view merges,
                                                       std::string_view name,
                                                       const TokenizerConfig& config) {
  require_class(config, {"", "GPT2Tokenizer", "RobertaTokenizer"}, name);
  Vocabulary vocabulary = vocabulary_of_json(vocabulary_json, name);
  TokenizerStages pipeline;
  pipeline.added =
      special_tokens(vocabulary, {"<|endoftext|>", "<s>", "</s>", "<pad>", "<unk>", "<mask>"});
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

std::unique_ptr<Tokenizer> parse_word_pieces(std::string_view lines, std::string_view name,
                                             const TokenizerConfig& config) {
  require_class(config, {"", "BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"}, name);
  Vocabulary vocabulary = vocabulary_of_lines(lines, name);
  TokenizerStages pipeline;
  pipeline.added = special_tokens(vocabulary, {"[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"});
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

}  // namespace orrery
