#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/checkpoints/forward_pass.h"
#include "experiments/checkpoints/pass_inputs.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/data/archive_file.h"
#include "experiments/data/load_inputs.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/memory_limit.h"
#include "experiments/results/result_json.h"
#include "experiments/sweeps/assignments.h"
#include "experiments/text/number_text.h"

namespace orrery::cli {
namespace {

constexpr std::int64_t bytes_per_mib = std::int64_t{1} << 20;

PassRequest request_of(const ForwardOptions& options, const ParamSet& params) {
  PassRequest request{.single = params.text("precision") == "fp32",
                      .threads = threads_or_all(options.threads)};
  if (!options.out.empty()) request.arrays = params.list("arrays");
  if (!options.layers.empty()) request.layers = parse_positions(options.layers);
  if (!options.heads.empty()) request.heads = parse_positions(options.heads);
  return request;
}

/// Refuses what does not fit before anything is computed.
void require_pass_fits(const ForwardOptions& options, const PassModel& model,
                       const PassInputs& inputs, const PassRequest& request) {
  const std::uint64_t needed = model.bytes_of(inputs, request);
  const auto allowed = static_cast<std::uint64_t>(options.memory_mib * bytes_per_mib);
  if (options.memory_mib == 0)
    return files::require_memory(static_cast<double>(needed), "orrery forward",
                                 "give fewer tokens with length=");
  if (needed > allowed)
    throw UsageError(fmt::format("--memory {}", options.memory_mib),
                     fmt::format("is less than the {} that {} tokens need", bytes_text(needed),
                                 inputs.tokens.size()),
                     "give more, or fewer tokens with length=");
}

double mean_of(const std::vector<double>& losses) {
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

std::string result_text(const PassModel& model, const PassInputs& inputs,
                        const PassResult& result) {
  std::string text = fmt::format("{}, {} layers, {} tokens\n", model.family(), model.layers(),
                                 inputs.tokens.size());
  for (const std::string& sentence : model.assumed()) text += "assumed: " + sentence + "\n";
  if (result.losses.empty()) return text + "no loss: the model does not predict the next token\n";
  const double mean = mean_of(result.losses);
  return text +
         fmt::format("mean loss {:.4f} nats per token, perplexity {:.2f}\n", mean, std::exp(mean));
}

std::string written_text(const std::string& out, const PassResult& result) {
  std::string text;
  for (const Array& array : result.arrays)
    text += fmt::format("{}#{}  [{}]\n", out, array.name, fmt::join(array.shape, ", "));
  return text;
}

PassResult computed(const ForwardOptions& options, const PassModel& model, const PassInputs& inputs,
                    const PassRequest& request) {
  if (options.out.empty()) return model.run(inputs, request, nullptr);
  ArchiveFile archive(options.out, options.force ? Existing::replaced : Existing::refused);
  PassResult result = model.run(inputs, request, &archive);
  archive.commit();
  return result;
}

}  // namespace

int forward_command(const ForwardOptions& options) {
  const ParamSet params = params_from(ParamSet(forward_params()), options.words);
  require_archive(options.out);
  LoadedInputs loaded = load_inputs(params);
  require_no_input(options.out, loaded.files, options.model);
  const PassInputs inputs = pass_inputs(options.model, params, std::move(loaded.inputs));
  const PassModel model(options.model, static_cast<std::int64_t>(inputs.tokens.size()));
  const PassRequest request = request_of(options, params);
  require_pass_fits(options, model, inputs, request);
  const PassResult result = computed(options, model, inputs, request);
  if (options.json) {
    print(json_text(pass_json(model, inputs, result)));
    return exit_ok;
  }
  print_answer(false, result_text(model, inputs, result) + written_text(options.out, result));
  return exit_ok;
}

}  // namespace orrery::cli
