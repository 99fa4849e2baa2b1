#include "experiments/heads/lens.h"

#include "experiments/cli/array_options.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/live_options.h"
#include "experiments/cli/live_params.h"
#include "experiments/files/memory_limit.h"

namespace orrery::cli {

int lens_command(const LiveOptions& options) {
  const LiveQuestion question = live_question(options, lens_params());
  LiveModel model(options.model, run_settings(options, question));
  const ModelText& text = question.texts.front();
  const LensRequest request{.text = text,
                            .next = static_cast<std::size_t>(question.params.integer("next")),
                            .edits = options.edits};
  files::require_memory(static_cast<double>(lens_bytes(model, request)), "orrery lens",
                        "give fewer tokens with length=");
  ConsoleProgress progress(is_quiet());
  const Lens lens = logit_lens(model, request, progress);
  write_arrays(options, lens_arrays(lens));
  const std::vector<std::string> labels = labels_of(options.model, lens_ids(lens));
  const std::vector<std::int64_t> shown =
      options.positions.empty()
          ? std::vector<std::int64_t>{static_cast<std::int64_t>(text.tokens.size()) - 1}
          : parse_positions(options.positions);
  print_answer(options.json,
               options.json ? lens_json(lens, labels) : lens_text(lens, labels, shown));
  return exit_ok;
}

}  // namespace orrery::cli
