#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/cli/command.h"
#include "experiments/data/load_inputs.h"

namespace orrery {

/// Whether the name says .npz or .safetensors.
bool is_archive(const std::string& file);

/// Throws UsageError where `out` is there and is an input or, of a model, its weights.
/// @param model  file or folder of one that is read; empty for none
void require_no_input(const std::string& out, const std::vector<InputFile>& inputs,
                      const std::filesystem::path& model = {});
/// Throws UsageError for a folder of a result that is replaced and holds an input.
void require_no_input_in(const std::filesystem::path& folder, const std::vector<InputFile>& inputs);

/// Throws UsageError for the name of a file that holds no arrays: its extension begins with a letter,
/// as in x.txt. "run.2" and "x.txt/" are names of folders.
void require_archive_or_folder(const std::string& out);

/// Throws IoError when --out is there already and is not to be replaced. Call it before computing.
void require_new_output(const std::string& out, bool force);

}  // namespace orrery
