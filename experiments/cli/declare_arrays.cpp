#include <memory>

#include "experiments/apply.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

void add_array_options(CLI::App* command, ArrayOptions& options) {
  command->allow_extras();
  command
      ->add_option("--table", options.tables,
                   "A trained table, NAME=FILE; or FILE for those of its tensors that are read")
      ->allow_extra_args(false);
  command->add_option("--positions", options.positions, "Positions of keys or rows: 0..9 or 3,1,4");
}

Command declare_attend(CLI::App& app, const Words& argv) {
  auto options_of = std::make_shared<ArrayOptions>();
  ArrayOptions& options = *options_of;
  options.argv = argv;
  CLI::App* command =
      app.add_subcommand("attend", "Attention of your own q, k, v: terms, logits, weights, output");
  add_array_options(command, options);
  command->add_option("--query-positions", options.query_positions,
                      "Positions of queries; by default they are the last of the keys");
  command->add_option("--out", options.out, "A new .npz or .safetensors file, or a folder")
      ->required();
  command->footer([] {
    return "q, k, v are [N, d] or [heads, N, d] in .npy, .npz or .safetensors (FILE#NAME); k, v "
           "may\n"
           "have fewer heads, which queries then share. In place of them x [N, d_model], "
           "projected\n"
           "by --table W_q, W_k, W_v. Tables that are not given are drawn by seed at their "
           "authors'\n"
           "scale; W_o adds layer_output.\n\n"
           "Keys, as key=value, with their defaults; orrery describe ENCODING lists an encoding's "
           "own:\n" +
           keys_text(attend_params()) +
           "\nExamples:\n"
           "  orrery attend q=q.npy k=k.npy v=v.npy encoding=rope causal=true --out head.npz\n"
           "  orrery attend q=q.npy k=k.npy encoding=t5 --table t5.table=bias.npy --out head\n"
           "  orrery attend x=x.npy heads=8 --table layer.safetensors encoding=rope --out "
           "layer.npz\n"
           "  orrery attend q=q.npy k=k.npy v=v.npy kernel=linear linear.feature_map=elu1 --out "
           "head";
  });
  return {command, [=] {
            options_of->words = command->remaining();
            return attend_command(*options_of);
          }};
}

Command declare_apply(CLI::App& app, const Words& argv) {
  auto options_of = std::make_shared<ArrayOptions>();
  ArrayOptions& options = *options_of;
  options.argv = argv;
  CLI::App* command = app.add_subcommand(
      "apply", "One encoding on given vectors; or its frequencies, slopes or index matrix");
  add_array_options(command, options);
  command->add_option("--out", options.out,
                      "A new .npy, .npz or .safetensors file of the encoded vectors");
  command->add_flag("--csv", options.csv, "Print a table as CSV with 17 digits");
  command->footer([] {
    return "Keys, as key=value, with their defaults; orrery describe ENCODING lists an encoding's "
           "own:\n" +
           keys_text(apply_params()) +
           "\nExamples:\n"
           "  orrery apply encoding=rope x=q.npy --positions 5..9 --out turned.npy\n"
           "  orrery apply encoding=rope dim=8\n"
           "  orrery apply encoding=t5 --positions 0..5\n"
           "  orrery apply encoding=deberta deberta.span=3 --positions 0,2,9";
  });
  return {command, [=] {
            options_of->words = command->remaining();
            return apply_command(*options_of);
          }};
}

}  // namespace

std::vector<Command> declare_array_commands(CLI::App& app, const Words& argv) {
  return {declare_attend(app, argv), declare_apply(app, argv)};
}

}  // namespace orrery::cli
