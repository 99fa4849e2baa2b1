#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/transformer/forward.h"
#include "experiments/checkpoints/checkpoint.h"
#include "experiments/checkpoints/forward_pass.h"
#include "experiments/files/file.h"
#include "tests/checkpoints/family_models.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 24;

fs::path family_model(const std::string& name) {
  return fs::path(tests_folder()) / "golden/transformer" / name;
}

template <class T>
bool equal_bits(const Matrix<T>& a, const Matrix<T>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0;
}

template <class T>
Matrix<T> hidden_of(const Checkpoint& model, const std::vector<std::int32_t>& tokens,
                    const PassOptions<T>& options) {
  const auto weights = weight_source<T>(model, model.stack());
  return forward<T>(model.stack().design, *weights, {.ids = tokens}, options);
}

/// A copy of a model whose config.json is changed.
fs::path changed_model(const TempFolder& folder, const std::string& name,
                       const std::function<void(nlohmann::json&)>& change) {
  const fs::path from = family_model(name), to = folder.path() / name;
  fs::copy(from, to);
  nlohmann::json config = nlohmann::json::parse(read_file(from / "config.json", most_bytes));
  change(config);
  fs::remove(to / "config.json");
  folder.file(name + "/config.json", config.dump());
  return to;
}

void check_model_refused(const fs::path& path, const std::string& message) {
  CHECK_THROWS_AS(Checkpoint::open(path), DataError);
  CHECK_THROWS_WITH(Checkpoint::open(path), Contains(message));
}

/// Keeps all that a pass writes.
class KeptArrays final : public ArraySink {
 public:
  void begin(std::span<const Array> arrays) override {
    arrays_.assign(arrays.begin(), arrays.end());
    bytes_.resize(arrays.size());
  }
  void append(std::size_t array, std::string_view bytes) override { bytes_[array] += bytes; }

  const std::vector<Array>& arrays() const { return arrays_; }
  std::size_t size_of(const std::string& name) const { return bytes_of(name).size(); }
  const std::string& bytes_of(const std::string& name) const {
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      if (arrays_[i].name == name) return bytes_[i];
    static const std::string none;
    return none;
  }

 private:
  std::vector<Array> arrays_{};
  std::vector<std::string> bytes_{};
};

}  // namespace

TEST_CASE("a pass gives the same bits with any number of threads") {
  for (const char* name : {"llama-on", "gemma2-on", "bert-on", "xlnet-on", "falcon-alibi"}) {
    CAPTURE(name);
    const Checkpoint model = Checkpoint::open(family_model(name));
    const std::vector<std::int32_t> tokens = Expected(family_model(name)).integers("tokens");
    const Matrix<float> one = hidden_of<float>(model, tokens, {.threads = 1});
    for (const int threads : {2, 3, 8})
      CHECK(equal_bits(one, hidden_of<float>(model, tokens, {.threads = threads})));
  }
}

TEST_CASE("token by token with a cache a model computes what it computes at once") {
  constexpr double rounding = 1e-13;
  for (const fs::path& folder : family_models()) {
    const Expected expected(folder);
    if (expected.has("memory.0") || folder.filename() == "deberta-talking") continue;
    const auto length = static_cast<std::int64_t>(expected.integers("tokens").size());
    const Checkpoint model = Checkpoint::open(folder, {.length = length});
    if (!model.stack().design.attention.causal) continue;
    CAPTURE(folder.filename().string());
    const std::vector<std::int32_t> tokens = expected.integers("tokens");
    const Matrix<double> at_once = hidden_of<double>(model, tokens, {});
    KeyValueCache<double> cache;
    Matrix<double> step_by_step(at_once.rows(), at_once.cols());
    for (std::size_t i = 0; i < tokens.size(); ++i)
      step_by_step.row(static_cast<Index>(i)) =
          hidden_of<double>(model, {tokens[i]}, {.cache = &cache});
    CHECK(relative_error<double>(step_by_step, at_once) < rounding);
  }
}

