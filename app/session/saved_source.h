#pragma once

#include "experiments/model/experiment.h"

namespace orrery {

/// A result that was saved, as if it were computed: its parameter is the folder that it is read
/// from. Of a sweep's folder it is the points drawn together, see sweep_overview. So a session over
/// it loads in the background, the newest choice wins, and a folder that is damaged leaves the last
/// result where it was.
struct SavedSource : Experiment {
  static constexpr const char* folder_key = "folder";
  // Of a sweep's points drawn together: see PlotRequest.
  static constexpr const char* hue_key = "hue";
  static constexpr const char* facet_key = "facet";

  SavedSource();
};

}  // namespace orrery
