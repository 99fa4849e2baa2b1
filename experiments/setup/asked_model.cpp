#include "experiments/setup/asked_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <sstream>
#include <utility>
#include <variant>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/files/file.h"
#include "experiments/files/memory_limit.h"
#include "experiments/identify/defects.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/trained_head.h"

namespace orrery {
namespace {

std::mutex left_mutex;
std::vector<std::unique_ptr<AskedModel>> left;
std::atomic<int> models{0};  ///< that there are, left or asked

std::uint64_t bytes_to_keep() {
  constexpr int third = 3, most_halvings = 16;
  const int halvings = std::min<int>(models.load(), most_halvings);
  return memory_limit() / third >> halvings;
}

std::string key_of_model(const ParamSet& params, const ModelFile& model) {
  return fmt::format("{} {} {}", params.text("precision"), model.sha256, model.path.string());
}

std::string key_of_texts(const ParamSet& params, const Inputs& inputs) {
  std::string key = fmt::format("{} {}", params.is_default("text"),
                                params.has("parts") ? params.integer("parts") : 1);
  if (const auto text = inputs.find("text"); text != inputs.end()) {
    const auto& read = std::get<Text>(text->second);
    key += fmt::format(" {} {}", read.name, sha256_hex(read.utf8));
  }
  if (const auto tokens = inputs.find("tokens"); tokens != inputs.end()) {
    const auto& ids = std::get<Tensor>(tokens->second);
    key +=
        fmt::format(" {} {} {}", ids.name, fmt::join(ids.shape, "x"), fmt::join(ids.values, " "));
  }
  return key;
}

void leave(AskedModel* let_go) {
  std::unique_ptr<AskedModel> model(let_go);
  const std::lock_guard lock(left_mutex);
  std::erase_if(left, [&](const auto& other) { return other->key() != model->key(); });
  left.push_back(std::move(model));
}

std::string key_of_table(const HeadsRequest& request) {
  return fmt::format("{} {} {} {}", request.repeated, request.repeats, request.seed,
                     request.chosen);
}

/// What was left of the same model; null for none.
std::unique_ptr<AskedModel> take_left(const std::string& key) {
  const std::lock_guard lock(left_mutex);
  const auto same =
      std::ranges::find_if(left, [&](const auto& model) { return model->key() == key; });
  if (same == left.end()) {
    left.clear();  // their memory is for the new one
    return nullptr;
  }
  std::unique_ptr<AskedModel> model = std::move(*same);
  left.erase(same);
  return model;
}

const ModelFile& model_file(const Inputs& inputs) {
  const auto found = inputs.find("model");
  if (found == inputs.end())
    throw UsageError("model=", "names no file", "give a model's folder or GGUF: model=DIR");
  return std::get<ModelFile>(found->second);
}

}  // namespace

ParamSpec asked_model_param() {
  return file_param("model", "A model's folder with config.json and .safetensors, or its .gguf.",
                    {"safetensors", "gguf", "json"}, "bundled:" + std::string(trained_model));
}

std::vector<ParamSpec> asked_text_params() {
  std::vector<ParamSpec> specs = asked_model_params();
  std::erase_if(specs, [](const ParamSpec& spec) { return spec.key == "parts"; });
  return specs;
}

std::vector<ParamSpec> asked_model_params(std::int64_t usual, std::int64_t parts) {
  std::vector<ParamSpec> specs = joined({{asked_model_param()}, text_params(usual, parts)});
  for (ParamSpec& spec : specs)
    // The model that comes with Orrery has not learned from it.
    if (spec.key == "text") spec.default_value = std::string("bundled:the_orrery.txt");
  return specs;
}

ParamSpec asked_precision_param() {
  return {.key = "precision",
          .description = "The format that passes compute in.",
          .kind = ParamKind::choice,
          .default_value = std::string("exact_fp32"),
          .choices = {{"exact_fp32", "fp32"}, {"exact", "fp64"}},
          .retired_values = {{"fp32", "write exact_fp32"}, {"fp64", "write exact"}},
          .role = ParamRole::precision};
}

ParamSpec first_token_param() {
  return stated_if_set(count_param(
      "first",
      "Id of a token before each sequence; −1: what the tokenizer puts there, if anything.", -1, -1,
      2147483647.0));
}

std::int32_t first_token(const ParamSet& params, const AskedModel& model) {
  const auto given = static_cast<std::int32_t>(params.integer("first"));
  return given >= 0 ? given : model.leading();
}

std::size_t token_in(const ParamSet& params, std::size_t count, const char* what) {
  const std::int64_t token = params.integer("token");
  if (token < static_cast<std::int64_t>(count)) return static_cast<std::size_t>(token);
  throw UsageError(fmt::format("token={}", token),
                   fmt::format("{} {}, counted from 0", count, what),
                   fmt::format("take {} at most, or a longer text", count - 1));
}

AskedModel::AskedModel() { ++models; }
AskedModel::~AskedModel() { --models; }

std::filesystem::path model_path(const Inputs& inputs) { return model_file(inputs).path; }

std::shared_ptr<AskedModel> AskedModel::take(const ParamSet& params, const Inputs& inputs,
                                             std::int64_t length, std::int64_t least,
                                             std::int64_t usual) {
  const ModelFile& file = model_file(inputs);
  if (!file.has_weights)
    throw IoError(file.name, "says how a model is built, and holds no weights to run",
                  "give the model's folder; model_layers reads such a file alone");
  std::string key = key_of_model(params, file);
  std::unique_ptr<AskedModel> taken = take_left(key);
  const bool is_new = !taken;
  if (is_new) taken = std::make_unique<AskedModel>();
  std::shared_ptr<AskedModel> model(taken.release(), leave);
  if (is_new) {
    model->key_ = std::move(key);
    model->path_ = file.path;
    model->tokenizer_ = tokenizer_of(file.path);
    model->leading_ = leading_token(model->tokenizer_.get());
  }
  model->plan_ = file.plan;
  if (params.has("text")) model->read(params, inputs, usual);
  model->open(params, length, least);
  return model;
}

const ModelText& AskedModel::only_text() const {
  if (texts_.size() == 1) return texts_.front();
  throw UsageError(fmt::format("tokens= of {} texts", texts_.size()), "one is read",
                   "give ids of the shape [N]");
}

void AskedModel::tell_length(const ParamSet& params, Result& result) const {
  if (params.has("length") && params.integer("length") == 0)
    result.in_use.push_back({.key = "length", .value = static_cast<double>(most_tokens_)});
  tell_longest(*plan_, longest_read_, result);
}

void AskedModel::read(const ParamSet& params, const Inputs& inputs, std::int64_t usual) {
  // Ids are a sequence that someone has made; a text goes on.
  const bool bounded = inputs.count("tokens") == 0 && plan_->longest > 1;
  most_tokens_ =
      length_or(params, "length", bounded ? std::min<std::int64_t>(usual, plan_->longest) : usual);
  std::string key = fmt::format("{} {}", key_of_texts(params, inputs), most_tokens_);
  if (key == texts_key_) return;
  texts_key_.clear();  // until they are read
  table_key_.clear();
  lens_key_.clear();
  texts_ = model_texts(path_, params, inputs, most_tokens_);
  labels_ = labels_of_ids(texts_.front().tokens);
  texts_key_ = std::move(key);
}

void AskedModel::open(const ParamSet& params, std::int64_t length, std::int64_t least) {
  if (length == 0)
    for (const ModelText& text : texts_)
      length = std::max<std::int64_t>(length, static_cast<std::int64_t>(text.tokens.size()));
  longest_read_ = length;
  length = std::max<std::int64_t>(length, least);
  const bool by_length = std::ranges::any_of(plan_->layers, chooses_by_length);
  if (live_ && (!by_length || live_->settings().length == length)) return;
  table_key_.clear();
  lens_key_.clear();
  live_ = std::make_unique<LiveModel>(
      path_, RunSettings{.single = params.text("precision") == "exact_fp32",
                         .threads = threads_or_all(0),
                         .kept_bytes = bytes_to_keep(),
                         .length = length});
}

const Lens& AskedModel::lens(const LensRequest& request, Progress& progress) {
  std::string key = fmt::format("{} {}", request.next, fmt::join(request.edits, " "));
  if (lens_key_ != key) {
    lens_ = logit_lens(*live_, request, progress);
    lens_key_ = std::move(key);
  }
  return lens_;
}

bool AskedModel::has_table(const HeadsRequest& request) const {
  return table_key_ == key_of_table(request);
}

const HeadTable& AskedModel::table(const HeadsRequest& request, Progress& progress) {
  if (!has_table(request)) {
    table_ = measure_heads(*live_, request, progress);
    table_key_ = key_of_table(request);
  }
  return table_;
}

namespace {

ParamSpec of_edit(ParamSpec spec, std::vector<std::string> edits) {
  spec.used_when = Condition{"edits", std::move(edits)};
  spec.group = "What if";
  return spec;
}

ParamSpec number_param(const char* key, const char* description, double value, double min,
                       double max) {
  return {.key = key,
          .description = description,
          .kind = ParamKind::real,
          .default_value = value,
          .min = min,
          .max = max,
          .logarithmic = true};
}

ParamSpec edits_param() {
  return {.key = "edits",
          .description = "What is changed in the model, in this order.",
          .kind = ParamKind::choice_list,
          .default_value = std::vector<std::string>{},
          .choices = {{"base", "RoPE turns by another base"},
                      {"still", "a pair of RoPE does not turn"},
                      {"mute", "a pair of RoPE gives nothing to the logits"},
                      {"sign", "RoPE turns the other way"},
                      {"pairing", "RoPE pairs channels the other way"},
                      {"defect", "q and k turn as in a program with a mistake"},
                      {"shift", "positions begin later"},
                      {"compress", "positions are divided"},
                      {"no_position", "layers have no positions"},
                      {"window", "queries see the last keys alone"},
                      {"silence", "the chosen head gives zero"}},
          .may_be_empty = true,
          .group = "What if"};
}

ParamSpec defect_param() {
  ParamSpec spec{.key = "defect",
                 .description = "The mistake.",
                 .kind = ParamKind::choice,
                 .default_value = std::string("wrong_pairing")};
  for (const RopeDefect& defect : rope_defects())
    spec.choices.push_back({defect.name, defect.description});
  return spec;
}

/// The pairing that the model does not have.
std::string other_pairing(const PositionPlan& plan) {
  for (const LayerPlan& layer : plan.layers)
    if (layer.encoding == "rope")
      return std::string(name(layer.rope.pairing == RopePairing::interleaved
                                  ? RopePairing::half_split
                                  : RopePairing::interleaved));
  return std::string(name(RopePairing::half_split));
}

std::string edit_of(const std::string& kind, const ParamSet& params, const PositionPlan& plan) {
  if (kind == "base") return "base:" + number_text(params.real("new_base"));
  if (kind == "still" || kind == "mute") return fmt::format("{}:{}", kind, params.integer("pair"));
  if (kind == "pairing") return "pairing:" + other_pairing(plan);
  if (kind == "defect") return "defect:" + params.text("defect");
  if (kind == "shift") return fmt::format("positions:shift={}", params.integer("shift"));
  if (kind == "compress") return "positions:compress=" + number_text(params.real("compress"));
  if (kind == "window") return fmt::format("window:{}", params.integer("new_window"));
  return kind;
}

}  // namespace

std::vector<ParamSpec> edit_params(EditedHead head) {
  ParamSpec layer = count_param({"edited_layer", "$l'$"},
                                "The layer that is changed; −1 changes all. Positions are those of "
                                "all layers.",
                                -1, -1, 255);
  std::vector<ParamSpec> specs{
      edits_param(),
      {.key = "edit",
       .description = "More changes in words, one after another: base:500@3 zero:1.0+1.2; the "
                      "topic heads lists them.",
       .kind = ParamKind::text,
       .default_value = std::string(),
       .group = "What if",
       .stated_if_set = true},
      of_edit(number_param("new_base", "The base that RoPE turns by.", 500, 2, 1e9), {"base"}),
      of_edit(count_param({"pair", "$t$"}, "The pair, from the fastest on.", 0, 0, 255),
              {"still", "mute"}),
      of_edit(defect_param(), {"defect"}),
      of_edit(log_count_param({"shift", "", "tokens"}, "By how much positions are raised.", 1000, 1,
                              1e7),
              {"shift"}),
      of_edit(number_param("compress", "By what positions are divided.", 4, 1, 100), {"compress"}),
      of_edit(
          log_count_param({"new_window", "", "tokens"}, "Keys that a query sees.", 8, 1, 131072),
          {"window"}),
      of_edit(std::move(layer),
              {"base", "still", "mute", "sign", "pairing", "defect", "no_position", "window"})};
  if (head == EditedHead::declared)
    for (const char* place : {"layer", "head"})
      specs.push_back(of_edit(
          count_param(place, fmt::format("The {} of the head that gives zero.", place), 0, 0, 255),
          {"silence"}));
  return specs;
}

std::vector<ValueInUse> edit_limits(int layers, int heads, const PositionPlan& plan) {
  std::size_t pairs = 0;
  for (const LayerPlan& layer : plan.layers)
    pairs = pairs < layer.inv_freq.size() ? layer.inv_freq.size() : pairs;
  const auto last = [](const char* key, double count) {
    return ValueInUse{.key = key, .most = count - 1};
  };
  std::vector<ValueInUse> limits{last("layer", layers), last("head", heads),
                                 last("edited_layer", layers)};
  if (pairs > 0) limits.push_back(last("pair", static_cast<double>(pairs)));
  return limits;
}

std::vector<std::string> edits_in(const ParamSet& params, const PositionPlan& plan,
                                  const std::string& marked) {
  std::vector<std::string> edits;
  for (const std::string& kind : params.list("edits")) {
    if (kind == "silence") {
      edits.push_back(fmt::format("zero:{}.{}", params.integer("layer"), params.integer("head")));
      continue;
    }
    if (kind == "silence_marked") {
      edits.push_back("zero:" + marked);
      continue;
    }
    edits.push_back(edit_of(kind, params, plan));
    const bool of_positions = kind == "shift" || kind == "compress";
    if (!of_positions && params.integer("edited_layer") >= 0)
      edits.back() += fmt::format("@{}", params.integer("edited_layer"));
  }
  std::istringstream words(params.text("edit"));
  for (std::string word; words >> word;) edits.push_back(std::move(word));
  return edits;
}

}  // namespace orrery
