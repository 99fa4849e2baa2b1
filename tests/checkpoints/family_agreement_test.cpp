#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "core/position.h"
#include "core/product.h"
#include "core/transformer/forward.h"
#include "experiments/checkpoints/checkpoint.h"
#include "tests/checkpoints/family_models.h"

namespace orrery {
namespace {

/// The bounds that the issue of every number here is held to, relative to the largest of an array.
template <class T>
constexpr double bound = 1e-11;
template <>
constexpr double bound<float> = 1e-5;

/// A model on the disk and what Transformers computed for it.
struct Case {
  std::filesystem::path model{};
  const test::Expected& expected;
  double least_bound{};  ///< what the file's own rounding of facts allows at best
  bool rows_reordered{};
  bool headless{};  ///< the file has no head, though the model had
  bool
      biases_by_distance{};  ///< ALiBi: −m |i − j|, where Transformers adds m j; softmax is the same
};

template <class T>
double bound_of(const Case& one) {
  return one.least_bound > bound<T> ? one.least_bound : bound<T>;
}

/// Rows 2t + c of a head, which llama.cpp's converter makes of rows t + c d/2, as they were.
template <class T>
Matrix<T> in_trained_order(const Matrix<T>& rows) {
  const Index half = rows.cols() / 2;
  Matrix<T> out(rows.rows(), rows.cols());
  for (Index t = 0; t < half; ++t) {
    out.col(t) = rows.col(2 * t);
    out.col(t + half) = rows.col(2 * t + 1);
  }
  return out;
}

/// Compares what a pass shows with what Transformers computed.
template <class T>
class Comparison {
 public:
  Comparison(const Case& one, std::string prefix)
      : case_(one), expected_(one.expected), prefix_(std::move(prefix)) {}

  Probe<T> probe() {
    return {.wants = [this](const Site& site) { return expected_.has(name_of(site)); },
            .see = [this](const Site& site, Index first,
                          const MatrixIn<T>& rows) { collect(site, first, rows); }};
  }

  void compare(const std::string& name, const Matrix<T>& computed, std::size_t head = 0) {
    const double error = test::relative_error<T>(computed, expected_.matrix(name, head));
    ++compared_;
    INFO(name << " head " << head << " error " << error);
    CHECK(error < bound_of<T>(case_));
  }

  void compare_all() {
    for (const auto& [site, rows] : seen_)
      compare(site.first, holds_rows(site.first) ? in_trained_order<T>(rows) : rows, site.second);
  }

  /// The code of relative shifts leaves other numbers where a causal mask hides them.
  void forget_hidden_logits() {
    for (auto& [site, rows] : seen_) {
      const std::size_t at = site.first.find("logits.");
      if (at == std::string::npos) continue;
      const std::string layer = site.first.substr(at + 7);
      const Matrix<double> weights = expected_.matrix(prefix_ + "weights." + layer, site.second);
      const Matrix<double> logits = expected_.matrix(site.first, site.second);
      rows = (weights.array() > 0).select(rows, logits.template cast<T>());
    }
  }

  /// Shifts the logits of each query as a whole, by which softmax does not change.
  void shift_logits() {
    for (auto& [site, rows] : seen_)
      if (site.first.starts_with(prefix_ + "logits.")) {
        const Matrix<double> logits = expected_.matrix(site.first, site.second);
        rows.colwise() += (logits.col(0).template cast<T>() - rows.col(0)).eval();
      }
  }

  int compared() const { return compared_; }

 private:
  bool holds_rows(const std::string& name) const {
    return case_.rows_reordered && (name.starts_with("q.") || name.starts_with("k."));
  }

  std::string name_of(const Site& site) const {
    const std::string layer = "." + std::to_string(site.layer);
    const std::string prefix = site.of_memory ? "cross." : prefix_;
    const bool single = sizeof(T) == sizeof(float);
    if (site.quantity == Quantity::hidden) return prefix + "hidden" + layer + (single ? "_32" : "");
    if (single) return "";
    switch (site.quantity) {
      case Quantity::queries:
        return prefix + "q" + layer;
      case Quantity::keys:
        return prefix + "k" + layer;
      case Quantity::logits:
        return prefix + "logits" + layer;
      case Quantity::weights:
        return prefix + "weights" + layer;
      default:
        return "";
    }
  }