TEST_CASE("losses are minus the logarithm of the softmax of the vocabulary's logits") {
  const fs::path folder = family_model("gemma2-on");
  const std::vector<std::int32_t> tokens = Expected(folder).integers("tokens");
  const Matrix<double> logits = Expected(folder).matrix("vocab_logits");
  const PassResult result =
      PassModel(folder, 0).run({.tokens = tokens}, {.single = false}, nullptr);
  REQUIRE(result.losses.size() == tokens.size() - 1);
  for (std::size_t i = 0; i < result.losses.size(); ++i) {
    const auto row = logits.row(static_cast<Index>(i)).array();
    const double expected = std::log(row.exp().sum()) - row(tokens[i + 1]);
    CHECK(result.losses[i] == Approx(expected).epsilon(1e-11));
  }
}

TEST_CASE("a pass writes what is asked for, of the layers and heads that are asked for") {
  const fs::path folder = family_model("llama-on");
  const Expected expected(folder);
  const std::vector<std::int32_t> tokens = expected.integers("tokens");
  const std::size_t n = tokens.size(), number = sizeof(double);
  KeptArrays kept;
  PassModel(folder, static_cast<std::int64_t>(n))
      .run({.tokens = tokens},
           {.arrays = {"tokens", "loss", "logits", "hidden", "attention", "k"},
            .layers = {1},
            .heads = {0, 3},
            .single = false},
           &kept);
  CHECK(kept.size_of("tokens") == n * number);
  CHECK(kept.size_of("loss") == (n - 1) * number);
  CHECK(kept.size_of("logits") == n * 48 * number);
  CHECK(kept.size_of("hidden.0") == 0);
  CHECK(kept.size_of("hidden.1") == n * 16 * number);
  CHECK(kept.size_of("hidden.2") == n * 16 * number);
  CHECK(kept.size_of("attention.1") == 2 * n * n * number);
  CHECK(kept.size_of("k.1") == 2 * n * 8 * number);
  std::vector<double> map(2 * n * n);
  std::memcpy(map.data(), kept.bytes_of("attention.1").data(), map.size() * number);
  const Matrix<double> last = expected.matrix("weights.1", 3);
  for (std::size_t i = 0; i < n * n; ++i)
    CHECK(map[n * n + i] == Approx(last.data()[i]).margin(1e-12));
}

TEST_CASE("a pass without readers and one with all of them give the same losses") {
  const fs::path folder = family_model("qwen3-on");
  const std::vector<std::int32_t> tokens = Expected(folder).integers("tokens");
  const PassModel model(folder, static_cast<std::int64_t>(tokens.size()));
  KeptArrays kept;
  const PassRequest all{.arrays = {"hidden", "q", "k", "v", "scores", "attention", "head_output",
                                   "attention_output", "feed_forward"},
                        .single = false};
  const std::vector<double> seen = model.run({.tokens = tokens}, all, &kept).losses;
  const std::vector<double> unseen =
      model.run({.tokens = tokens}, {.single = false}, nullptr).losses;
  REQUIRE(seen.size() == unseen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == Approx(unseen[i]).epsilon(1e-13));
  for (const Array& array : kept.arrays()) {
    std::size_t numbers = 1;
    for (const std::size_t extent : array.shape) numbers *= extent;
    CHECK(kept.size_of(array.name) == numbers * sizeof(double));
  }
}

TEST_CASE("what a model does not have is refused by name") {
  const fs::path folder = family_model("bert-on");
  const PassModel model(folder, 0);
  const PassInputs tokens{.tokens = {1, 2, 3}};
  KeptArrays kept;
  CHECK_THROWS_WITH(model.run(tokens, {.arrays = {"loss"}}, &kept), Contains("looks both ways"));
  CHECK_THROWS_WITH(model.run(tokens, {.layers = {7}}, &kept), Contains("layer 7"));
  CHECK_THROWS_WITH(model.run(tokens, {.heads = {9}}, &kept), Contains("head 9"));
  CHECK_THROWS_WITH(model.run({.tokens = {1, 48}}, {}, nullptr), Contains("token 48 at [1]"));
  CHECK_THROWS_WITH(model.run({.tokens = {1}, .segments = {5}}, {}, nullptr),
                    Contains("segment 5 at [0]"));
  CHECK_THROWS_WITH(model.run({}, {}, nullptr), Contains("no tokens"));
}

