#include <fmt/format.h>

#include <cmath>

#include "experiments/text/printable.h"
#include "experiments/tokenizers/bpe.h"
#include "experiments/tokenizers/read_stages.h"
#include "experiments/tokenizers/unigram.h"
#include "experiments/tokenizers/wordpiece.h"

namespace orrery {
namespace {

constexpr std::size_t longest_affix = 64;

Vocabulary read_vocabulary(Component& component) {
  Vocabulary vocabulary(component.file());
  for (const auto& [piece, id] : component.object("vocab").items()) {
    if (!id.is_number_integer())
      component.refuse(fmt::format("token {} without an id", in_quotes(piece)));
    vocabulary.add(piece, id.get<std::int64_t>());
  }
  return vocabulary;
}

std::pair<std::string, std::string> pair_of_text(const std::string& merge, const Component& of) {
  const std::size_t space = merge.find(' ');
  if (space == std::string::npos || merge.find(' ', space + 1) != std::string::npos)
    of.refuse(fmt::format("the merge {}, which is not two pieces,", in_quotes(merge)));
  return {merge.substr(0, space), merge.substr(space + 1)};
}

std::pair<std::string, std::string> pair_of(const SortedJson& merge, const Component& of) {
  if (merge.is_string()) return pair_of_text(merge.get<std::string>(), of);
  if (!merge.is_array() || merge.size() != 2 || !merge[0].is_string() || !merge[1].is_string())
    of.refuse("a merge that is not two pieces");
  return {merge[0].get<std::string>(), merge[1].get<std::string>()};
}

MergeList read_merges(Component& component) {
  MergeList merges;
  for (const SortedJson& merge : component.list("merges")) {
    const bool is_heading = merge.is_string() && merge.get<std::string>().starts_with("#version");
    if (!is_heading) merges.push_back(pair_of(merge, component));
  }
  return merges;
}

std::unique_ptr<Model> read_bpe(Component& component) {
  if (component.number("dropout", 0) != 0) component.refuse("a dropout, which draws at random,");
  BpeOptions options;
  options.unknown = component.optional_text("unk_token");
  options.continuing_subword_prefix =
      component.optional_text("continuing_subword_prefix").value_or("");
  options.end_of_word_suffix = component.optional_text("end_of_word_suffix").value_or("");
  for (const std::string& affix : {options.continuing_subword_prefix, options.end_of_word_suffix})
    if (affix.size() > longest_affix) component.refuse("a prefix or suffix that is too long");
  options.fuse_unknown = component.flag("fuse_unk", false);
  options.byte_fallback = component.flag("byte_fallback", false);
  options.ignore_merges = component.flag("ignore_merges", false);
  Vocabulary vocabulary = read_vocabulary(component);
  return bpe_model(std::move(vocabulary), read_merges(component), std::move(options));
}

std::unique_ptr<Model> read_word_piece(Component& component) {
  WordPieceOptions options;
  options.unknown = component.text("unk_token");
  options.continuing_subword_prefix = component.text("continuing_subword_prefix");
  const std::int64_t most = component.whole("max_input_chars_per_word");
  if (most < 0) component.refuse("a negative max_input_chars_per_word");
  options.max_input_chars_per_word = static_cast<std::size_t>(most);
  return word_piece_model(read_vocabulary(component), options);
}

std::unique_ptr<Model> read_unigram(Component& component) {
  if (component.number("alpha", 0) != 0) component.refuse("an alpha, which draws at random,");
  component.ignore({"nbest_size"});
  Vocabulary vocabulary(component.file());
  std::vector<double> scores;
  for (const SortedJson& entry : component.list("vocab")) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
      component.refuse(fmt::format("no piece and score for token {}", scores.size()));
    scores.push_back(entry[1].get<double>());
    if (!std::isfinite(scores.back()))
      component.refuse(fmt::format("a score of token {} that is not finite", scores.size() - 1));
    vocabulary.add(entry[0].get<std::string>(), static_cast<std::int64_t>(scores.size()) - 1);
  }
  UnigramOptions options;
  const std::int64_t unknown = component.optional_whole("unk_id").value_or(-1);
  if (unknown < -1 || unknown >= static_cast<std::int64_t>(scores.size()))
    component.refuse(fmt::format("the unk_id {}, which is no token,", unknown));
  options.unknown = static_cast<std::int32_t>(unknown);
  options.byte_fallback = component.flag("byte_fallback", false);
  return unigram_model(std::move(vocabulary), std::move(scores), std::move(options));
}

/// Files before 2020 do not name the type.
std::string type_of_model(Component& component) {
  if (const auto type = component.optional_text("type")) return *type;
  if (component.has("merges")) return "BPE";
  return component.has("max_input_chars_per_word") ? "WordPiece" : "Unigram";
}

std::unique_ptr<Model> model_of_type(Component& component) {
  const std::string type = type_of_model(component);
  if (type == "BPE") return read_bpe(component);
  if (type == "WordPiece") return read_word_piece(component);
  if (type == "Unigram") return read_unigram(component);
  component.refuse_type(type);
}

}  // namespace

std::unique_ptr<Model> read_model(const SortedJson& json, std::string_view file) {
  Component component(json, "model", file);
  std::unique_ptr<Model> model = model_of_type(component);
  component.finish();
  return model;
}

}  // namespace orrery
