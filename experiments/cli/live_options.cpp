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
  question.inputs = load_inputs(question.params).inputs;
  question.texts = model_texts(options.model, question.params, question.inputs);
  return question;
}

RunSettings run_settings(const LiveOptions& options, const LiveQuestion& question) {
  std::size_t longest = 0;
  for (const ModelText& text : question.texts) longest = std::max(longest, text.tokens.size());
  return {.single = question.params.text("precision") == "fp32",
          .threads = threads_or_all(options.threads),
          .length = static_cast<std::int64_t>(longest)};
}

void write_arrays(const LiveOptions& options, std::vector<Array> arrays) {
  if (options.out.empty()) return;
  std::vector<std::shared_ptr<const Array>> all;
  for (Array& array : arrays) all.push_back(std::make_shared<const Array>(std::move(array)));
  atomic_write(options.out, archive_bytes(options.out, all),
               options.force ? Existing::replaced : Existing::refused);
}

}  // namespace orrery::cli
