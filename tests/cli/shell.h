#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace orrery::test {

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs `orrery ARGUMENTS` in a folder of its own, through the shell.
class Shell {
 public:
  Outcome run(const std::string& arguments, const std::string& redirect = ">out.txt") const {
    return run_program("", arguments, redirect);
  }
  /// With words before the program: variables, or another program that runs it.
  Outcome run_program(const std::string& before, const std::string& arguments,
                      const std::string& redirect = ">out.txt") const {
    const std::string command = "cd '" + folder().string() + "' && ORRERY_ASSETS='" +
                                test::source_folder() + "/assets' " + before + " '" +
                                test::cli_program() + "' " + arguments + " 2>err.txt " + redirect;
    const int status = WEXITSTATUS(std::system(command.c_str()));
    const std::string err = content(folder() / "err.txt");
    // What a signal ended says why in words that no test asks for.
    if (status > 128) std::cerr << arguments << " ended with " << status << "\n" << err;
    return {status, content(folder() / "out.txt"), err};
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder() / name, std::ios::binary) << bytes;
  }
  std::filesystem::path folder() const { return temporary_.path(); }

 private:
  TempFolder temporary_;
};

/// Words before a program that send it the signal once a condition of the shell holds, in which $program is its number: no
/// time has to be right, however busy the machine is.
inline std::string signalled(const std::string& signal, const std::string& condition) {
  return "bash -c 'set -m; \"$@\" & program=$!; until " + condition +
         "; do kill -0 $program || break; sleep 0.02; done; kill -" + signal +
         " $program; wait $program' sh";
}
/// It has computed for a second, as the processor counts.
inline const std::string has_computed =
    R"sh(test "$(cut -d " " -f 14 /proc/$program/stat)" -gt "$(getconf CLK_TCK)")sh";

}  // namespace orrery::test
