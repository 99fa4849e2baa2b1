#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model/progress.h"
#include "experiments/model/result.h"

namespace orrery {

/// Whoever reads stdout has left: `| head`.
struct ClosedPipe {};

// All output passes one filter, see text/printable.h, so that no control sequence in a name or a file
// reaches the terminal. JSON passes it unchanged.

/// Writes text or JSON to stdout. Throws ClosedPipe, or IoError when that fails in another way.
void print(std::string_view text);
/// Writes data to stdout byte for byte, and as text where stdout is a terminal. Throws as print.
void print_data(std::string_view bytes);
/// Writes a message to stderr.
void say(std::string_view text);
/// The same of what went wrong, as "orrery: TEXT".
void warn(std::string_view text);
/// Warns of each. Returns whether there is none.
bool warn_each(const std::vector<std::string>& texts);
/// Overwrites the current line of stderr, see can_redraw_lines.
void redraw_line(std::string_view text);

/// How much is said beside results and errors: --quiet, nothing, --verbose.
enum class Verbosity { quiet, usual, verbose };
void set_verbosity(Verbosity verbosity);
bool is_quiet();
/// Says what was done; nothing when quiet.
void tell(std::string_view text);
/// Says what only --verbose asks for.
void detail(std::string_view text);

/// Flushes stdout. Throws as print does.
void finish_output();

bool output_is_terminal();
/// Whether stderr is a terminal where a line can be drawn anew in its place.
bool can_redraw_lines();
/// Whether stdout is a terminal that shows colours and NO_COLOR is not set.
bool colors_wanted();
/// The text in a colour; unchanged when colours are not wanted.
std::string green(std::string_view text);
std::string red(std::string_view text);
std::string bold(std::string_view text);

/// Whole numbers without decimals, others with six decimals, very large and very small ones in
/// scientific notation; "none" for NaN.
std::string readable_number(double value);

/// "orthogonality does not hold: 0.5 is not <= 1e-12".
std::string failure_text(const Check& check);

/// The signal that requested a stop, or 0.
int stop_signal();
/// Lets SIGINT, SIGTERM and SIGHUP stop the running work; a second signal ends the program at once.
void listen_for_stop_signals();

/// A progress line that is redrawn in place on a terminal; nothing elsewhere, and nothing for work
/// that ends within a third of a second.
class ConsoleProgress : public Progress {
 public:
  explicit ConsoleProgress(bool quiet);
  ~ConsoleProgress() override;
  void update(double fraction, std::string_view stage) override;
  void tell(std::string_view sentence) override;
  bool stop_requested() const override { return stop_signal() != 0; }
  /// Once it was asked to stop: what was found until then is kept.
  bool wants_to_see() const override { return stop_requested(); }
  void see(std::shared_ptr<Result> so_far) override { so_far_ = std::move(so_far); }
  /// Null for work that shows nothing before it is done.
  const std::shared_ptr<Result>& so_far() const { return so_far_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  bool shown_;
  bool drawn_{false};
  std::shared_ptr<Result> so_far_{};
  Clock::time_point start_{Clock::now()};
  Clock::time_point last_{};
};

}  // namespace orrery
