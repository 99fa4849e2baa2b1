#include "experiments/studies/identify/identify_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/errors.h"
#include "experiments/data/tensor_pairs.h"
#include "experiments/identify/identify_matrices.h"
#include "experiments/model_files/read_positions.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/token_inputs.h"

namespace orrery {
namespace {
namespace in_identify_question {

/// A parameter of a file that excludes those that are read with it alone.
ParamSpec unless_given(const char* other, ParamSpec spec) {
  return read_while(other, {""}, stated_if_set(std::move(spec)));
}

ParamSpec with_given(const char* other, ParamSpec spec) {
  return read_while(other, {"*"}, stated_if_set(std::move(spec)));
}

ParamSpec matrix_param(const char* key, const std::string& what) {
  ParamSpec spec = array_file_param(key, what + ", $[N_q, N_k]$ or [heads, $N_q$, $N_k$].");
  spec.may_hide = true;
  return stated_if_set(std::move(spec));
}

std::vector<ParamSpec> file_params() {
  const auto array = array_file_param;
  ParamSpec pairs = array("pairs",
                          "A folder, or a file of several tensors before and after: "
                          "layer0.q.before, layer0.q.after.");
  pairs.file_types = {"npz", "safetensors"};
  return {
      unless_given("pairs", array("before",
                                  "$q$ or $k$ before the rotation, $[N, d]$, [heads, $N$, $d$] or "
                                  "[batch, heads, $N$, $d$].")),
      unless_given("pairs",
                   array("after", "The same tensor after it; without files a rope is planted.")),
      unless_given("inv_freq", std::move(pairs)),
      unless_given("cos", array("inv_freq", "Frequencies alone, $[d/2]$.")),
      unless_given("logits", array("cos", "A table of cosines, $[N, d]$ or $[N, d/2]$.")),
      with_given("cos", array("sin", "The table of sines beside it.")),
      unless_given("bias", matrix_param("logits", "Logits of $q$ and $k$")),
      with_given("logits", array("q", "The queries of logits, before they are turned.")),
      with_given("logits", array("k", "The keys of logits, before they are turned.")),
      matrix_param("bias", "A bias or a mask that is added to logits")};
}

/// Of the planted tensor and of one with two dimensions it changes nothing.
bool without_heads(const ParamSet& params) {
  return params.text("before").empty() && params.text("pairs").empty();
}

ParamSpec tokens_first_param() {
  ParamSpec spec = flag_param(
      "tokens_first", "Tensors are [$N$, heads, $d$] rather than [heads, $N$, $d$].", false);
  spec.idle = without_heads;
  return unless_given("inv_freq", std::move(spec));
}

/// Frequencies have no positions.
ParamSpec of_rows(ParamSpec spec) {
  spec.idle = [](const ParamSet& params) { return !params.text("inv_freq").empty(); };
  return spec;
}

std::vector<ParamSpec> reading_params() {
  return {
      of_rows(stated_if_set(
          positions_param("positions",
                          "Positions of the rows: 0..9, 3+1+4, or a file of $[N]$ or [$N$, axes]; "
                          "by default from first_position on."))),
      of_rows(read_while("positions", {""},
                         count_param({"first_position", "", "tokens"}, "Position of the first row.",
                                     0, 0, 0x1p40))),
      tokens_first_param(),
      stated_if_set(choice_param("format",
                                 "Precision in which the tensors were computed: the unit of "
                                 "residuals.",
                                 "auto",
                                 {{"auto", "the narrowest that holds their numbers"},
                                  {"fp64", "double precision"},
                                  {"fp32", "single precision"},
                                  {"bf16", "bfloat16: 8 significant bits"},
                                  {"fp16", "half precision: 11 significant bits"}})),
      stated_if_set(count_param("most", "Hypotheses that are listed.", 6, 1, 1000)),
      unless_given("bias", model_file_param("expect",
                                            "What should have happened: a model's "
                                            "config.json, params.json or .gguf, or its "
                                            "folder.")),
      with_given("expect", count_param("layer",
                                       "Its layer, counted from 0; −1: the number in the tensor's "
                                       "name, or 0.",
                                       -1, -1, 1 << 20)),
      with_given("expect", count_param("length",
                                       "Length of the sequence, by which LongRoPE and dynamic NTK "
                                       "choose frequencies; 0: that which rows and tensor show.",
                                       0, 0, 0x1p40))};
}

const Tensor& needed(const Inputs& inputs, const char* key, const char* beside) {
  if (const Tensor* tensor = tensor_of(inputs, key)) return *tensor;
  throw UsageError(fmt::format("{} without {}", beside, key), "both are read together",
                   "give before= and after=; pairs=DIR for a dump of several; inv_freq=; cos= and "
                   "sin=; bias=; or q=, k= and logits=");
}

/// The largest 1/s of which all numbers are multiples, to roundings of fp32: coordinates of patches
/// are fractions. 1 where they are whole, or no s up to 4096 has them.
double unit_of(const std::vector<double>& numbers) {
  constexpr double rounding = 1e-6;
  constexpr int most = 4096;
  const auto whole = [&](int parts) {
    return std::ranges::all_of(numbers, [&](double number) {
      const double steps = number * parts;
      return std::abs(steps - std::round(steps)) <= rounding * parts;
    });
  };
  for (int parts = 1; parts <= most; ++parts)
    if (whole(parts)) return parts == 1 ? 1.0 : 1.0 / parts;
  return 1;
}

/// "0..9", or numbers of [N] or [N, axes]; without them from the first position on.
void put_positions(const ParamSet& params, const Inputs& inputs, const Tensor& tensor,
                   IdentifyOptions& options) {
  if (const Tensor* given = tensor_of(inputs, "positions")) {
    if (given->shape.size() > 2)
      throw UsageError(shape_text(*given), "positions are [N], or [N, axes]",
                       "save one row per token");
    options.axes = given->shape.size() == 2 ? given->shape[1] : 1;
    options.unit = unit_of(given->values);
    for (const double number : given->values) {
      const double steps = number / options.unit;
      options.positions.push_back(options.unit == 1
                                      ? whole_position(number, "positions")
                                      : whole_position(std::round(steps), "positions"));
    }
    return;
  }
  const std::int64_t first = params.integer("first_position");
  const std::size_t axes = tensor.shape.size(),
                    rows_from_end = options.tokens_first && axes > 2 ? 3 : 2;
  if (first == 0 || axes < 2) return;
  options.positions =
      consecutive_positions(static_cast<std::ptrdiff_t>(tensor.shape[axes - rows_from_end]), first);
}

/// The layer of `expect` that a tensor belongs to.
void put_expected(const ParamSet& params, const Inputs& inputs, std::optional<int> named,
                  IdentifyOptions& options) {
  const auto expect = inputs.find("expect");
  if (expect == inputs.end()) return;
  const auto asked = static_cast<int>(params.integer("layer"));
  options.expected =
      layer_of(*std::get<ModelFile>(expect->second).plan, asked >= 0 ? asked : named.value_or(0));
}

std::vector<TensorReport> report_pairs(const ParamSet& params, const Inputs& inputs,
                                       const IdentifyOptions& options) {
  std::vector<TensorReport> reports;
  for (const TensorPair& pair : *std::get<TensorPairs>(inputs.at("pairs"))) {
    const Tensor before = read_named_tensor(pair.before);
    IdentifyOptions reading = options;
    put_positions(params, inputs, before, reading);
    put_expected(params, inputs, pair.layer, reading);
    reports.push_back(identify_tensors(pair.name, before, read_named_tensor(pair.after), reading));
  }
  return reports;
}

}  // namespace in_identify_question
}  // namespace

std::vector<ParamSpec> identify_question_params() {
  using namespace in_identify_question;
  return joined({file_params(), reading_params()});
}

IdentifyOptions identify_options(const ParamSet& params) {
  const std::string& format = params.text("format");
  return {.tokens_first = params.boolean("tokens_first"),
          .format = format == "auto" ? "" : format,
          .length = params.integer("length"),
          .most = static_cast<std::size_t>(params.integer("most"))};
}

bool has_question(const Inputs& inputs) {
  constexpr std::array keys{"before", "after", "pairs", "inv_freq", "cos",
                            "sin",    "bias",  "q",     "k",        "logits"};
  return std::ranges::any_of(keys, [&](const char* key) { return inputs.contains(key); });
}

std::vector<TensorReport> identify_question(const ParamSet& params, const Inputs& inputs,
                                            IdentifyOptions options) {
  using namespace in_identify_question;
  if (inputs.contains("pairs")) return report_pairs(params, inputs, options);
  const auto asks = [&](const Tensor& tensor) {
    put_positions(params, inputs, tensor, options);
    put_expected(params, inputs, std::nullopt, options);
  };
  if (const Tensor* bias = tensor_of(inputs, "bias")) {
    asks(*bias);
    return {identify_bias_matrix(bias->name, *bias, options)};
  }
  if (const Tensor* logits = tensor_of(inputs, "logits")) {
    asks(*logits);
    const Tensor& q = needed(inputs, "q", "logits");
    return {
        identify_logits_matrix(logits->name, q, needed(inputs, "k", "logits"), *logits, options)};
  }
  if (const Tensor* cos = tensor_of(inputs, "cos")) {
    asks(*cos);
    return {identify_tables(cos->name, *cos, needed(inputs, "sin", "cos"), options)};
  }
  if (const Tensor* frequencies = tensor_of(inputs, "inv_freq")) {
    put_expected(params, inputs, std::nullopt, options);
    return {identify_frequencies(frequencies->name, *frequencies, options)};
  }
  const Tensor& before = needed(inputs, "before", "after");
  asks(before);
  return {identify_tensors(before.name, before, needed(inputs, "after", "before"), options)};
}

}  // namespace orrery
