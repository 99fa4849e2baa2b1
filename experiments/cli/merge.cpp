#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/sweeps/merge.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

struct MergeOptions {
  std::string out{};
  Words shards{}, argv{};
};

int merge(const MergeOptions& options) {
  std::vector<fs::path> shards(options.shards.begin(), options.shards.end());
  if (shards.empty()) shards = shard_folders(options.out);
  const MergeOutcome outcome = merge_shards(options.out, shards, options.argv);
  tell(fmt::format("merged {} points of {} into {}/, which has {} now\n", outcome.merged,
                   outcome.total, options.out, outcome.done));
  for (const std::string& damage : outcome.damages) say(damage + "\n");
  for (const fs::path& shard : outcome.incomplete)
    say(fmt::format("{} is not complete: orrery resume {}, then merge again\n", shard.string(),
                    shard.string()));
  for (const auto& [shard, holder] : outcome.held)
    say(fmt::format("{} is being written by {}: merge again when that has finished\n",
                    shard.string(), holder));
  if (outcome.lacks_shards) say("some shards are missing; merge again when they are there\n");
  for (const std::string& failure : outcome.failures) say(fmt::format("failed {}\n", failure));
  if (!outcome.held.empty()) return exit_locked;
  return outcome.done == outcome.total ? exit_ok : exit_failed;
}

}  // namespace

Command merge_command() {
  const auto o = std::make_shared<MergeOptions>();
  Command command{"merge", "Merge the shards of a sweep", [o] { return merge(*o); }};
  command.options = {{"OUT", &o->out, "Folder of the whole sweep", required()},
                     {"SHARD", &o->shards, "Folders of shards; default: all in OUT.shards"}};
  command.argv = &o->argv;
  command.footer = R"(Examples:
  orrery sweep long_term_decay dim=64,128 --shard 1/2 --out decay --format none
  orrery sweep long_term_decay dim=64,128 --shard 2/2 --out decay --format none
  orrery merge decay)";
  return command;
}

}  // namespace orrery
