#pragma once

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "app/session/session.h"

namespace orrery::test {

/// An experiment that works for `n` milliseconds in steps of one, and throws when n is odd and
/// above 90.
inline Experiment working_experiment(const std::string& name) {
  ExperimentInfo info{.name = name,
                      .title = name,
                      .question = "Does it end?",
                      .params = {{.key = "n",
                                  .kind = ParamKind::integer,
                                  .default_value = std::int64_t{5},
                                  .min = 0,
                                  .max = 100'000}}};
  const auto run = [](const ParamSet& params, const Inputs&, Progress& progress) {
    const auto steps = static_cast<std::size_t>(params.integer("n"));
    for (std::size_t step = 0; step < steps; ++step) {
      checkpoint(progress, step, steps, "stage " + std::to_string(step % 7));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (step == 3 && steps > 90 && steps % 2 == 1) throw std::runtime_error("odd");
    }
    Result result;
    result.provenance.seed = params.integer("n");
    return result;
  };
  return {.info = std::move(info), .run = run};
}

inline InputLoader loads_nothing() {
  return [](const ParamSet&) { return std::make_shared<const Inputs>(); };
}

}  // namespace orrery::test
