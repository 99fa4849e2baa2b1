#include <memory>

#include "experiments/cli/compute.h"
#include "experiments/sweeps/sweep_folder.h"

namespace orrery {
namespace {

struct ResumeOptions {
  std::string folder{};
  ComputeOptions compute{};
};

}  // namespace

Command resume_command() {
  const auto o = std::make_shared<ResumeOptions>();
  Command command{"resume", "Compute the pending and failed points of a sweep",
                  [o] { return compute(read_plan(o->folder), o->folder, o->compute); }};
  command.options =
      joined({{"DIR", &o->folder, "Folder of a sweep", required()}}, compute_options(o->compute));
  command.argv = &o->compute.argv;
  command.footer = R"(Examples:
  orrery sweep decay_over_bases --format none --out bases
  orrery resume bases)";
  return command;
}

}  // namespace orrery
