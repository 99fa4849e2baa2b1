#include "experiments/heads/needle.h"

#include <algorithm>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/live_options.h"
#include "experiments/cli/live_params.h"

namespace orrery::cli {
namespace {

/// The needle that --fact, --question and --answer tell; none without them.
std::vector<Needle> needle_of(const LiveOptions& options) {
  const bool any = !options.fact.empty() || !options.question.empty() || !options.answer.empty();
  if (!any) return {};
  if (options.fact.empty() || options.question.empty() || options.answer.empty())
    throw UsageError("--fact, --question and --answer", "a needle has all three",
                     "give those that are missing, or none for random tokens");
  return {{.fact = ids_of_words(options.model, options.fact),
           .question = ids_of_words(options.model, options.question),
           .answer = ids_of_words(options.model, options.answer)}};
}

}  // namespace

int needle_command(const LiveOptions& options) {
  const LiveQuestion question = live_question(options, needle_params());
  const NeedleRequest request{.texts = question.texts,
                              .lengths = lengths_of_contexts(question.params),
                              .depths = static_cast<std::size_t>(question.params.integer("depths")),
                              .draws = question.params.integer("draws"),
                              .key = question.params.integer("key"),
                              .value = question.params.integer("value"),
                              .seed = question.params.integer("seed"),
                              .needle = needle_of(options),
                              .first = first_token(options, question),
                              .edits = options.edits};
  const std::int64_t longest = *std::max_element(request.lengths.begin(), request.lengths.end());
  const auto answer = request.needle.empty()
                          ? request.value
                          : static_cast<std::int64_t>(request.needle.front().answer.size());
  LiveModel model(options.model, run_settings(options, question, longest + answer));
  ConsoleProgress progress(is_quiet());
  const NeedleTable table = find_needles(model, request, progress);
  write_arrays(options, needle_arrays(table));
  print_answer(options.json, options.json ? needle_json(table) : needle_text(table));
  return exit_ok;
}

}  // namespace orrery::cli
