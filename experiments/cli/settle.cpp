#include "experiments/heads/settle.h"

#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/live_options.h"
#include "experiments/cli/live_params.h"

namespace orrery::cli {

int settle_command(const LiveOptions& options) {
  const LiveQuestion question = live_question(options, settle_params());
  LiveModel model(options.model, run_settings(options, question));
  ConsoleProgress progress(is_quiet());
  const Settlement settlement = settle(model,
                                       {.texts = question.texts,
                                        .edits = options.edits,
                                        .questions = question.params.list("questions"),
                                        .rounds = question.params.integer("rounds")},
                                       progress);
  print_answer(options.json, options.json ? settle_json(settlement) : settle_text(settlement));
  return is_contradicted(settlement) ? exit_failed : exit_ok;
}

}  // namespace orrery::cli
