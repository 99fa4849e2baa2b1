#include "experiments/cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

volatile std::sig_atomic_t received_signal = 0;
Verbosity chosen = Verbosity::usual;

void on_stop_signal(int signal) {
  received_signal = signal;
  std::signal(signal, SIG_DFL);
}

[[noreturn]] void refuse_output() {
  if (errno == EPIPE) throw ClosedPipe();
  throw IoError("standard output", fmt::format("cannot be written ({})", std::strerror(errno)),
                "check the disk, and what it was redirected to");
}

/// Stands for the beginning of an escape sequence of our own until that is written. It is another
/// one in each process: no name or file can hold it.
const std::string& style_mark() {
  static const std::string mark = "\033" + random_word();
  return mark;
}

std::string colored(std::string_view text, int code) {
  return colors_wanted() ? fmt::format("{0}{1}m{2}{0}0m", style_mark(), code, text)
                         : std::string(text);
}

/// The one filter between all that is written for people and their terminal.
std::string filtered(std::string_view text) {
  if (!colors_wanted()) return without_controls(text);
  std::string shown;
  for (;;) {
    const std::size_t mark = text.find(style_mark());
    shown += without_controls(text.substr(0, mark));
    if (mark == std::string_view::npos) return shown;
    shown += "\033[";
    text.remove_prefix(mark + style_mark().size());
  }
}

void write_out(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) refuse_output();
}

void write_message(std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stderr); }

/// The lines of CSV end in \r\n.
std::string without_returns(std::string_view text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (!text.substr(at).starts_with("\r\n")) lines += text[at];
  return lines;
}

/// Whether the terminal knows escape sequences.
bool is_able_terminal() {
  const char* terminal = std::getenv("TERM");
  return terminal && std::string_view(terminal) != "dumb";
}

}  // namespace

void print(std::string_view text) { write_out(filtered(text)); }

void print_data(std::string_view bytes) {
  if (output_is_terminal())
    print(without_returns(bytes));
  else
    write_out(bytes);
}

void say(std::string_view text) { write_message(filtered(text)); }

void warn(std::string_view text) { say(fmt::format("orrery: {}\n", text)); }

bool warn_each(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) warn(text);
  return texts.empty();
}

void redraw_line(std::string_view text) {
  write_message("\r\033[K");
  say(text);
}

void set_verbosity(Verbosity verbosity) { chosen = verbosity; }
bool is_quiet() { return chosen == Verbosity::quiet; }

void tell(std::string_view text) {
  if (!is_quiet()) say(text);
}

void detail(std::string_view text) {
  if (chosen == Verbosity::verbose) say(text);
}

void finish_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) refuse_output();
}

bool output_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

bool can_redraw_lines() { return isatty(STDERR_FILENO) == 1 && is_able_terminal(); }

bool colors_wanted() {
  static const bool colored_output = [] {
    const char* no_color = std::getenv("NO_COLOR");
    return output_is_terminal() && !(no_color && *no_color) && is_able_terminal();
  }();
  return colored_output;
}

std::string green(std::string_view text) { return colored(text, 32); }
std::string red(std::string_view text) { return colored(text, 31); }
std::string bold(std::string_view text) { return colored(text, 1); }

std::string readable_number(double value) {
  if (std::isnan(value)) return "none";
  if (!std::isfinite(value)) return value > 0 ? "inf" : "-inf";
  const double size = std::abs(value);
  if (value == std::trunc(value) && size < 1e15) return fmt::format("{:.0f}", value);
  return size >= 1e-3 && size < 1e6 ? fmt::format("{:.6f}", value) : fmt::format("{:.6e}", value);
}

std::string failure_text(const Check& check) {
  return fmt::format("{} does not hold: {} is not {} {}", check.name,
                     readable_number(check.measured), sign_of(check.relation),
                     readable_number(check.bound));
}

int stop_signal() { return received_signal; }

void listen_for_stop_signals() {
  std::signal(SIGINT, on_stop_signal);
  std::signal(SIGTERM, on_stop_signal);
  // A terminal that is closed; nohup has the signal ignored, and so it stays.
  if (std::signal(SIGHUP, on_stop_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);  // what a command computes is written all the same
}

ConsoleProgress::ConsoleProgress(bool quiet)
    : quiet_(quiet), shown_(!quiet && can_redraw_lines()) {}

void ConsoleProgress::tell(std::string_view sentence) {
  if (!quiet_) say(fmt::format("{}\n", sentence));
}

ConsoleProgress::~ConsoleProgress() {
  if (drawn_) redraw_line("");
}

void ConsoleProgress::update(double fraction, std::string_view stage) {
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> elapsed = now - start_;
  if (elapsed.count() < 0.33 || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const int filled = static_cast<int>(fraction * 24);
  const double left = fraction > 0 ? elapsed.count() * (1 - fraction) / fraction : 0;
  redraw_line(fmt::format("[{:█>{}}{:·>{}}] {:3.0f}% {} ({:.0f} s left)", "", filled, "",
                          24 - filled, 100 * fraction, stage, left));
}

}  // namespace orrery
