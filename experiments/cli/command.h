#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace orrery {

/// Exit statuses of the program.
enum ExitCode {
  exit_ok = 0,
  exit_failed = 1,  ///< a point or a check failed
  exit_usage = 2,
  exit_data = 3,
  exit_io = 4,
  exit_plan = 5,    ///< the folder has a different plan
  exit_locked = 6,  ///< another process is writing to the folder
};

using Words = std::vector<std::string>;

/// What an option sets, or calls with its value. A bool and a function without a value are of a flag,
/// none is of what the parser itself answers, such as --help.
using Target = std::variant<std::monostate, bool*, std::function<void()>, std::string*, Words*,
                            int*, std::int64_t*, std::size_t*, std::optional<std::size_t>*, double*,
                            std::function<void(double)>, std::function<void(const std::string&)>>;

/// What an option's value must be, and its company.
struct Rules {
  bool required{};
  std::string unless{};  ///< an option in whose company none is required
  Words choices{};
  std::optional<std::pair<std::int64_t, std::int64_t>> range{};
  std::string value{};  ///< its name in the help, where its type is not enough
  bool commas{};        ///< they part values
  bool several{};       ///< all words that follow are values
  Words excludes{};     ///< options of the same command, which come before or after it
};

struct Option {
  std::string name{};  ///< "FILE" for a word in its place, "--json", "-q,--quiet"
  Target target{};
  std::string about{};
  Rules rules{};

  bool is_positional() const { return !name.starts_with('-'); }
  bool takes_value() const { return target.index() > 2; }
  /// Whether a word is one of its names.
  bool is_called(const std::string& word) const;
};

Rules required();
Rules one_of(const Words& choices);
Rules between(std::int64_t least, std::int64_t most);

/// A command of the program: what it takes, and what it does with that.
struct Command {
  std::string name{};
  std::string about{};
  std::function<int()> run{};  ///< returns the exit status
  std::vector<Option> options{};
  Words* words{};  ///< has what no option takes, such as key=value; null: there may be none
  Words* argv{};   ///< has the whole command line, for a manifest; null: none is written
  /// The end of its help; a function where it takes long to make.
  std::variant<std::string, std::function<std::string()>> footer{};
  std::string group{};  ///< its heading in the help
};

/// All, in the order of the help, with the options that every one has.
std::vector<Command> all_commands();
/// The options before a command.
std::vector<Option> program_options();

/// Null where there is none of this name.
const Command* find_command(const std::vector<Command>& commands, const std::string& name);
Words names_of(const std::vector<Command>& commands);
/// "--out", "--json", …, without the short ones.
Words option_names(const std::vector<Option>& options);
std::string footer_of(const Command& command);

/// The options of several tables, one after the other.
std::vector<Option> joined(std::vector<Option> options, const std::vector<Option>& more);

}  // namespace orrery
