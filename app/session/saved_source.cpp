#include "app/session/saved_source.h"

#include "app/session/folder_listing.h"
#include "experiments/combine/sweep_overview.h"
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
                   const std::string& folder = params.text(folder_key);
                   return path_kind(folder) == PathKind::sweep_folder
                              ? combine::sweep_overview(folder)
                              : saved_result(folder);
                 }} {}

}  // namespace orrery::session
