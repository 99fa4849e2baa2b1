#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "experiments/progress.h"

namespace orrery::cli {

/// Data: to stdout. Throws IoError when it cannot be written.
void print(std::string_view text);
/// Talk: to stderr.
void say(std::string_view text);
/// Hands everything printed to the system. Throws IoError when that fails (a full disk, a closed
/// pipe).
void finish_output();

/// Whether stdout is a terminal that shows colours and NO_COLOR is not set.
bool colors_wanted();
/// The text in a colour, or as it is when colours are not wanted.
std::string green(std::string_view text);
std::string red(std::string_view text);
std::string bold(std::string_view text);

/// Fixed notation with six decimals in the middle of the range, whole numbers as they are,
/// scientific otherwise; "none" for NaN.
std::string readable_number(double value);

/// Columns on the terminal that the text takes; combining marks and the like are counted as none.
std::size_t display_width(std::string_view utf8);
/// The text, filled with spaces to the width.
std::string padded(std::string_view utf8, std::size_t width);

/// The number of the signal that asked to stop, or 0.
int stop_signal();
/// SIGINT and SIGTERM ask the running work to stop; the second one ends the program at once.
void listen_for_stop_signals();

/// A line on stderr that is drawn over itself at a terminal, and nothing elsewhere. Work that ends
/// within a third of a second shows nothing.
class ConsoleProgress : public Progress {
 public:
  explicit ConsoleProgress(bool quiet);
  ~ConsoleProgress() override;
  void update(double fraction, std::string_view stage) override;
  bool stop_requested() const override { return stop_signal() != 0; }

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_{false};
  Clock::time_point start_{Clock::now()};
  Clock::time_point last_{};
};

}  // namespace orrery::cli
