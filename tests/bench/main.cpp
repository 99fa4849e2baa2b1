// ./orrery bench: the table of what core takes, of its limits and of its peers; with an option of
// Google Benchmark (--benchmark_…) its benchmarks of the programs in place of the table.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <charconv>
#include <csignal>
#include <exception>
#include <string_view>

#include "tests/bench/table.h"

namespace {

using orrery::bench::TableOptions;

constexpr const char* help = R"(Times the core against its limits, measured in the same seconds.

  ./orrery bench                     one line per operation
  ./orrery bench --peers [PYTHON]    in turns with PyTorch, of a Python that has it (python3)
  ./orrery bench --rounds N          medians over N rounds, 7 or more
  ./orrery bench --only TEXT         the operations whose names contain it
  ./orrery bench --benchmark_filter=REGEX   the benchmarks of the programs, by Google Benchmark
)";

/// As the programs do: a matrix that is freed is memory for the next.
void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

int usage(std::string_view word) {
  fmt::print(stderr, "orrery bench: {}: is no option\n{}", word, help);
  return 2;
}

int run_table(int count, char** words) {
  TableOptions options;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const std::string_view next = i + 1 < count ? words[i + 1] : "";
    if (word == "--peers") {
      const bool named = !next.empty() && !next.starts_with("--");
      options.peers = named ? next : "python3";
      i += named;
    } else if (word == "--only" && !next.empty()) {
      options.only = next;
      ++i;
    } else if (word == "--rounds") {
      const auto read = std::from_chars(next.data(), next.data() + next.size(), options.rounds);
      if (read.ec != std::errc() || read.ptr != next.data() + next.size() || options.rounds < 7) {
        fmt::print(stderr, "orrery bench: --rounds {}: must be a whole number, 7 or more\n", next);
        return 2;
      }
      ++i;
    } else {
      return usage(word);
    }
  }
  keep_memory();
  std::signal(SIGPIPE, SIG_IGN);  // peers that ended are an error, told by write()
  print_table(options);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    const std::string_view first = count > 1 ? words[1] : "";
    if (first == "-h" || first == "--help") {
      fmt::print("{}", help);
      return 0;
    }
    if (!first.starts_with("--benchmark")) return run_table(count, words);
    benchmark::Initialize(&count, words);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "orrery bench: {}\n", problem.what());
    return 1;
  }
}
