#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/model/experiment.h"

namespace orrery {

/// A parameter and its value as typed.
using Assignment = std::pair<std::string, std::string>;

/// Reads "key=value", "--key value", "--key=value", "--flag" and "--no-flag"; dashes in
/// the name of a flag are read as underscores. Throws UsageError: a word of another form, an
/// unknown key, a flag without its value, a key given twice.
std::vector<Assignment> parse_assignments(const ParamSet& defaults,
                                          const std::vector<std::string>& words);

/// Parses the words into the parameters. Throws UsageError, also for keys that nothing reads.
ParamSet params_from(ParamSet defaults, const std::vector<std::string>& words);

/// The words of a command line without those that name a model.
struct ExpandedWords {
  std::vector<std::string> words{};
  std::vector<std::string> zip{};    ///< keys whose values are those of several layers, in turn
  std::vector<std::string> notes{};  ///< sentences for whoever typed them; none without a model
};

/// Replaces "model=FILE" and "layer=N" by the settings of that layer as ordinary words "key=value",
/// so that a result says its settings and is made again without the file; of "layer=0,5" by those
/// of both, "key=value,value" where they differ. Without layer= it is the first layer with
/// positions. Settings that other words give stay theirs, and those that nothing would read are left
/// out. Throws as read_positions and layer_settings do, and UsageError for layer= without model=,
/// or either given twice. An experiment with a parameter "model" of its own keeps
/// these words, and one with "layer" keeps that word beside no model.
ExpandedWords expand_model_words(const std::vector<ParamSpec>& specs,
                                 std::vector<std::string> words);

}  // namespace orrery
