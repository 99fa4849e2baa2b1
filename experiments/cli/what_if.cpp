#include "experiments/heads/what_if.h"

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/live_options.h"
#include "experiments/cli/live_params.h"
#include "experiments/files/memory_limit.h"

namespace orrery::cli {
namespace {

WhatIfRequest request_of(const LiveOptions& options, const LiveQuestion& question) {
  return {.edits = options.edits,
          .texts = question.texts,
          .corpus = other_texts(options.model, "corpus", question.params, question.inputs),
          .next = static_cast<std::size_t>(question.params.integer("next")),
          .maps = options.maps,
          .heads = question.params.boolean("changes")};
}

}  // namespace

int what_if_command(const LiveOptions& options) {
  const LiveQuestion question = live_question(options, what_if_params());
  const WhatIfRequest request = request_of(options, question);
  LiveModel model(options.model, run_settings(options, question));
  files::require_memory(static_cast<double>(map_bytes(model, request)), "orrery what_if",
                        "give fewer tokens with length=, or changes=no");
  ConsoleProgress progress(is_quiet());
  const WhatIf result = what_if(model, request, progress);
  write_arrays(options, what_if_arrays(result));
  const std::vector<std::string> labels = labels_of(options.model, next_ids(result));
  print_answer(options.json,
               options.json ? what_if_json(result, labels) : what_if_text(result, labels));
  return exit_ok;
}

}  // namespace orrery::cli
