#include "tests/bench/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "core/attention/mask.h"
#include "experiments/data/npz.h"
#include "tests/bench/head.h"
#include "tests/bench/limits.h"
#include "tests/bench/measure.h"

extern char** environ;

namespace orrery::bench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Seconds and peak bytes of a command from its start to its end, on one thread of a library that
/// reads OMP_NUM_THREADS. Throws std::runtime_error where it fails.
Cost cost_of(const Words& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const double start = now();
  const int failed = ::posix_spawnp(&child, argv[0], &quiet, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  int status = 0;
  rusage usage{};
  if (failed != 0 || ::wait4(child, &status, 0, &usage) != child || status != 0)
    throw std::runtime_error(fmt::format("failed: {}", fmt::join(command, " ")));
  return {now() - start, 1024.0 * static_cast<double>(usage.ru_maxrss)};
}

struct Row {
  std::string name;
  Words ours;
  Words script;  ///< of numpy_scripts.py
};

/// q, k and v of N tokens as a .npz.
std::string contents(const fs::path& folder, Index n) {
  const Head head(n);
  std::vector<Array> arrays;
  for (const auto& [name, x] : {std::pair("q", &head.q), {"k", &head.k}, {"v", &head.v}})
    arrays.push_back({.name = name,
                      .shape = {static_cast<std::size_t>(n), head_channels},
                      .values = std::vector<float>(x->data(), x->data() + x->size())});
  const std::vector<const Array*> pointers{&arrays[0], &arrays[1], &arrays[2]};
  const fs::path path = folder / fmt::format("qkv_{}.npz", n);
  std::ofstream(path, std::ios::binary) << npz_bytes(pointers);
  return path.string();
}

Words inputs_of(const std::string& npz) {
  return {"q=" + npz + "#q", "k=" + npz + "#k", "v=" + npz + "#v"};
}

std::vector<Row> rows(const fs::path& folder) {
  std::vector<Row> all;
  const std::string out = (folder / "out").string();
  for (const char* distances : {"4096", "1000000"}) {
    Words decay{"run",
                "long_term_decay",
                fmt::format("max_distance={}", distances),
                "--format",
                "png",
                "--force",
                "--quiet",
                "--out",
                out};
    const Words script{"decay", distances, out + ".png"};  // draws the bound alone
    all.push_back(
        {fmt::format("8 figures of the decay as PNG, {} distances", distances), decay, script});
    decay.insert(decay.end(), {"--figure", "decay_bound"});
    all.push_back({fmt::format("one of them, {} distances", distances), decay, script});
  }
  for (const Index n : {1024, 4096}) {
    const std::string npz = contents(folder, n);
    Words map{"run",
              "attention_map",
              fmt::format("max_tokens={}", n),
              "causal=false",
              "precision=exact_fp32",
              "--format",
              "png",
              "--force",
              "--quiet",
              "--out",
              out};
    for (const std::string& word : inputs_of(npz)) map.push_back(word);
    all.push_back({fmt::format("heatmap as PNG, N = {}", n), map, {"map", npz, out + ".png"}});
  }
  const std::string npz = contents(folder, 4096);
  for (const std::string encoding :
       {"none", "rope", "alibi", "kerple", "t5", "shaw", "transformer_xl", "deberta", "tupe"}) {
    Words attend{
        "run",   "attend", "encoding=" + encoding, "precision=exact_fp32", "--force", "--quiet",
        "--out", out};
    if (encoding == "tupe") attend.emplace_back("tupe.length=4096");
    for (const std::string& word : inputs_of(npz)) attend.push_back(word);
    all.push_back({fmt::format("attend, {}, N = 4096", encoding),
                   attend,
                   {"attend", encoding, npz, out + "_numpy.npz"}});
  }
  return all;
}

std::string cost_text(const std::vector<Cost>& costs) {
  std::vector<double> seconds, bytes;
  for (const Cost& cost : costs) {
    seconds.push_back(cost.seconds);
    bytes.push_back(cost.bytes);
  }
  return fmt::format("{:>9.1f} {:>7.0f}", 1e3 * spread(seconds).median,
                     spread(bytes).median / (1 << 20));
}

void print_row(const Row& row, const TableOptions& options, const std::string& program) {
  const auto with = [](Words first, const Words& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
  };
  const Words ours = with({program}, row.ours);
  const Words theirs = with({options.peers, ORRERY_BENCH_FOLDER "/numpy_scripts.py"}, row.script);
  std::vector<Cost> own, others;
  std::vector<double> ratios;
  for (int round = 0; round < options.rounds; ++round) {
    own.push_back(cost_of(ours));
    if (options.peers.empty()) continue;
    others.push_back(cost_of(theirs));
    ratios.push_back(others.back().seconds / own.back().seconds);
  }
  fmt::print("{:<44} {}", row.name, cost_text(own));
  if (!options.peers.empty()) {
    const Spread ratio = spread(ratios);
    fmt::print(" {} {:7.2f} ({:.2f} to {:.2f})", cost_text(others), ratio.median, ratio.least,
               ratio.most);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

/// A folder that is removed at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("orrery-bench-{}", ::getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

void print_processes(const TableOptions& options, const std::string& program) {
  ::setenv("OMP_NUM_THREADS", "1", 1);
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  const Folder folder;
  fmt::print("Whole processes, fp32 where NumPy has it, medians over {} rounds{}\n\n",
             options.rounds,
             options.peers.empty() ? "" : ", in turns with NumPy and matplotlib on one thread");
  fmt::print("{:<44} {:>9} {:>7}", "process", "ms", "MiB");
  if (!options.peers.empty()) fmt::print(" {:>9} {:>7} {:>7}", "NumPy, ms", "MiB", "times as fast");
  fmt::print("\n");
  for (const Row& row : rows(folder.path()))
    if (row.name.find(options.only) != std::string::npos) print_row(row, options, program);
}

}  // namespace orrery::bench
