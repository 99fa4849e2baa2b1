#include "experiments/heads/patch.h"

#include <algorithm>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/live_options.h"
#include "experiments/cli/live_params.h"
#include "experiments/files/memory_limit.h"

namespace orrery::cli {
namespace {

ModelText corrupted_text(const LiveOptions& options, const LiveQuestion& question) {
  const std::vector<ModelText> texts =
      other_texts(options.model, "corrupted", question.params, question.inputs);
  if (texts.size() == 1) return texts.front();
  throw UsageError("no corrupted text", "is given, whose activations are put in",
                   "add corrupted=FILE, or corrupted_tokens=FILE.npy");
}

}  // namespace

int patch_command(const LiveOptions& options) {
  const LiveQuestion question = live_question(options, patch_params());
  const std::vector<std::string>& by = question.params.list("by");
  const auto asks = [&](const char* name) {
    return std::find(by.begin(), by.end(), name) != by.end();
  };
  const PatchRequest request{.clean = question.texts.front(),
                             .corrupted = corrupted_text(options, question),
                             .answer = static_cast<std::int32_t>(question.params.integer("answer")),
                             .foil = static_cast<std::int32_t>(question.params.integer("foil")),
                             .positions = asks("position"),
                             .heads = asks("head")};
  LiveModel model(options.model, run_settings(options, question));
  files::require_memory(static_cast<double>(patch_bytes(model, request)), "orrery patch",
                        "give fewer tokens with length=");
  ConsoleProgress progress(is_quiet());
  const PatchResult result = patch_activations(model, request, progress);
  write_arrays(options, patch_arrays(result));
  const std::vector<std::string> labels = labels_of(options.model, patch_ids(result));
  print_answer(options.json,
               options.json ? patch_json(result, labels) : patch_text(result, labels));
  return exit_ok;
}

}  // namespace orrery::cli
