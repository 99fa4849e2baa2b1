#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "core/position.h"
#include "core/product.h"
#include "core/transformer/forward.h"
#include "experiments/checkpoints/checkpoint.h"
#include "tests/checkpoints/family_models.h"

namespace orrery {
namespace {

using checkpoints::Checkpoint;
using checkpoints::Stack;
using checkpoints::weight_source;

/// The bounds that the issue of every number here is held to, relative to the largest of an array.
template <class T>
constexpr double bound = 1e-11;
template <>
constexpr double bound<float> = 1e-5;

/// Compares what a pass shows with what Transformers computed, and remembers the worst.
template <class T>
class Comparison {
 public:
  Comparison(const test::Expected& expected, std::string prefix)
      : expected_(expected), prefix_(std::move(prefix)) {}

  Probe<T> probe() {
    return {.wants = [this](const Site& site) { return expected_.has(name_of(site)); },
            .see = [this](const Site& site, Index first,
                          const MatrixIn<T>& rows) { collect(site, first, rows); }};
  }

  void compare(const std::string& name, const Matrix<T>& computed, std::size_t head = 0) {
    const double error = test::relative_error<T>(computed, expected_.matrix(name, head));
    ++compared_;
    INFO(name << " head " << head << " error " << error);
    CHECK(error < bound<T>);
  }

  void compare_all() {
    for (const auto& [site, rows] : seen_) compare(site.first, rows, site.second);
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

  int compared() const { return compared_; }

 private:
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

  const test::Expected& expected_;
  std::string prefix_;
  std::map<std::pair<std::string, std::size_t>, Matrix<T>> seen_{};
  int compared_{0};
};

/// Transformer-XL's code gives log p.
template <class T>
void subtract_log_sums(Matrix<T>& logits) {
  for (Index i = 0; i < logits.rows(); ++i) {
    const T largest = logits.row(i).maxCoeff();
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
Matrix<T> run_stack(const Checkpoint& model, const Stack& stack, const test::Expected& expected,
                    const std::string& prefix, const std::string& tokens, const Matrix<T>* memory) {
  const std::vector<std::int32_t> ids = expected.integers(tokens),
                                  segments = expected.integers("segments"),
                                  given = expected.integers("positions");
  const Positions positions(given.begin(), given.end());
  const auto weights = weight_source<T>(model, stack);
  Comparison<T> comparison(expected, prefix);
  KeyValueCache<T> cache;
  if (expected.has("memory.0")) cache = cached_memory<T>(stack, *weights, expected);
  const Matrix<T> hidden =
      forward<T>(stack.design, *weights, {.ids = ids, .positions = positions, .segments = segments},
                 {.probe = comparison.probe(), .threads = 2, .cache = &cache, .memory = memory});
  const bool shifts =
      stack.design.attention.causal && stack.layers.front().encoding == "transformer_xl";
  if (shifts) comparison.forget_hidden_logits();
  comparison.compare_all();
  const std::string single = sizeof(T) == sizeof(float) ? "_32" : "";
  comparison.compare(prefix + "final" + single, hidden);
  if (stack.has_head()) {
    Matrix<T> logits = vocabulary_logits<T>(stack.design, *weights, hidden);
    if (model.family().name == "Transformer-XL") subtract_log_sums(logits);
    const double error = test::relative_error<T>(logits, expected.matrix("vocab_logits" + single));
    INFO("vocab_logits" << single << " head 0 error " << error);
    CHECK(error < bound<T>);
  }
  CHECK(comparison.compared() > 3);
  return hidden;
}

template <class T>
void compare_model(const std::filesystem::path& folder) {
  const test::Expected expected(folder);
  const auto tokens = static_cast<std::int64_t>(expected.integers("tokens").size());
  const Checkpoint model = Checkpoint::open(folder, {.length = tokens});
  if (!model.decoder()) {
    run_stack<T>(model, model.stack(), expected, "", "tokens", nullptr);
    const bool adaptive = !model.stack().places.parts.empty();
    CHECK(model.stack().has_head() == (expected.has("vocab_logits") && !adaptive));
    return;
  }
  const Matrix<T> memory =
      run_stack<T>(model, model.stack(), expected, "encoder.", "tokens", nullptr);
  run_stack<T>(model, *model.decoder(), expected, "decoder.", "decoder_tokens", &memory);
}

}  // namespace

TEST_CASE("Every family agrees with Transformers' eager attention") {
  for (const std::filesystem::path& folder : test::family_models()) {
    if (folder.filename() == "deberta-talking") continue;  // refused: see pass_test.cpp
    DYNAMIC_SECTION(folder.filename().string()) {
      compare_model<double>(folder);
      compare_model<float>(folder);
    }
  }
}

}  // namespace orrery
