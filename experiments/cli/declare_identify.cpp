// identify
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

void add_options(CLI::App* command, IdentifyCommandOptions& options) {
  command->add_option("BEFORE", options.before,
                      "q or k before the rotation, or a folder or an archive with both");
  command->add_option("AFTER", options.after, "The same tensor after it");
  command->add_option("--positions", options.positions,
                      "Positions of the rows: 0..9, 3,1,4, or a file of [N] or [N, axes]; default "
                      "0 to N - 1");
  command->add_flag("--tokens-first", options.tokens_first,
                    "Tensors are [N, H, d] rather than [H, N, d]");
  command->add_flag("--inv-freq", options.inv_freq, "BEFORE holds frequencies alone, [d/2]");
  command->add_flag("--cos-sin", options.cos_sin, "The files hold tables of cosines and sines");
  command->add_option("--bias", options.bias,
                      "A bias or a mask that is added to logits, [N_q, N_k] or [H, N_q, N_k]");
  command->add_option("--logits", options.logits,
                      "Logits, [N_q, N_k] or [H, N_q, N_k], of q and k before they are turned: "
                      "BEFORE is q, AFTER is k");
  command->add_option("--expect", options.expect,
                      "A config.json, a params.json or a .gguf file: say what deviates from it, "
                      "with status 1");
  command
      ->add_option("--layer", options.layer,
                   "Layer of --expect, counted from 0; default the number in the tensor's name")
      ->check(CLI::Range(0, 1 << 20));
  command
      ->add_option("--format", options.format,
                   "Precision in which the tensors were computed, the unit of residuals; default "
                   "the narrowest that holds their numbers")
      ->check(CLI::IsMember({"fp64", "fp32", "bf16", "fp16"}));
  command->add_option("--most", options.most, "Hypotheses to print per tensor")
      ->check(CLI::Range(1, 40));
  command->add_flag("--json", options.json, "As JSON");
}

}  // namespace

std::vector<Command> declare_identify_commands(CLI::App& app, const std::vector<std::string>&) {
  auto options = std::make_shared<IdentifyCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "identify", "Find which convention, or which bug, made q and k, logits or a bias");
  add_options(command, *options);
  command->footer(
      "Prints the ropes that explain the tensor, best first, with the residual of each in units "
      "of\n"
      "rounding. Those that this tensor cannot tell apart are said to be so, with the input that\n"
      "would tell. In a folder, tensors pair up by the words before and after (or pre and post) "
      "in\n"
      "their names. Status 1: something deviates from --expect, or nothing explains a tensor.\n"
      "In PyTorch: numpy.save(\"q_before.npy\", q.float().numpy()), and the same after.\n"
      "Examples:\n"
      "  orrery apply encoding=rope base=500000 --positions 0..63 x=q.npy --out turned.npz\n"
      "  orrery identify q.npy turned.npz#encoded\n"
      "  orrery identify q_before.npy q_after.npy --positions 100..163\n"
      "  orrery identify --bias bias.npy\n"
      "  orrery identify q.npy k.npy --logits logits.npy\n"
      "  orrery identify dump --expect Llama-3.1-8B/config.json --json");
  return {{command, [options] { return identify_command(*options); }}};
}

}  // namespace orrery::cli
