#pragma once

#include <filesystem>

#include "experiments/model_files/position_plan.h"

namespace orrery {

/// The plan of a model's file: a config.json, a params.json or a GGUF; in a folder the first of
/// config.json, params.json and the only *.gguf.
/// Throws IoError: nothing there, or it cannot be read. Throws DataError: of another form, damaged,
/// or a folder with several GGUFs. Takes bounded time and memory, whatever the bytes are: a GGUF is
/// mapped, and of it only metadata and the factors of frequencies are read.
PositionPlan read_positions(const std::filesystem::path& path, const ReadOptions& options = {});

/// The layer of that number, counted from 0. Throws UsageError when there is none such.
const LayerPlan& layer_of(const PositionPlan& plan, int layer);

}  // namespace orrery
