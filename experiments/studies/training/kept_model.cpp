#include "experiments/studies/training/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/encodings/rope.h"
#include "core/errors.h"
#include "experiments/checkpoints/decode_rows.h"
#include "experiments/checkpoints/family.h"
#include "experiments/data/safetensors.h"
#include "experiments/tokenizers/unicode.h"

namespace orrery {
namespace {
namespace in_kept_model {

using Json = nlohmann::ordered_json;

// ---- Tensors -----------------------------------------------------------------------------------

template <class T>
Array array_of(std::string name, const Matrix<T>& values, bool vector) {
  Array array{.name = std::move(name)};
  if (!vector) array.shape.push_back(static_cast<std::size_t>(values.rows()));
  array.shape.push_back(static_cast<std::size_t>(values.cols()));
  array.values = std::vector<T>(values.data(), values.data() + values.size());
  return array;
}

/// Puts weights under the names of a family.
template <class T>
class FamilyWriter {
 public:
  FamilyWriter(const Family& family, std::string_view type) : names_(*family.names) {
    for_each_word(names_.prefixes, [&](std::string_view one) {
      if (prefix_.empty() || one == std::string(type) + ".") prefix_ = one;
    });
  }

  void add(const std::string& name, const Matrix<T>& values, bool vector) {
    arrays_.push_back(array_of(name, values, vector));
  }
  void add(const std::string& name, const NormWeights<T>& w) {
    add(name + ".weight", w.gain, true);
    if (w.bias.size() > 0) add(name + ".bias", w.bias, true);
  }
  void add(const std::string& name, const LinearWeights<T>& w) {
    const bool transposed = names_.transposed == Transposed::layers;
    add(name + ".weight", transposed ? Matrix<T>(w.W.transpose()) : w.W, false);
    if (w.b.size() > 0) add(name + ".bias", w.b, true);
  }
  /// A norm that the family has, or has not.
  void add_norm(const std::string& place, std::string_view name, const NormWeights<T>& w) {
    if (!name.empty()) add(place + std::string(name), w);
  }

  void add_layer(std::size_t l, const LayerWeights<T>& w) {
    const std::string place = prefix_ + fmt::format(fmt::runtime(names_.layer), l);
    add_norm(place, names_.before_attention, w.before_attention);
    add_norm(place, names_.after_attention, w.after_attention);
    add_norm(place, names_.before_feed_forward, w.before_feed_forward);
    add_norm(place, names_.after_feed_forward, w.after_feed_forward);
    add_attention(place, w.attention);
    if (!names_.gate.empty()) add(place + std::string(names_.gate), w.feed_forward.gate);
    add(place + std::string(names_.up), w.feed_forward.up);
    add(place + std::string(names_.down), w.feed_forward.down);
  }

  void add_rest(const ModelWeights<T>& w) {
    add(prefix_ + std::string(names_.tokens) + ".weight", w.tokens, false);
    add_norm(prefix_, names_.embedding_norm, w.embedding.norm);
    for (const auto& [name, table] : w.input_tables)
      add(prefix_ + std::string(names_.positions) + ".weight", table, false);
    add_norm(prefix_, names_.final_norm, w.head.norm);
    if (w.head.transform.W.size() > 0) {
      add(first_of(names_.transform), w.head.transform);
      add(first_of(names_.transform_norm), w.head.transform_norm);
    }
    if (w.vocabulary.W.size() > 0)
      add(first_of(names_.vocabulary) + ".weight", w.vocabulary.W, false);
    if (w.vocabulary.b.size() > 0) add(first_of(names_.vocabulary_bias), w.vocabulary.b, true);
  }

  /// A part that the family has and these models leave out: zeros change nothing.
  void add_zeros(std::string_view name, Index rows, Index columns) {
    add(prefix_ + std::string(name) + ".weight", Matrix<T>::Zero(rows, columns), false);
  }

  std::vector<Array> arrays() && { return std::move(arrays_); }

 private:
  void add_attention(const std::string& place, const AttentionWeights<T>& w) {
    add(place + std::string(names_.o), w.o);
    if (names_.layout == QkvLayout::separate) {
      add(place + std::string(names_.q), w.q);
      add(place + std::string(names_.k), w.k);
      add(place + std::string(names_.v), w.v);
      return;
    }
    LinearWeights<T> all;
    all.W.resize(w.q.W.rows() + w.k.W.rows() + w.v.W.rows(), w.q.W.cols());
    all.W << w.q.W, w.k.W, w.v.W;
    all.b.resize(1, all.W.rows());
    all.b << w.q.b, w.k.b, w.v.b;
    add(place + std::string(names_.qkv), all);
  }

