#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/findings/identify_matrices.h"
#include "experiments/findings/identify_tensors.h"
#include "experiments/findings/identify_text.h"
#include "experiments/findings/tensor_pairs.h"
#include "experiments/model_files/read_positions.h"

namespace orrery {
namespace {

struct IdentifyCommandOptions {
  std::string before{}, after{};  ///< a tensor, or a folder or an archive of several
  std::string positions{}, bias{}, logits{}, expect{}, format{};
  bool tokens_first{false}, inv_freq{false}, cos_sin{false}, json{false};
  int layer{-1};  ///< -1: the number in the tensor's name
  int most{6};
};

bool is_list(const std::string& text) {
  return text.find_first_not_of("0123456789.,-") == std::string::npos;
}

/// "0..9", or a file of [N] or [N, axes] whole numbers.
void read_positions_of(const std::string& text, IdentifyOptions& options) {
  if (text.empty()) return;
  if (is_list(text)) {
    options.positions = parse_positions(text);
    return;
  }
  const Tensor tensor = read_named_tensor(text);
  if (tensor.shape.size() > 2)
    throw UsageError(fmt::format("{} with {} dimensions", text, tensor.shape.size()),
                     "positions are [N], or [N, axes]", "save one row per token");
  options.axes = tensor.shape.size() == 2 ? tensor.shape[1] : 1;
  for (const double value : tensor.values) {
    if (value != std::round(value))
      throw DataError(fmt::format("position {} of {}", value, text), "must be a whole number",
                      "save positions as integers");
    options.positions.push_back(static_cast<std::int64_t>(value));
  }
}

/// The layer of the configuration that a tensor belongs to.
std::optional<LayerPlan> layer_for(const PositionPlan* plan, const IdentifyCommandOptions& options,
                                   std::optional<int> named) {
  if (!plan) return std::nullopt;
  return layer_of(*plan, options.layer >= 0 ? options.layer : named.value_or(0));
}

std::vector<TensorReport> report_pairs(const IdentifyCommandOptions& options,
                                       const PositionPlan* plan, IdentifyOptions reading) {
  std::vector<TensorReport> reports;
  for (const TensorPair& pair : tensor_pairs(options.before)) {
    reading.expected = layer_for(plan, options, pair.layer);
    reports.push_back(identify_tensors(pair.name, read_named_tensor(pair.before),
                                       read_named_tensor(pair.after), reading));
  }
  return reports;
}

/// A bias alone: there are no tensors and there is no configuration.
TensorReport report_bias(const IdentifyCommandOptions& options, const IdentifyOptions& reading) {
  if (!options.before.empty() || !options.expect.empty())
    throw UsageError(
        options.before.empty() ? "--expect with --bias" : options.before + " beside --bias",
        "a bias is identified from its matrix alone", "leave the other out");
  return identify_bias_matrix(
      options.bias, read_named_tensor(options.bias, Values::finite_or_minus_infinity), reading);
}

/// Logits belong to q and k before they are turned: BEFORE and AFTER stand for these two.
TensorReport report_logits(const IdentifyCommandOptions& options, const PositionPlan* plan,
                           IdentifyOptions reading) {
  if (options.before.empty() || options.after.empty())
    throw UsageError("--logits without q and k",
                     "logits are identified from q and k as they were before",
                     "orrery identify q.npy k.npy --logits logits.npy");
  reading.expected = layer_for(plan, options, std::nullopt);
  return identify_logits_matrix(
      options.logits, read_named_tensor(options.before), read_named_tensor(options.after),
      read_named_tensor(options.logits, Values::finite_or_minus_infinity), reading);
}

void require_after(const IdentifyCommandOptions& options) {
  if (!options.after.empty()) return;
  throw UsageError(options.before + " alone",
                   "a rotation is found from a tensor before and after it",
                   "give the other file, a folder with both, or --inv-freq for frequencies");
}

std::vector<TensorReport> report_files(const IdentifyCommandOptions& options,
                                       const PositionPlan* plan, IdentifyOptions reading) {
  reading.expected = layer_for(plan, options, std::nullopt);
  const Tensor before = read_named_tensor(options.before);
  if (options.inv_freq) {
    if (options.after.empty()) return {identify_frequencies(options.before, before, reading)};
    throw UsageError(options.after, "--inv-freq takes one file", "give the frequencies alone");
  }
  require_after(options);
  const Tensor after = read_named_tensor(options.after);
  if (options.cos_sin) return {identify_tables(options.before, before, after, reading)};
  return {identify_tensors(options.before, before, after, reading)};
}

int identify(const IdentifyCommandOptions& options) {
  IdentifyOptions reading{.tokens_first = options.tokens_first,
                          .format = options.format,
                          .most = static_cast<std::size_t>(options.most),
                          .threads = threads_or_all(0)};
  read_positions_of(options.positions, reading);
  std::optional<PositionPlan> plan;
  if (!options.expect.empty()) plan = read_positions(options.expect);
  const PositionPlan* expected = plan ? &*plan : nullptr;
  if (options.before.empty() && options.bias.empty() && options.logits.empty())
    throw UsageError("no tensor", "there must be something to identify",
                     "give q before and after its rotation, or --bias FILE");
  const bool several = options.bias.empty() && options.after.empty() && holds_pairs(options.before);
  std::vector<TensorReport> reports;
  if (!options.bias.empty())
    reports.push_back(report_bias(options, reading));
  else if (!options.logits.empty())
    reports.push_back(report_logits(options, expected, reading));
  else
    reports = several ? report_pairs(options, expected, reading)
                      : report_files(options, expected, reading);
  print((options.json ? identify_json : identify_text)(reports));
  for (const TensorReport& report : reports)
    if (report.has_expected ? !report.as_expected : !report.explained) return exit_failed;
  return exit_ok;
}

}  // namespace

Command identify_command() {
  const auto o = std::make_shared<IdentifyCommandOptions>();
  Command command{"identify", "Find which convention, or which bug, made q and k, logits or a bias",
                  [o] { return identify(*o); }};
  command.options = {
      {"BEFORE", &o->before, "q or k before the rotation, or a folder or an archive with both"},
      {"AFTER", &o->after, "The same tensor after it"},
      {"--positions", &o->positions,
       "Positions of the rows: 0..9, 3,1,4, or a file of [N] or [N, axes]; default "
       "0 to N - 1"},
      {"--tokens-first", &o->tokens_first, "Tensors are [N, H, d] rather than [H, N, d]"},
      {"--inv-freq", &o->inv_freq, "BEFORE holds frequencies alone, [d/2]"},
      {"--cos-sin", &o->cos_sin, "The files hold tables of cosines and sines"},
      {"--bias", &o->bias, "A bias or a mask that is added to logits, [N_q, N_k] or [H, N_q, N_k]"},
      {"--logits", &o->logits,
       "Logits, [N_q, N_k] or [H, N_q, N_k], of q and k before they are turned: "
       "BEFORE is q, AFTER is k"},
      {"--expect", &o->expect,
       "A config.json, a params.json or a .gguf file: say what deviates from it, "
       "with status 1"},
      {"--layer", &o->layer,
       "Layer of --expect, counted from 0; default the number in the tensor's name",
       between(0, 1 << 20)},
      {"--format", &o->format,
       "Precision in which the tensors were computed, the unit of residuals; default "
       "the narrowest that holds their numbers",
       one_of({"fp64", "fp32", "bf16", "fp16"})},
      {"--most", &o->most, "Hypotheses to print per tensor", between(1, 40)},
      {"--json", &o->json, "As JSON"}};
  command.footer =
      R"(Prints the ropes that explain the tensor, best first, with the residual of each in units of
rounding. Those that this tensor cannot tell apart are said to be so, with the input that
would tell. In a folder, tensors pair up by the words before and after (or pre and post) in
their names. Status 1: something deviates from --expect, or nothing explains a tensor.
In PyTorch: numpy.save("q_before.npy", q.float().numpy()), and the same after.
Examples:
  orrery run apply encoding=rope base=500000 positions=0..63 x=q.npy --out turned.npz
  orrery identify q.npy turned.npz#encoded
  orrery identify q_before.npy q_after.npy --positions 100..163
  orrery identify --bias bias.npy
  orrery identify q.npy k.npy --logits logits.npy
  orrery identify dump --expect Llama-3.1-8B/config.json --json)";
  return command;
}

}  // namespace orrery
