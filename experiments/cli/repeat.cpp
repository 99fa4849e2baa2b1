#include "experiments/heads/repeat.h"

#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/live_options.h"
#include "experiments/cli/live_params.h"

namespace orrery::cli {

int repeat_command(const LiveOptions& options) {
  const LiveQuestion question = live_question(options, repeat_params());
  const RepeatRequest request{.tokens = question.params.integer("repeated"),
                              .sequences = question.params.integer("repeats"),
                              .seed = question.params.integer("seed"),
                              .first = first_token(options, question),
                              .edits = options.edits};
  LiveModel model(options.model, run_settings(options, question, 2 * request.tokens + 1));
  ConsoleProgress progress(is_quiet());
  const Repeat repeat = repeat_tokens(model, request, progress);
  write_arrays(options, repeat_arrays(repeat));
  print_answer(options.json, options.json ? repeat_json(repeat) : repeat_text(repeat));
  return exit_ok;
}

}  // namespace orrery::cli
