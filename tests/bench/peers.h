#pragma once

#include <cstdio>
#include <optional>
#include <string>

namespace orrery::bench {

/// tests/bench/peers.py, which runs an operation in PyTorch when it is told to, on as many threads
/// as it was started with.
class Peers {
 public:
  /// Starts it; throws std::runtime_error with the reason where it cannot be.
  explicit Peers(const std::string& python);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  const std::string& version() const { return version_; }
  /// Seconds that one run of the operation takes now; none where it has no such operation.
  std::optional<double> seconds(const std::string& operation);

 private:
  std::string answer();

  int to_{-1};
  std::FILE* from_{nullptr};
  int pid_{-1};
  std::string version_;
};

}  // namespace orrery::bench
