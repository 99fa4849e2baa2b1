#include "experiments/files/random_word.h"

#include <fmt/format.h>

#include <random>

namespace orrery {

std::string random_word() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}", source(), source());
}

}  // namespace orrery
