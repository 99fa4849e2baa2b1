#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>

#include "experiments/model/progress.h"
#include "experiments/results/result_folder.h"
#include "experiments/sweeps/plan.h"

namespace orrery {

/// A result could not be written as it was asked for: not a failure of the point, so it ends the sweep.
class CannotWrite : public std::exception {
 public:
  /// @param cause  the exception that is being handled
  explicit CannotWrite(const std::exception& cause) : message_(cause.what()) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const std::exception_ptr& cause() const { return cause_; }

 private:
  std::string message_;
  std::exception_ptr cause_{std::current_exception()};
};

/// Draws the figures of a result before it is written, or leaves that to the writing.
using Draw = std::function<WriteOptions(const Result&, WriteOptions)>;

/// Computes one point and writes it, not yet to the disk. Throws CannotWrite, and what
/// Experiment::run and load_inputs do.
StagedResult stage_point(const Plan& plan, const PlanPoint& point,
                         const std::filesystem::path& folder, Progress& progress, const Draw& draw);

/// Computes one point and what it takes of the disk, where nothing of it is left. Throws the same.
std::uintmax_t bytes_of_point(const Plan& plan, const PlanPoint& point,
                              const std::filesystem::path& folder, Progress& progress);

}  // namespace orrery