TEST_CASE("models of no family, and options that none has, are refused by name") {
  const TempFolder folder;
  check_model_refused(family_model("deberta-talking"), "talking_head");
  check_model_refused(changed_model(folder, "llama-off",
                                    [](nlohmann::json& config) {
                                      config["model_type"] = "mixtral";
                                      config["architectures"] = {"MixtralForCausalLM"};
                                    }),
                      "is of no family that runs");
  check_model_refused(
      changed_model(folder, "qwen3-off", [](nlohmann::json& config) { config["num_experts"] = 8; }),
      "num_experts");
  check_model_refused(
      changed_model(folder, "gpt2-off",
                    [](nlohmann::json& config) { config["activation_function"] = "mish"; }),
      "\"mish\"");
  check_model_refused(
      changed_model(folder, "olmo2-on", [](nlohmann::json& config) { config["clip_qkv"] = 8.0; }),
      "clip_qkv");
}

TEST_CASE("Of a model without weights that no family computes, the family is said first") {
  const TempFolder folder;
  folder.file("a/config.json", R"({"model_type": "mixtral", "hidden_size": 8,
    "num_attention_heads": 2, "num_hidden_layers": 1})");
  check_model_refused(folder.path() / "a", "is of no family that runs");
  folder.file("b/config.json", R"({"model_type": "llama", "hidden_size": 8,
    "num_attention_heads": 2, "num_hidden_layers": 1})");
  check_model_refused(folder.path() / "b", "holds neither");
}

TEST_CASE("A negative epsilon and a flag that is none are refused by their keys") {
  const TempFolder folder;
  check_model_refused(changed_model(folder, "llama-off",
                                    [](nlohmann::json& config) { config["rms_norm_eps"] = -1e-5; }),
                      "rms_norm_eps: is not a number of 0 or more");
  check_model_refused(
      changed_model(folder, "llama-on",
                    [](nlohmann::json& config) { config["tie_word_embeddings"] = 7; }),
      "tie_word_embeddings: is not true or false");
}

TEST_CASE("A pad that no table has a row for is refused, however large") {
  const TempFolder folder;
  for (const std::int64_t pad : {std::int64_t{19}, std::int64_t{1} << 30, std::int64_t{2147483647},
                                 std::int64_t{1} << 31, std::int64_t{-1}}) {
    INFO(pad);
    const fs::path model = changed_model(
        folder, "roberta-off", [&](nlohmann::json& config) { config["pad_token_id"] = pad; });
    CHECK_THROWS_AS(Checkpoint::open(model), DataError);
    fs::remove_all(model);
  }
}

TEST_CASE("Keys that are not read are named, and of a published model there is none") {
  const auto unread = [](const fs::path& path) {
    std::string sentences;
    const Checkpoint model = Checkpoint::open(path);
    for (const std::string& sentence : model.plan().assumed)
      if (sentence.find("not read, and may") != std::string::npos) sentences += sentence;
    return sentences;
  };
  for (const fs::path& model : family_models())
    if (model.filename() != "deberta-talking") {
      INFO(model.filename());
      CHECK(unread(model).empty());
    }
  const TempFolder folder;
  CHECK_THAT(unread(changed_model(folder, "llama-off",
                                  [](nlohmann::json& config) {
                                    config["logit_scaling"] = 8.0;
                                    config["residual_multiplier"] = 0.2;
                                    config["dropout_of_all"] = 0.1;
                                  })),
             Contains("logit_scaling, residual_multiplier: are not read"));
}

TEST_CASE("weights that do not fit the configuration are refused with the tensor's name") {
  const TempFolder folder;
  check_model_refused(
      changed_model(folder, "llama-off",
                    [](nlohmann::json& config) { config["num_hidden_layers"] = 3; }),
      "layers.2");
  check_model_refused(
      changed_model(folder, "mistral-off",
                    [](nlohmann::json& config) { config["num_hidden_layers"] = 1; }),
      "layers.1");
  check_model_refused(changed_model(folder, "qwen2-off",
                                    [](nlohmann::json& config) {
                                      config["num_attention_heads"] = 2;
                                      config["head_dim"] = 4;
                                    }),
                      "not [16, 8] (d_model, heads · d_head)");
  check_model_refused(
      changed_model(folder, "phi3-off", [](nlohmann::json& config) { config["hidden_size"] = 20; }),
      "has the shape");
}
