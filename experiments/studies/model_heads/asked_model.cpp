#include "experiments/studies/model_heads/asked_model.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>
#include <variant>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/files/file.h"

namespace orrery::studies {
namespace {

std::mutex left_mutex;
std::unique_ptr<AskedModel> left;

std::string key_of(const ParamSet& params, const Inputs& inputs, const ModelFile& model) {
  std::string key =
      fmt::format("{} {} {} {} {}", model.path.string(), model.sha256, params.text("precision"),
                  params.integer("length"), params.integer("parts"));
  if (const auto text = inputs.find("text"); text != inputs.end())
    key += " text " + sha256_hex(std::get<Text>(text->second).utf8);
  if (const auto tokens = inputs.find("tokens"); tokens != inputs.end())
    for (const double id : std::get<Tensor>(tokens->second).values) key += fmt::format(" {}", id);
  return key;
}

}  // namespace

std::unique_ptr<AskedModel> AskedModel::take(const ParamSet& params, const Inputs& inputs) {
  const auto found = inputs.find("model");
  if (found == inputs.end())
    throw UsageError("model=", "names no file", "give a model's folder or GGUF: model=DIR");
  const auto& model = std::get<ModelFile>(found->second);
  std::string key = key_of(params, inputs, model);
  {
    const std::lock_guard lock(left_mutex);
    if (left && left->key_ == key) return std::move(left);
  }
  auto asked = std::make_unique<AskedModel>();
  asked->key_ = std::move(key);
  asked->texts_ = model_texts(model.path, params, inputs);
  std::size_t longest = 0;
  for (const ModelText& text : asked->texts_)
    longest = longest < text.tokens.size() ? text.tokens.size() : longest;
  asked->tokenizer_ = tokenizer_of(model.path);
  asked->labels_ = asked->labels_of_ids(asked->texts_.front().tokens);
  asked->live_ = std::make_unique<LiveModel>(
      model.path, RunSettings{.single = params.text("precision") == "exact_fp32",
                              .threads = threads_or_all(0),
                              .length = static_cast<std::int64_t>(longest)});
  return asked;
}

void AskedModel::leave(std::unique_ptr<AskedModel> model) {
  const std::lock_guard lock(left_mutex);
  left.swap(model);
}

const HeadTable& AskedModel::table(const HeadsRequest& request, Progress& progress) {
  std::string key = fmt::format("{} {} {}", request.repeated, request.repeats, request.seed);
  if (key != table_key_) {
    table_ = measure_heads(*live_, request, progress);
    table_key_ = std::move(key);
  }
  return table_;
}

}  // namespace orrery::studies
