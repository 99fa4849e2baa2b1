#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::cli {

/// Exit statuses of the program.
enum ExitCode {
  exit_ok = 0,
  exit_failed = 1,  ///< a point or a check failed
  exit_usage = 2,
  exit_data = 3,
  exit_io = 4,
};

struct ListOptions {
  std::string what{"all"};  ///< "all", "experiments" or "encodings"
  bool json{false};
};
int list_command(const ListOptions& options);

struct DescribeOptions {
  std::string name{};  ///< of an experiment or an encoding
  bool json{false};
};
int describe_command(const DescribeOptions& options);

struct RunOptions {
  std::string experiment{};
  std::vector<std::string> words{};  ///< key=value and --key value
  std::string out{};                 ///< folder; chosen from experiment and point id when empty
  std::vector<std::string> formats{"svg", "png", "pdf"};
  std::string theme{"light"};
  bool json{false};
  bool quiet{false};
  std::vector<std::string> argv{};
};
int run_command(const RunOptions& options);

/// Of attend and apply, which take arrays.
struct ArrayOptions {
  std::vector<std::string> words{};   ///< key=value and --key value
  std::vector<std::string> tables{};  ///< NAME=FILE.npy
  std::string positions{};            ///< of keys, or of the rows of x
  std::string query_positions{};
  std::string out{};
  bool csv{false};
  std::vector<std::string> argv{};
};
int attend_command(const ArrayOptions& options);
int apply_command(const ArrayOptions& options);

struct VerifyCommandOptions {
  std::int64_t seed{0};
  int draws{4};
  std::string only{};  ///< part of a name, statement or equation; empty shows all
  bool json{false};
};
int verify_command(const VerifyCommandOptions& options);

}  // namespace orrery::cli
