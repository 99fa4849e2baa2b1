#include "experiments/cli/live_options.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/parallel.h"
#include "experiments/cli/array_options.h"
#include "experiments/data/load_inputs.h"
#include "experiments/files/atomic_write.h"
#include "experiments/sweeps/assignments.h"

namespace orrery::cli {

LiveQuestion live_question(const LiveOptions& options, const std::vector<ParamSpec>& specs) {
  require_archive(options.out);
  LiveQuestion question{.params = params_from(ParamSet(specs), options.words)};
  LoadedInputs loaded = load_inputs(question.params);
  require_no_input(options.out, loaded.files, options.model);
  question.inputs = std::move(loaded.inputs);
  if (question.params.has("parts"))
    question.texts = model_texts(options.model, question.params, question.inputs);
  else if (question.params.has("text"))
    question.texts = whole_texts(options.model, question.params, question.inputs);
  return question;
}

RunSettings run_settings(const LiveOptions& options, const LiveQuestion& question) {
  std::size_t longest = 0;
  for (const ModelText& text : question.texts) longest = std::max(longest, text.tokens.size());
  return run_settings(options, question, static_cast<std::int64_t>(longest));
}

RunSettings run_settings(const LiveOptions& options, const LiveQuestion& question,
                         std::int64_t longest) {
  return {.single = question.params.text("precision") == "fp32",
          .threads = threads_or_all(options.threads),
          .length = longest};
}

ParamSpec first_token_param() {
  return {.key = "first",
          .description =
              "Id of a token before each sequence; -1: what the tokenizer puts there, if anything.",
          .kind = ParamKind::integer,
          .default_value = std::int64_t{-1},
          .min = -1,
          .max = 2147483647.0};
}

std::int32_t first_token(const LiveOptions& options, const LiveQuestion& question) {
  const auto given = static_cast<std::int32_t>(question.params.integer("first"));
  return given >= 0 ? given : leading_token(options.model);
}

void write_arrays(const LiveOptions& options, std::vector<Array> arrays) {
  if (options.out.empty()) return;
  std::vector<std::shared_ptr<const Array>> all;
  for (Array& array : arrays) all.push_back(std::make_shared<const Array>(std::move(array)));
  atomic_write(options.out, archive_bytes(options.out, all),
               options.force ? Existing::replaced : Existing::refused);
}

}  // namespace orrery::cli
