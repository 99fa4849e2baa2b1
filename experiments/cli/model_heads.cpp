#include "experiments/heads/model_heads.h"

#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/live_options.h"
#include "experiments/cli/live_params.h"

namespace orrery::cli {

int model_heads_command(const LiveOptions& options) {
  const LiveQuestion question = live_question(options, model_heads_params());
  LiveModel model(options.model, run_settings(options, question));
  ConsoleProgress progress(is_quiet());
  const HeadTable table =
      measure_heads(model,
                    {.texts = question.texts,
                     .repeated = question.params.integer("repeated"),
                     .repeats = question.params.integer("repeats"),
                     .seed = question.params.integer("seed"),
                     .chosen = static_cast<std::size_t>(question.params.integer("chosen"))},
                    progress);
  write_arrays(options, heads_arrays(table));
  print_answer(options.json, options.json ? heads_json(table) : heads_text(table));
  return exit_ok;
}

}  // namespace orrery::cli
