#include "experiments/setup/asked_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <variant>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/files/file.h"
#include "experiments/files/memory_limit.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/model_figures.h"
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
  const auto same = std::find_if(left.begin(), left.end(),
                                 [&](const auto& model) { return model->key() == key; });
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
  return {.key = "model",
          .description = "A model's folder with config.json and .safetensors, or its .gguf.",
          .kind = ParamKind::file,
          .default_value = "bundled:" + std::string(trained_model),
          .file_types = {"safetensors", "gguf", "json"}};
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
  const bool by_length = std::any_of(plan_->layers.begin(), plan_->layers.end(), chooses_by_length);
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

}  // namespace orrery
