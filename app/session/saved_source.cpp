#include "app/session/saved_source.h"

#include "experiments/sweeps/sweep_index.h"

namespace orrery::session {

SavedSource::SavedSource()
    : Experiment{.info = {.name = "saved_results",
                          .title = "Saved results",
                          .question = "What did an earlier run or sweep find?",
                          .params = {{.key = folder_key,
                                      .description = "Where the result lies.",
                                      .kind = ParamKind::file,
                                      .default_value = std::string(),
                                      .file_types = {"*"}}}},
                 .run = [](const ParamSet& params, const Inputs&, Progress&) {
                   return saved_result(params.text(folder_key));
                 }} {}

}  // namespace orrery::session