  static std::string first_of(std::string_view words) {
    return std::string(words.substr(0, words.find(' ')));
  }

  const TensorNames& names_;
  std::string prefix_{};
  std::vector<Array> arrays_{};
};

/// The families of models that are trained here.
struct KeptFamily {
  const char* shape{};
  const char* encoding{};
  const char* type{};          ///< its model_type
  const char* architecture{};  ///< the class of Transformers
  bool causal{};
};

constexpr KeptFamily kept_families[] = {
    {"llama", "rope", "llama", "LlamaForCausalLM", true},
    {"gpt2", "learned", "gpt2", "GPT2LMHeadModel", true},
    {"roformer", "rope", "roformer", "RoFormerForMaskedLM", false}};

/// Whether a rope has the settings that the family's code has.
bool is_rope_of(const KeptFamily& family, const ParamSet& of_encodings) {
  // RoFormer's code knows one base.
  if (!family.causal && !of_encodings.is_default("base")) return false;
  const std::vector<ParamSpec>& specs = of_encodings.specs();
  return std::ranges::all_of(specs, [&](const ParamSpec& spec) {
    return spec.key.rfind("rope.", 0) != 0 || spec.key == "rope.pairing" ||
           of_encodings.is_default(spec.key);
  });
}

const KeptFamily* find_kept(const TrainingPlan& plan, const std::string& encoding) {
  const ParamSet& params = plan.params;
  if (params.text("attention") != "softmax") return nullptr;
  for (const KeptFamily& family : kept_families) {
    if (params.text("model") != family.shape || encoding != family.encoding ||
        plan.task.causal() != family.causal)
      continue;
    return encoding != "rope" || is_rope_of(family, plan.all_params) ? &family : nullptr;
  }
  return nullptr;
}

/// In the pairing of the family's files.
template <class T>
void pair_as(const KeptFamily& family, const TrainingPlan& plan, ModelWeights<T>& weights) {
  if (std::string_view(family.encoding) != "rope") return;
  const auto pairing = [](bool halves) {
    return halves ? RopePairing::half_split : RopePairing::interleaved;
  };
  const RopePairing own = pairing(plan.all_params.text("rope.pairing") == "half_split");
  const RopePairing wanted = pairing(std::string_view(family.type) == "llama");
  if (own == wanted) return;
  const Index heads = plan.params.integer("heads");
  for (LayerWeights<T>& layer : weights.layers)
    for (LinearWeights<T>* w : {&layer.attention.q, &layer.attention.k}) {
      w->W = repaired_rows<T>(w->W, heads, own, wanted);
      if (w->b.size() == 0) continue;
      const Matrix<T> column = w->b.transpose();
      w->b = repaired_rows<T>(column, heads, own, wanted).transpose();
    }
}

/// As files hold them: under the names of a family, or Orrery's where it is null.
template <class T>
std::vector<Array> tensors_of(const KeptFamily* family, const TrainingPlan& plan,
                              ModelWeights<T> weights) {
  if (!family) {
    std::vector<Array> arrays;
    for (const NamedWeight<T>& weight : named_weights(weights))
      arrays.push_back(array_of(weight.name, *weight.values, weight.is_vector));
    return arrays;
  }
  pair_as(*family, plan, weights);
  const Family& files = *find_family_of_type(family->type);
  FamilyWriter<T> writer(files, family->type);
  writer.add_rest(weights);
  for (std::size_t l = 0; l < weights.layers.size(); ++l) writer.add_layer(l, weights.layers[l]);
  if (std::string_view(family->type) == "roformer")
    writer.add_zeros(files.names->segments, 1, weights.tokens.cols());
  return std::move(writer).arrays();
}

// ---- Reading -----------------------------------------------------------------------------------

/// "[8, 32]"
template <class Shape>
std::string shape_text(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// Refuses a file that has not the tensors of the model, no more and no fewer.
/// @param computed  one that a family's files have and nobody reads; empty for none
void require_tensors(const TensorStore& start, const std::string& encoding,
                     const std::vector<Array>& wanted, const std::string& computed) {
  const std::string model = fmt::format("with encoding={} and these settings", encoding);
  constexpr const char* remedy =
      "give a file that checkpoints=1 wrote with the same settings, or one with its names and "
      "shapes";
  std::set<std::string_view> names;
  for (const Array& array : wanted) {
    names.insert(array.name);
    const StoredTensor* found = start.find(array.name);
    if (!found)
      throw DataError(fmt::format("start={}", start.name()),
                      fmt::format("has no tensor {}, which a model has {}, {}", array.name, model,
                                  shape_text(array.shape)),
                      remedy);
    if (!std::equal(array.shape.begin(), array.shape.end(), found->shape.begin(),
                    found->shape.end()))
      throw DataError(fmt::format("start={}", start.label(array.name)),
                      fmt::format("is {}, and {} it is {}", shape_text(found->shape), model,
                                  shape_text(array.shape)),
                      remedy);
  }
  for (const auto& [name, tensor] : start.tensors())
    if (!names.contains(name) && (computed.empty() || !name.ends_with(computed)))
      throw DataError(fmt::format("start={}", start.label(name)),
                      fmt::format("is no weight of a model {}", model), remedy);
}

// ---- config.json -------------------------------------------------------------------------------

Json llama_config(const ParamSet& params, const ModelShape<float>& shape, double base) {
  return {{"hidden_size", shape.sizes.d_model},
          {"intermediate_size", shape.sizes.d_feed_forward},
          {"num_hidden_layers", params.integer("layers")},
          {"num_attention_heads", params.integer("heads")},
          {"num_key_value_heads", params.integer("heads")},
          {"head_dim", params.integer("dim")},
          {"hidden_act", "silu"},
          {"rms_norm_eps", shape.design.transformer.norm.epsilon},
          {"rope_theta", base},
          {"max_position_embeddings", params.integer("tokens")},
          {"attention_bias", false},
          {"mlp_bias", false},
          {"tie_word_embeddings", false}};
}

Json gpt2_config(const ParamSet& params, const ModelShape<float>& shape, Index positions) {
  return {{"n_embd", shape.sizes.d_model},
          {"n_inner", shape.sizes.d_feed_forward},
          {"n_layer", params.integer("layers")},
          {"n_head", params.integer("heads")},
          {"n_positions", positions},
          {"activation_function", "gelu_new"},
          {"layer_norm_epsilon", shape.design.transformer.norm.epsilon},
          {"tie_word_embeddings", true}};
}

Json roformer_config(const ParamSet& params, const ModelShape<float>& shape) {
  return {{"embedding_size", shape.sizes.d_model},
          {"hidden_size", shape.sizes.d_model},
          {"intermediate_size", shape.sizes.d_feed_forward},
          {"num_hidden_layers", params.integer("layers")},
          {"num_attention_heads", params.integer("heads")},
          {"hidden_act", "gelu"},
          {"layer_norm_eps", shape.design.transformer.norm.epsilon},
          {"max_position_embeddings", params.integer("tokens") * params.integer("extrapolation")},
          {"type_vocab_size", 1},
          {"rotary_value", false},
          {"tie_word_embeddings", true}};
}

Json family_config(const KeptFamily& family, const TrainingPlan& plan,
                   const ModelShape<float>& shape, const ModelWeights<float>& weights) {
  Json json{{"architectures", {family.architecture}}, {"model_type", family.type}};
  const std::string_view type = family.type;
  const ParamSet& params = plan.params;
  if (type == "llama")
    json.update(llama_config(params, shape, plan.all_params.real("base")));
  else if (type == "gpt2")
    json.update(gpt2_config(params, shape, weights.input_tables.begin()->second.rows()));
  else
    json.update(roformer_config(params, shape));
  return json;
}

/// How the model was made.
Json origin(const TrainingPlan& plan, const OneRun& run) {
  Json settings = Json::object();
  for (const ParamSpec& spec : plan.params.specs())
    if (plan.params.is_stated(spec.key) && !plan.params.is_default(spec.key))
      settings[spec.key] = plan.params.to_text(spec.key);
  return {{"experiment", "training"},
          {"encoding", run.run().encoding},
          {"seed", run.run().seed},
          {"step", run.trainer().state().step},
          {"settings", settings}};
}

/// A byte-level BPE that merges nothing: a token is a byte. A byte that was not learned from is
/// read as a space, and the token behind them is BERT's mask.
Json tokenizer_of(const std::vector<int>& bytes, Index vocabulary) {
  Json vocab = Json::object();
  for (const int byte : bytes)
    vocab[byte_character(static_cast<unsigned char>(byte))] = vocab.size();
  Json added = Json::array();
  if (vocabulary > static_cast<Index>(bytes.size())) {
    added.push_back({{"id", bytes.size()},
                     {"content", "[MASK]"},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
    vocab["[MASK]"] = bytes.size();
  }
  const std::string& space = byte_character(' ');
  const Json level{{"type", "ByteLevel"},
                   {"add_prefix_space", false},
                   {"trim_offsets", true},
                   {"use_regex", false}};
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added},
          {"normalizer", nullptr},
          {"pre_tokenizer", level},
          {"post_processor", nullptr},
          {"decoder", level},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", vocab.contains(space) ? Json(space) : Json()},
            {"continuing_subword_prefix", nullptr},
            {"end_of_word_suffix", nullptr},
            {"fuse_unk", false},
            {"byte_fallback", false},
            {"vocab", vocab},
            {"merges", Json::array()}}}};
}

}  // namespace in_kept_model
}  // namespace

