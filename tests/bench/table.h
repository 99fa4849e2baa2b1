#pragma once

#include <functional>
#include <string>
#include <vector>

namespace orrery::bench {

/// What an operation is measured against, in the same tenth of a second.
enum class Limit {
  multiply_add,  ///< the peak of multiply-adds: `work` counts both
  copy,          ///< a copy of `size` bytes: `work` counts the bytes that are read and written
  none,          ///< compared with the multiply-adds of the same seconds alone
};

/// What an operation has to reach; 0 for nothing.
struct Target {
  double times_peer{};    ///< at least so many times as fast as its peer
  double milliseconds{};  ///< at most
  double share{};         ///< of its limit, at least
};

struct Operation {
  std::string name;
  std::string peer{};  ///< its line for tests/bench/peers.py; empty for none
  Limit limit{Limit::none};
  double work{};       ///< of one run
  std::size_t size{};  ///< bytes of the copy
  Target target{};
  bool threaded{false};                              ///< whether it works on threads()
  std::function<std::function<void()>()> prepare{};  ///< what one run is, its contents made
};

/// Every operation of the table.
std::vector<Operation> operations();

/// How many threads the operations that can work on: 1 unless a comparison sets it.
int& threads();

struct TableOptions {
  int rounds{7};
  std::string peers{};  ///< a Python with PyTorch; empty for none
  std::string only{};   ///< names that contain this
};

/// What was measured of an operation, by round.
struct Measured {
  std::string name{};
  std::vector<double> seconds{};
  /// What the limit does in these seconds, multiply-adds or bytes, as it was measured just before:
  /// what slows the machine down slows both. The multiply-adds of an operation without a limit.
  std::vector<double> costs{};
};

/// Prints one line per operation: its time, the share of its limit and the ratio to its peer, each
/// the median over rounds in which they take turns, with the smallest and the largest.
std::vector<Measured> print_table(const TableOptions& options);

}  // namespace orrery::bench
