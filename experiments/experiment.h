#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/params.h"
#include "experiments/progress.h"
#include "experiments/result.h"

namespace orrery {

/// A text that was read, valid UTF-8 and not empty.
struct Text {
  std::string name{};  ///< for captions: the file's name without its folder
  std::string utf8{};
};

/// An array that was read: row-major, finite, at least one element.
struct Tensor {
  std::string name{};
  std::vector<std::size_t> shape{};
  std::vector<double> values{};
};

using Input = std::variant<Text, Tensor>;
/// What the file parameters of a ParamSet refer to, by parameter key. Keys left empty are absent.
using Inputs = std::map<std::string, Input, std::less<>>;

struct ExperimentInfo {
  std::string name{};      ///< "long_term_decay"
  int version{1};          ///< raised whenever the same parameters would give other numbers
  std::string title{};     ///< "Long-term decay"
  std::string question{};  ///< what it answers, one sentence ending in "?"
  std::vector<std::string> equations{};  ///< "mean |S_j| = … (eq. 37, Fig. 2)"
  std::vector<ParamSpec> params{};
};

/// A question with its computation. run() is pure: no clock, no I/O, no global state; the same
/// parameters and inputs give the same bytes on any thread.
class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual const ExperimentInfo& info() const = 0;
  /// Throws UsageError (parameters that contradict each other), DataError (inputs of a wrong shape)
  /// and Stopped.
  virtual Result run(const ParamSet& params, const Inputs& inputs, Progress& progress) const = 0;
};

}  // namespace orrery