std::vector<ResultFile> model_files(const TrainingPlan& plan, const OneRun& run,
                                    const std::string& name) {
  using namespace in_kept_model;
  ModelWeights<float> weights = run.trainer().state().weights;
  const ModelShape<float> shape = model_shape<float>(plan.params, plan.task);
  const KeptFamily* family = find_kept(plan, run.run().encoding);
  Json config =
      family ? family_config(*family, plan, shape, weights) : Json{{"model_type", "orrery"}};
  config["vocab_size"] = plan.task.vocabulary();
  config["torch_dtype"] = "float32";
  config["bos_token_id"] = config["eos_token_id"] = nullptr;  // no symbol begins or ends a text
  config["orrery"] = origin(plan, run);
  const std::vector<Array> arrays = tensors_of(family, plan, std::move(weights));
  std::vector<const Array*> listed;
  for (const Array& array : arrays) listed.push_back(&array);
  std::vector<ResultFile> files{
      {"models/" + name + "/config.json", config.dump(2) + "\n"},
      {"models/" + name + "/model.safetensors", safetensors_bytes(listed)}};
  const std::vector<int> bytes = plan.task.bytes_of_tokens();
  if (!bytes.empty())
    files.push_back({"models/" + name + "/tokenizer.json",
                     tokenizer_of(bytes, plan.task.vocabulary()).dump(2) + "\n"});
  return files;
}

