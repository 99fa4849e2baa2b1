#include "tests/bench/peers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace orrery::bench {

Peers::Peers(const std::string& python) {
  const std::string script = ORRERY_BENCH_FOLDER "/peers.py";
  std::array<int, 2> in{}, out{};
  if (::pipe(in.data()) != 0 || ::pipe(out.data()) != 0)
    throw std::runtime_error("no pipe to the peers");
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process for the peers");
  if (pid_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    for (const int end : {in[0], in[1], out[0], out[1]}) ::close(end);
    ::execlp(python.c_str(), python.c_str(), script.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = ::fdopen(out[0], "r");
  version_ = answer();
  if (version_.empty())
    throw std::runtime_error(python + " does not run " + script + ": it needs torch and numpy");
}

Peers::~Peers() {
  if (to_ >= 0) ::close(to_);
  if (from_) std::fclose(from_);
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
}

std::string Peers::answer() {
  std::string line;
  for (int c = std::fgetc(from_); c != EOF && c != '\n'; c = std::fgetc(from_))
    line += static_cast<char>(c);
  return line;
}

std::optional<double> Peers::seconds(const std::string& operation) {
  const std::string line = operation + "\n";
  if (::write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error("the peers have ended");
  const std::string text = answer();
  if (text.empty()) throw std::runtime_error("the peers have ended at " + operation);
  return text == "none" ? std::nullopt : std::optional<double>(std::stod(text));
}

}  // namespace orrery::bench
