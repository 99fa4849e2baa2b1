#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/model/experiment.h"

// Moving the controls of an experiment, and what that changes.
namespace orrery::test {

/// Parameters with which a run takes a millisecond or two.
ParamSet small_params(const Experiment& experiment);
/// A text of forty words for experiments that read one.
Inputs some_inputs(const Experiment& experiment);

/// A figure and all that it draws, without title and caption, which name the settings.
struct Drawn {
  Figure figure{};
  std::string content{};
};
/// The figures by id; none for settings or files that are refused.
std::map<std::string, Drawn> figures_of(const Experiment& experiment, const ParamSet& params,
                                        const Inputs& inputs);

/// What each draws, and the numbers of every scalar, table and array; for settings or files that
/// are refused, the words of the refusal.
std::map<std::string, std::string> findings_of(const Experiment& experiment, const ParamSet& params,
                                               const Inputs& inputs);

/// Other values of one parameter that it accepts.
std::vector<ParamSet> changes_of(const ParamSet& params, const ParamSpec& spec);
/// The same and more: smaller and larger steps, both ways.
std::vector<ParamSet> moves_of(const ParamSet& params, const ParamSpec& spec);

}  // namespace orrery::test