bool opens_as_model(const TrainingPlan& plan, const OneRun& run) {
  return in_kept_model::find_kept(plan, run.run().encoding) && !plan.task.bytes_of_tokens().empty();
}

void take_start(const TrainingPlan& plan, const EncodingRecipe& recipe,
                ModelWeights<float>& weights) {
  using namespace in_kept_model;
  const TensorStore& start = *plan.start;
  const ModelShape<double> shape = model_shape<double>(plan.params, plan.task);
  // A model whose numbers are 1, 2, 3, … is written: where each comes to lie, its value does.
  ModelWeights<double> numbered =
      initial_weights<double>(shape.design.transformer, shape.sizes, recipe, 0);
  std::vector<float*> places{nullptr};  // 0: the family has it, and these models have not
  const auto numbers = named_weights(numbered);
  const auto values = named_weights(weights);
  for (std::size_t w = 0; w < values.size(); ++w)
    for (Index i = 0; i < values[w].values->size(); ++i) {
      numbers[w].values->data()[i] = static_cast<double>(places.size());
      places.push_back(values[w].values->data() + i);
    }
  const bool own = start.find(numbers.front().name) != nullptr;
  const KeptFamily* family = own ? nullptr : find_kept(plan, recipe.name);
  const std::vector<Array> arrays = tensors_of(family, plan, std::move(numbered));
  const std::string_view rotations =
      family ? find_family_of_type(family->type)->names->rotations : std::string_view();
  require_tensors(start, recipe.name, arrays,
                  rotations.empty() ? "" : std::string(rotations) + ".weight");
  for (const Array& array : arrays) {
    const std::string label = fmt::format("start={}", start.label(array.name));
    const Matrix<float> read = decoded<float>(PlacedTensor{label, start.find(array.name)});
    for (std::size_t i = 0; i < array.size(); ++i) {
      float* const place = places[static_cast<std::size_t>(array[i])];
      const float value = read.data()[i];
      if (place)
        *place = value;
      else if (value != 0)
        throw DataError(label,
                        fmt::format("holds {}, and the lab's models have no such part", value),
                        "write zeros there");
    }
  }
  start.require_whole();
}

}  // namespace orrery
