#include "experiments/studies/model_heads/asked_model.h"

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

namespace orrery::studies {
namespace {

std::mutex left_mutex;
std::vector<std::unique_ptr<AskedModel>> left;
std::atomic<int> models{0};  ///< that there are, left or asked

std::uint64_t bytes_to_keep() {
  constexpr int third = 3, most_halvings = 16;
  const int halvings = std::min<int>(models.load(), most_halvings);
  return files::memory_limit() / third >> halvings;
}

std::string key_of_model(const ParamSet& params, const ModelFile& model) {
  return fmt::format("{} {} {}", params.text("precision"), model.sha256, model.path.string());
}

std::string key_of_texts(const ParamSet& params, const Inputs& inputs) {
  std::string key = fmt::format("{} {} {}", params.integer("length"), params.integer("parts"),
                                params.is_default("text"));
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
  return fmt::format("{} {} {}", request.repeated, request.repeats, request.seed);
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

}  // namespace

AskedModel::AskedModel() { ++models; }
AskedModel::~AskedModel() { --models; }

std::shared_ptr<AskedModel> AskedModel::take(const ParamSet& params, const Inputs& inputs) {
  const auto found = inputs.find("model");
  if (found == inputs.end())
    throw UsageError("model=", "names no file", "give a model's folder or GGUF: model=DIR");
  const auto& file = std::get<ModelFile>(found->second);
  std::string key = key_of_model(params, file);
  std::unique_ptr<AskedModel> taken = take_left(key);
  const bool is_new = !taken;
  if (is_new) taken = std::make_unique<AskedModel>();
  std::shared_ptr<AskedModel> model(taken.release(), leave);
  if (is_new) {
    model->key_ = std::move(key);
    model->tokenizer_ = tokenizer_of(file.path);
  }
  std::string texts = key_of_texts(params, inputs);
  if (texts != model->texts_key_) model->read(params, inputs, file);
  model->texts_key_ = std::move(texts);
  return model;
}

void AskedModel::read(const ParamSet& params, const Inputs& inputs, const ModelFile& file) {
  texts_key_.clear();
  table_key_.clear();
  texts_ = model_texts(file.path, params, inputs);
  labels_ = labels_of_ids(texts_.front().tokens);
  std::size_t longest = 0;
  for (const ModelText& text : texts_)
    longest = longest < text.tokens.size() ? text.tokens.size() : longest;
  const auto length = static_cast<std::int64_t>(longest);
  if (live_ && live_->settings().length == length) return;
  live_ = std::make_unique<LiveModel>(
      file.path, RunSettings{.single = params.text("precision") == "exact_fp32",
                             .threads = threads_or_all(0),
                             .kept_bytes = bytes_to_keep(),
                             .length = length});
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

}  // namespace orrery::studies