  void collect(const Site& site, Index first, const MatrixIn<T>& rows) {
    const std::string name = name_of(site);
    const auto head = static_cast<std::size_t>(site.head);
    Matrix<T>& all = seen_[{name, head}];
    if (first == 0) all.resize(expected_.matrix(name, head).rows(), rows.cols());
    all.middleRows(first, rows.rows()) = rows;
  }

  const Case& case_;
  const test::Expected& expected_;
  std::string prefix_;
  std::map<std::pair<std::string, std::size_t>, Matrix<T>> seen_{};
  int compared_{0};
};

/// Transformer-XL's code gives log p.
template <class T>
void subtract_log_sums(Matrix<T>& logits) {
  for (Index i = 0; i < logits.rows(); ++i) {
    const auto largest = static_cast<T>(largest_entry<T>(logits.row(i)));
    const T sum = (logits.row(i).array() - largest).exp().sum();
    logits.row(i).array() -= largest + std::log(sum);
  }
}

/// Keys and values of the layers' inputs for an earlier segment. They are given, since the code of
/// Transformer-XL begins its first segment with a memory of zeros.
template <class T>
KeyValueCache<T> cached_memory(const Stack& stack, WeightSource<T>& weights,
                               const test::Expected& expected) {
  KeyValueCache<T> cache;
  for (std::size_t l = 0; l < stack.design.layers.size(); ++l) {
    const auto layer = weights.layer(static_cast<int>(l));
    Matrix<T> x = expected.matrix("memory." + std::to_string(l)).template cast<T>();
    cache.positions = consecutive_positions(x.rows());
    if (stack.design.norm_place == NormPlace::before)
      x = normalised<T>(stack.design.norm, layer->before_attention, x);
    cache.keys.push_back(product_with_transpose<T>(x, layer->attention.k.W));
    cache.values.push_back(product_with_transpose<T>(x, layer->attention.v.W));
  }
  return cache;
}

template <class T>
Matrix<T> run_stack(const Checkpoint& model, const Stack& stack, const Case& one,
                    const std::string& prefix, const std::string& tokens, const Matrix<T>* memory) {
  const test::Expected& expected = one.expected;
  const std::vector<std::int32_t> ids = expected.integers(tokens),
                                  segments = expected.integers("segments"),
                                  given = expected.integers("positions");
  const Positions positions(given.begin(), given.end());
  const auto weights = weight_source<T>(model, stack);
  Comparison<T> comparison(one, prefix);
  KeyValueCache<T> cache;
  if (expected.has("memory.0")) cache = cached_memory<T>(stack, *weights, expected);
  const Matrix<T> hidden =
      forward<T>(stack.design, *weights, {.ids = ids, .positions = positions, .segments = segments},
                 {.probe = comparison.probe(), .threads = 2, .cache = &cache, .memory = memory});
  const bool shifts =
      stack.design.attention.causal && stack.layers.front().encoding == "transformer_xl";
  if (one.biases_by_distance) comparison.shift_logits();
  if (shifts || one.biases_by_distance) comparison.forget_hidden_logits();
  comparison.compare_all();
  const std::string single = sizeof(T) == sizeof(float) ? "_32" : "";
  comparison.compare(prefix + "final" + single, hidden);
  if (stack.has_head()) {
    Matrix<T> logits = vocabulary_logits<T>(stack.design, *weights, hidden);
    if (model.family().name == "Transformer-XL") subtract_log_sums(logits);
    const double error = test::relative_error<T>(logits, expected.matrix("vocab_logits" + single));
    INFO("vocab_logits" << single << " head 0 error " << error);
    CHECK(error < bound_of<T>(one));
  }
  CHECK(comparison.compared() > 3);
  return hidden;
}

template <class T>
void compare_model(const Case& one) {
  const test::Expected& expected = one.expected;
  const auto tokens = static_cast<std::int64_t>(expected.integers("tokens").size());
  const Checkpoint model = Checkpoint::open(one.model, {.length = tokens});
  CHECK(model.plan().layers.front().rows_reordered == one.rows_reordered);
  if (!model.decoder()) {
    const std::string prefix = model.family().decoder ? "encoder." : "";
    run_stack<T>(model, model.stack(), one, prefix, "tokens", nullptr);
    const bool adaptive = !model.stack().places.parts.empty();
    CHECK(model.stack().has_head() == (expected.has("vocab_logits") && !adaptive && !one.headless));
    return;
  }
  CHECK(model.decoder()->has_head());
  const Matrix<T> memory = run_stack<T>(model, model.stack(), one, "encoder.", "tokens", nullptr);
  run_stack<T>(model, *model.decoder(), one, "decoder.", "decoder_tokens", &memory);
}

enum class Rows { as_trained, reordered };
enum class Head { kept, left_out };
enum class Biases { as_there, by_distance };

/// A file of golden/transformer_gguf.
struct GgufModel {
  const char* name{};
  const char* expected{name};  ///< the model of golden/transformer
  Rows rows{Rows::as_trained};
  Head head{Head::kept};
  Biases biases{Biases::as_there};
  double least_bound{};
};

/// The factors of a RoPE scaling are float32 in a GGUF: 6e-8 of an angle of some radians.
constexpr double float32_factors = 1e-6;

// The converter leaves the heads of masked language models out.
constexpr GgufModel gguf_models[] = {
    {.name = "bert-bare", .head = Head::left_out},
    {.name = "bert-off", .head = Head::left_out},
    {.name = "bloom-off", .biases = Biases::by_distance},
    {.name = "falcon-gguf"},
    {.name = "falcon-off"},
    {.name = "falcon-one_norm"},
    {.name = "gemma-off"},
    {.name = "gemma2-gguf"},
    {.name = "gemma3-gguf"},
    {.name = "gpt2-gguf"},
    {.name = "gpt_neox-gguf"},
    {.name = "gpt_neox-off"},
    {.name = "llama-gguf", .rows = Rows::reordered, .least_bound = float32_factors},
    {.name = "llama-off", .rows = Rows::reordered},
    {.name = "mistral-off", .rows = Rows::reordered},
    {.name = "modernbert-gguf", .head = Head::left_out},
    {.name = "modernbert-off", .head = Head::left_out},
    {.name = "olmo2-off"},
    {.name = "phi3-gguf", .least_bound = float32_factors},
    {.name = "phi3-off"},
    {.name = "phi3-short", .least_bound = float32_factors},
    {.name = "qwen2-gguf"},
    {.name = "qwen2-off"},
    {.name = "qwen3-off"},
    {.name = "roberta-off", .head = Head::left_out},
    {.name = "smollm3-gguf", .rows = Rows::reordered},
    {.name = "starcoder2-gguf"},
    {.name = "starcoder2-off"},
    {.name = "t5-gguf"},
    {.name = "t5-off"},
    {.name = "t5encoder-off", .expected = "t5-off", .head = Head::left_out},
};

}  // namespace

TEST_CASE("Every family agrees with Transformers' eager attention") {
  for (const std::filesystem::path& folder : test::family_models()) {
    if (folder.filename() == "deberta-talking") continue;  // refused: see pass_test.cpp
    DYNAMIC_SECTION(folder.filename().string()) {
      const test::Expected expected(folder);
      const Case one{.model = folder, .expected = expected};
      compare_model<double>(one);
      compare_model<float>(one);
    }
  }
}

TEST_CASE("A GGUF by llama.cpp's converter agrees with Transformers as the model's own files do") {
  for (const GgufModel& gguf : gguf_models) {
    DYNAMIC_SECTION(gguf.name) {
      const std::string golden = test::tests_folder() + "/golden/";
      const test::Expected expected(golden + "transformer/" + gguf.expected);
      const Case one{.model = golden + "transformer_gguf/" + gguf.name + ".gguf",
                     .expected = expected,
                     .least_bound = gguf.least_bound,
                     .rows_reordered = gguf.rows == Rows::reordered,
                     .headless = gguf.head == Head::left_out,
                     .biases_by_distance = gguf.biases == Biases::by_distance};
      compare_model<double>(one);
      compare_model<float>(one);
    }
  }
}

TEST_CASE("Every golden GGUF is among those that are compared") {
  std::set<std::string> compared;
  for (const GgufModel& gguf : gguf_models) compared.insert(gguf.name);
  std::set<std::string> there;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::tests_folder() + "/golden/transformer_gguf"))
    there.insert(entry.path().stem().string());
  CHECK(there == compared);
}

}  // namespace orrery
