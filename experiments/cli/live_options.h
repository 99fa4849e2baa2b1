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
/// @param specs  of the command, with pass_precision_param() and, where it reads texts,
///               text_params() or source_params()
LiveQuestion live_question(const LiveOptions& options, const std::vector<ParamSpec>& specs);

/// How the question's model is run, over its texts or over sequences of `longest` tokens.
RunSettings run_settings(const LiveOptions& options, const LiveQuestion& question);
RunSettings run_settings(const LiveOptions& options, const LiveQuestion& question,
                         std::int64_t longest);

/// The token that stands before sequences of random tokens, and it: −1 for none.
ParamSpec first_token_param();
std::int32_t first_token(const LiveOptions& options, const LiveQuestion& question);

/// Writes --out, if there is one, as a whole or not at all.
void write_arrays(const LiveOptions& options, std::vector<Array> arrays);

}  // namespace orrery::cli
