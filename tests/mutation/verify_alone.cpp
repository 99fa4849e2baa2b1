// What `orrery verify` decides, without the rest of the program, so that a mutant of core links
// fast.
#include <cstdio>
#include <exception>

#include "experiments/verify/claims.h"

/// Prints the claims that fail and how many hold. Exit status 0 when all do, 1 when one fails, 3
/// when core throws.
int main() {
  try {
    orrery::SilentProgress progress;
    int counted = 0, holding = 0;
    for (const orrery::Claim& claim : orrery::verify_paper({.draws = 1}, progress)) {
      if (!claim.counted()) continue;
      ++counted;
      if (claim.check.holds())
        ++holding;
      else
        std::printf("FAILS %s\n", claim.check.name.str().c_str());
    }
    std::printf("%d of %d claims hold\n", holding, counted);
    return holding == counted ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 3;
  }
}
