#include "app/session/saved_source.h"

#include "app/session/folder_listing.h"
#include "experiments/combine/sweep_overview.h"
#include "experiments/sweeps/sweep_index.h"

namespace orrery {
namespace {

ParamSpec text_param(const char* key, const char* description) {
  return {.key = key,
          .description = description,
          .kind = ParamKind::file,
          .default_value = std::string(),
          .file_types = {"*"}};
}

}  // namespace

SavedSource::SavedSource()
    : Experiment{.info = {.name = "saved_results",
                          .title = "Saved results",
                          .question = "What did an earlier run or sweep find?",
                          .params = {text_param(folder_key, "Where the result lies."),
                                     text_param(hue_key, "What colours tell."),
                                     text_param(facet_key, "What panels tell.")}},
                 .run = [](const ParamSet& params, const Inputs&, Progress& progress) {
                   const std::string& folder = params.text(folder_key);
                   return path_kind(folder) == PathKind::sweep_folder
                              ? sweep_overview(
                                    folder,
                                    {.hue = params.text(hue_key), .facet = params.text(facet_key)},
                                    progress)
                              : saved_result(folder);
                 }} {}

}  // namespace orrery
