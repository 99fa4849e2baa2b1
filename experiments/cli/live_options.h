#pragma once

#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/cli/commands.h"
#include "experiments/heads/live_model.h"
#include "experiments/model/figure.h"
#include "experiments/model/inputs.h"

namespace orrery::cli {

/// What a command that asks a model was given.
struct LiveQuestion {
  ParamSet params;
  Inputs inputs{};
  std::vector<ModelText> texts{};
};

/// Reads the words of the command line, and the texts that they name.
/// @param specs  of the command, with text_params() and pass_precision_param()
LiveQuestion live_question(const LiveOptions& options, const std::vector<ParamSpec>& specs);

/// How the question's model is run. `longest` is that of its sequences.
RunSettings run_settings(const LiveOptions& options, const LiveQuestion& question);

/// Writes --out, if there is one, as a whole or not at all.
void write_arrays(const LiveOptions& options, std::vector<Array> arrays);

}  // namespace orrery::cli
