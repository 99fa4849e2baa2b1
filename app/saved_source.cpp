#include "app/saved_source.h"

#include "experiments/batch/browse.h"

namespace orrery {

const ExperimentInfo& SavedSource::info() const {
  static const ExperimentInfo info{.name = "saved_results",
                                   .title = "Saved results",
                                   .question = "What did an earlier run or sweep find?",
                                   .params = {{.key = kFolder,
                                               .description = "Where the result lies.",
                                               .kind = ParamKind::file,
                                               .default_value = std::string(),
                                               .file_types = {"*"}}}};
  return info;
}

Result SavedSource::run(const ParamSet& params, const Inputs&, Progress&) const {
  return saved_result(params.text(kFolder));
}

}  // namespace orrery
