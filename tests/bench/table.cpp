#include "tests/bench/table.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "core/kernels/level.h"
#include "tests/bench/limits.h"
#include "tests/bench/measure.h"
#include "tests/bench/peers.h"

namespace orrery::bench {
namespace {

double limit_now(const Operation& operation) {
  return operation.limit == Limit::copy ? copy_speed(operation.size) : multiply_add_peak();
}

std::string share_text(const Spread& s) {
  return fmt::format("{:3.0f} % ({:.0f} to {:.0f})", 100 * s.median, 100 * s.least, 100 * s.most);
}

std::string ratio_text(const Spread& s) {
  return fmt::format("{:5.2f} ({:.2f} to {:.2f})", s.median, s.least, s.most);
}

/// "at least 2.2: met", by the median; empty where there is no target or nothing to hold to it.
std::string verdict(const Target& target, const std::vector<double>& times,
                    const std::vector<double>& shares, const std::vector<double>& ratios) {
  const auto told = [](const std::string& rule, bool met) {
    return fmt::format("{}: {}", rule, met ? "met" : "MISSED");
  };
  if (target.times_peer > 0 && !ratios.empty())
    return told(fmt::format("at least {:g}", target.times_peer),
                spread(ratios).median >= target.times_peer);
  if (target.share > 0 && !shares.empty())
    return told(fmt::format("at least {:g} %", 100 * target.share),
                spread(shares).median >= target.share);
  if (target.milliseconds > 0)
    return told(fmt::format("at most {:g} ms", target.milliseconds),
                1e3 * spread(times).median <= target.milliseconds);
  return {};
}

Measured print_row(const Operation& operation, Peers* peers, int rounds) {
  const std::function<void()> run = operation.prepare();
  Measured row{.name = operation.name};
  std::vector<double>& times = row.seconds;
  std::vector<double> shares, ratios, peer_times;
  for (int round = 0; round < rounds; ++round) {
    const double limit = limit_now(operation);
    times.push_back(seconds(run));
    row.costs.push_back(times.back() * limit);
    if (operation.limit != Limit::none) shares.push_back(operation.work / row.costs.back());
    if (!peers || operation.peer.empty()) continue;
    if (const std::optional<double> peer = peers->seconds(operation.peer)) {
      peer_times.push_back(*peer);
      ratios.push_back(*peer / times.back());
    }
  }
  fmt::print("{:<44} {:>10.3f} {:<12} {:<20}", operation.name, 1e3 * spread(times).median,
             operation.limit == Limit::copy           ? "copy"
             : operation.limit == Limit::multiply_add ? "multiply-add"
                                                      : "-",
             shares.empty() ? "-" : share_text(spread(shares)));
  if (peers)
    fmt::print(" {:>10} {:<22}",
               ratios.empty() ? "-" : fmt::format("{:.3f}", 1e3 * spread(peer_times).median),
               ratios.empty() ? "-" : ratio_text(spread(ratios)));
  fmt::print(" {}\n", verdict(operation.target, times, shares, ratios));
  std::fflush(stdout);
  return row;
}

}  // namespace

std::vector<Measured> print_table(const TableOptions& options) {
  std::unique_ptr<Peers> peers;
  if (!options.peers.empty()) peers = std::make_unique<Peers>(options.peers);
  fmt::print("One thread, kernels for {} on {}, medians over {} rounds (least to most){}\n\n",
             kernels::name(kernels::best_level()), processor(), options.rounds,
             peers ? ", in turns with " + peers->version() : "");
  fmt::print("{:<44} {:>10} {:<12} {:<20}", "operation", "ms", "limit", "share of the limit");
  if (peers) fmt::print(" {:>10} {:<22}", "peer, ms", "times as fast");
  fmt::print(" target\n");
  std::vector<Measured> rows;
  for (const Operation& operation : operations())
    if (operation.name.find(options.only) != std::string::npos)
      rows.push_back(print_row(operation, peers.get(), options.rounds));
  return rows;
}

}  // namespace orrery::bench
