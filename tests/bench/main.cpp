// ./orrery bench: the table of what core takes, of its limits and of its peers; with an option of
// Google Benchmark (--benchmark_…) its benchmarks of the programs in place of the table.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>

#include "experiments/results/memory.h"
#include "tests/bench/comparisons.h"
#include "tests/bench/growth.h"
#include "tests/bench/processes.h"
#include "tests/bench/record.h"
#include "tests/bench/table.h"

namespace {

using namespace orrery::bench;

constexpr const char* help = R"(Times the core against its limits, measured in the same seconds.

  ./orrery bench                     one line per operation
  ./orrery bench --peers [PYTHON]    in turns with PyTorch, of a Python that has it (python3)
  ./orrery bench --rounds N          medians over N rounds, 7 or more
  ./orrery bench --record FILE       keep what was measured
  ./orrery bench --against FILE      compare it with what was kept; status 1 where something is
                                     slower by 5 % beyond the spread of the rounds
  ./orrery bench --only TEXT         the operations whose names contain it, and growth by this name
  ./orrery bench --level NAME        the table with the kernels of x86-64-v3, say, and PyTorch held to
                                     the same
  ./orrery bench --levels            at every level of the kernels that this CPU has, in place of it
  ./orrery bench --threads N         on one and on N threads, in place of it
  ./orrery bench --processes         whole runs of the program, in turns with NumPy and matplotlib
  ./orrery bench --largest N         the longest sequence whose growth is shown (65536)
  ./orrery bench --figure DIR        draw the growth, as a result that orrery redraw takes
  ./orrery bench --benchmark_filter=REGEX   the benchmarks of the programs, by Google Benchmark
)";

/// A matrix that is freed is memory for the next.
void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

int usage(std::string_view word) {
  fmt::print(stderr, "orrery bench: {}: is no option\n{}", word, help);
  return 2;
}

struct Options {
  TableOptions table{};
  GrowthOptions growth{};
  std::string record{};   ///< a file to be written; empty for none
  std::string against{};  ///< one that was
  bool levels{false};
  bool processes{false};
  int threads{0};  ///< to compare with one; 0 for no such comparison
};

/// A whole number from `least` on after its option; says what is wrong otherwise.
template <class Number>
bool read_number(std::string_view option, std::string_view text, Number least, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && number >= least)
    return true;
  fmt::print(stderr, "orrery bench: {} {}: must be a whole number, {} or more\n", option, text,
             least);
  return false;
}

/// The status for what is wrong, none for what is right.
std::optional<int> read(int count, char** words, Options& options) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const std::string_view next = i + 1 < count ? words[i + 1] : "";
    if (word == "--levels") {
      options.levels = true;
      continue;
    }
    if (word == "--processes") {
      options.processes = true;
      continue;
    }
    if (word == "--peers") {
      const bool named = !next.empty() && !next.starts_with("--");
      options.table.peers = named ? next : "python3";
      i += named;
      continue;
    }
    if (word == "--rounds") {
      if (!read_number(word, next, 7, options.table.rounds)) return 2;
    } else if (word == "--threads") {
      if (!read_number(word, next, 2, options.threads)) return 2;
    } else if (word == "--largest") {
      if (!read_number<std::int64_t>(word, next, 256, options.growth.largest)) return 2;
    } else if (word == "--level") {
      if (!use_level(next)) {
        fmt::print(stderr,
                   "orrery bench: --level {}: this CPU has no such level; --levels names them\n",
                   next);
        return 2;
      }
    } else if (word == "--only" && !next.empty()) {
      options.table.only = next;
    } else if (word == "--record" && !next.empty()) {
      options.record = next;
    } else if (word == "--against" && !next.empty()) {
      options.against = next;
    } else if (word == "--figure" && !next.empty()) {
      options.growth.folder = next;
    } else {
      return usage(word);
    }
    ++i;
  }
  return std::nullopt;
}

int run_table(int count, char** words) {
  Options options;
  if (const std::optional<int> status = read(count, words, options)) return *status;
  const bool table = !options.levels && !options.processes && options.threads == 0;
  if (!table && (!options.record.empty() || !options.against.empty())) {
    fmt::print(stderr,
               "orrery bench: --record and --against are for the table of operations alone\n");
    return 2;
  }
  const bool growth = options.table.only.empty() || options.table.only == "growth";
  std::signal(SIGPIPE, SIG_IGN);  // peers that ended are an error, told by write()
  keep_memory();
  if (options.levels) {
    print_levels(options.table);
    return 0;
  }
  if (options.processes) {
    print_processes(options.table, ORRERY_PROGRAM);
    return 0;
  }
  if (options.threads > 0) {
    print_threads(options.table, options.threads);
    return 0;
  }
  std::optional<Record> before;
  if (!options.against.empty()) before.emplace(options.against);
  bool none_slower = true;
  if (options.table.only != "growth") {
    const std::vector<Measured> rows = print_table(options.table);
    if (!options.record.empty()) write_record(options.record, rows);
    if (before) none_slower = before->compare(rows);
    if (growth) fmt::print("\n");
  }
  if (growth) print_growth(options.growth);
  return none_slower ? 0 : 1;
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
    orrery::keep_freed_memory(256 << 20);  // as the desktop does
    benchmark::Initialize(&count, words);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "orrery bench: {}\n", problem.what());
    return 1;
  }
}
