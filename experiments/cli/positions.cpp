#include <memory>

#include "core/errors.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/model_files/compare_positions.h"
#include "experiments/model_files/positions_json.h"
#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_positions.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/plan_sweep.h"

namespace orrery {
namespace {

struct PositionsOptions {
  std::string file{}, other{}, sweep{};
  std::int64_t length{0};  ///< 0: that of training
  bool json{false};
};

int print_positions(const PositionsOptions& options) {
  const ReadOptions reading{.length = options.length};
  if (!options.sweep.empty() && (options.json || !options.other.empty()))
    throw UsageError("--sweep " + options.sweep, "is about one file, and prints TOML",
                     "leave out --json and the other file");
  const PositionPlan plan = read_positions(options.file, reading);
  if (!options.sweep.empty()) {
    print(plan_sweep(plan, find_experiment(options.sweep)));
    return exit_ok;
  }
  if (options.other.empty()) {
    print_answer(options.json, options.json ? positions_json(plan) : positions_text(plan));
    return exit_ok;
  }
  const PositionPlan other = read_positions(options.other, reading);
  const PositionComparison comparison = compare_positions(plan, other);
  print_answer(options.json,
               (options.json ? comparison_json : comparison_text)(plan, other, comparison));
  return comparison.differences.empty() ? exit_ok : exit_failed;
}

}  // namespace

Command positions_command() {
  const auto o = std::make_shared<PositionsOptions>();
  Command command{"positions",
                  "Print what a model's files say about positions, layer by layer and why",
                  [o] { return print_positions(*o); }};
  command.options = {
      {"FILE", &o->file, "A config.json, a params.json, a .gguf file, or a folder with one",
       required()},
      {"OTHER", &o->other, "Another one: print what differs, with status 1"},
      {"--length", &o->length,
       "Length of the sequence, by which LongRoPE and dynamic NTK choose "
       "frequencies; default that of training",
       between(2, std::int64_t{1} << 40)},
      {"--json", &o->json, "As JSON, with every frequency"},
      {"--sweep", &o->sweep,
       "Print a sweep file of that experiment instead, a point per kind of "
       "layer"}};
  command.footer =
      R"(Each value is followed by its reason: a key of the file, or a default of the model's class.
Examples:
  orrery positions Llama-3.1-8B/config.json
  orrery positions Llama-3.1-8B llama-3.1-8b-q4_k_m.gguf
  orrery positions Llama-3.1-8B/config.json --sweep long_term_decay > layers.toml
  orrery run model_layers model=Llama-3.1-8B/config.json
  orrery run long_term_decay model=Llama-3.1-8B/config.json layer=12)";
  return command;
}

}  // namespace orrery
