#include "experiments/cli/commands.h"
namespace orrery::cli {
int tokens_command(const TokensOptions&) { return exit_ok; }
}
