// What becomes of outputs: whole or not at all, and nothing that is there is replaced unasked.
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/cli/npy_files.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

struct ArraysShell : Shell {
  ArraysShell() {
    std::vector<double> values(32 * 8);
    std::iota(values.begin(), values.end(), 0.0);
    write("q.npy", npy("(32, 8)", values));
    write("bad.npy", "no array");
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder()), fs::directory_iterator()));
  }
};

}  // namespace

TEST_CASE("run attend and apply refuse a file that is there before they read their arrays") {
  const ArraysShell shell;
  for (const std::string out : {"out.npz", "out.safetensors", "out"}) {
    INFO(out);
    // An array that cannot be read shows what is looked at first.
    const std::string command = "run attend q=q.npy k=q.npy v=q.npy --out " + out;
    if (out == "out") {
      REQUIRE(shell.run(command).status == 0);
    } else {
      shell.write(out, "mine");
    }
    const Outcome refused = shell.run("run attend q=bad.npy k=q.npy v=q.npy --out " + out);
    CHECK(refused.status == 4);
    CHECK_THAT(refused.err,
               Contains(out) && Contains("already") && Contains("add --force to replace it"));
    if (out != "out") CHECK(content(shell.folder() / out) == "mine");
    CHECK(shell.run(command + " --force").status == 0);
    if (out != "out") CHECK(content(shell.folder() / out).size() > 500);
  }
  shell.write("x.npy", "mine");
  CHECK(shell.run("run apply encoding=rope x=q.npy --out x.npy").status == 4);
  CHECK(content(shell.folder() / "x.npy") == "mine");
  CHECK(shell.run("run apply encoding=rope x=q.npy --out x.npy --force").status == 0);
  CHECK(content(shell.folder() / "x.npy").substr(1, 5) == "NUMPY");
}

TEST_CASE("run attend and apply refuse the extension of a file that they do not write") {
  const ArraysShell shell;
  const auto refuses = [&](const std::string& command, const std::string& out,
                           const std::string& remedy) {
    const Outcome refused = shell.run(command + " --out " + out);
    INFO(command << " " << out << "\n" << refused.err);
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err,
               Contains("--out " + out) && Contains(".safetensors") && Contains(remedy));
    CHECK_FALSE(fs::exists(shell.folder() / out));
  };
  for (const char* out : {"x.txt", "X.NPZ", "a/b.json", "run.2.csv"}) {
    // An array that cannot be read shows what is looked at first.
    refuses("run attend q=bad.npy k=q.npy v=q.npy", out, "or in / for a folder of that name");
    refuses("run apply encoding=rope x=bad.npy", out, "or in / for a folder of that name");
  }
  for (const char* out : {"run.2", "v1.0", "plain", "x.txt/", ".hidden"}) {
    INFO(out);
    CHECK(shell.run(std::string("run attend q=q.npy k=q.npy v=q.npy --out ") + out).status == 0);
    CHECK(fs::exists(shell.folder() / out / "arrays/output.npy"));
  }
  const Outcome table = shell.run("run apply encoding=rope dim=8 --out t.npy");
  CHECK(table.status == 2);
  CHECK_THAT(table.err, Contains("would be empty: the result has no arrays"));
  const Outcome none = shell.run("run forward arrays= --out t.npz");
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("would be empty: the result has no arrays"));
  CHECK_FALSE(fs::exists(shell.folder() / "t.npz"));
  const Outcome several = shell.run("run attend q=q.npy k=q.npy v=q.npy --out several.npy");
  CHECK(several.status == 2);
  CHECK_THAT(several.err, Contains("holds one array, and the result has 4"));
}

TEST_CASE("An archive that cannot be written whole leaves nothing under its name nor beside it") {
  const ArraysShell shell;
  const std::size_t before = shell.entries();
  // 8 blocks of 512 bytes per file: a full disk. The signal that comes with it is ignored.
  for (const char* out : {"big.npz", "big.safetensors"}) {
    INFO(out);
    const Outcome failed = shell.run_program(
        "trap '' XFSZ; ulimit -f 8;",
        std::string("run attend q=q.npy k=q.npy v=q.npy --out ") + out, ">/dev/null");
    CHECK(failed.status == 4);
    CHECK_THAT(failed.err, Contains("cannot be written"));
    CHECK_FALSE(fs::exists(shell.folder() / out));
  }
  fs::remove(shell.folder() / "err.txt");
  CHECK(shell.entries() == before);
}

TEST_CASE("run replaces the result of the same settings, and any other only with --force") {
  const Shell shell;
  const std::string run = "run long_term_decay max_distance=6 distance=1 --quiet --format none ";
  REQUIRE(shell.run(run + "dim=4 --out r").status == 0);
  CHECK(shell.run(run + "dim=4 --out r").status == 0);
  const std::string first = content(shell.folder() / "r/result.json");
  const Outcome other = shell.run(run + "dim=8 --out r");
  CHECK(other.status == 4);
  CHECK_THAT(other.err,
             Contains("already contains a result of long_term_decay with other settings") &&
                 Contains("--force"));
  const Outcome another = shell.run("run rotation --format none --out r");
  CHECK(another.status == 4);
  CHECK_THAT(another.err, Contains("already contains a result of long_term_decay; add --force"));
  CHECK(content(shell.folder() / "r/result.json") == first);
  CHECK(shell.run("run rotation --format none --quiet --out r --force").status == 0);
  CHECK_THAT(content(shell.folder() / "r/result.json"), Contains("\"rotation\""));
}

TEST_CASE("A redraw that fails leaves nothing, so that the next one finds its folder free") {
  const Shell shell;
  REQUIRE(shell.run("run rotation --format none --quiet --out r").status == 0);
  CHECK(shell.run("redraw r --out d --scale 0").status == 2);
  CHECK_FALSE(fs::exists(shell.folder() / "d"));
  CHECK(shell.run("redraw r --out d --format svg").status == 0);
}

TEST_CASE("redraw draws the same pictures again, and others in their place only with --force") {
  const Shell shell;
  REQUIRE(shell.run("run rotation --format none --quiet --out r").status == 0);
  REQUIRE(shell.run("redraw r --format svg").status == 0);
  shell.write("r-redrawn/mine.txt", "mine");
  const std::filesystem::path picture = shell.folder() / "r-redrawn/phasor_chain.svg";
  const std::string light = content(picture);
  REQUIRE(light.size() > 1000);
  CHECK(shell.run("redraw r --format svg").status == 0);
  CHECK(shell.run("redraw r --format tex").status == 0);
  const Outcome other = shell.run("redraw r --format svg --theme dark");
  CHECK(other.status == 4);
  CHECK_THAT(other.err, Contains("already exists and was drawn otherwise; add --force"));
  CHECK(content(picture) == light);
  CHECK(shell.run("redraw r --format svg --theme dark --force").status == 0);
  CHECK(content(picture) != light);
  CHECK(content(shell.folder() / "r-redrawn/mine.txt") == "mine");
  for (const char* words : {"redraw r --out r --force", "redraw r --out r/result.json --force"})
    CHECK(shell.run(words).status == 4);
}

TEST_CASE("A list option takes one word, and what follows is a parameter") {
  const Shell shell;
  CHECK(shell.run("run long_term_decay --format none dim=8 max_distance=6 --out a").status == 0);
  CHECK_THAT(content(shell.folder() / "a/result.json"), Contains("\"dim\": 8,"));
  CHECK(
      shell.run("sweep long_term_decay --format svg,none dim=4,8 max_distance=6 --out s").status ==
      0);
}

TEST_CASE("A reader that leaves ends the program with 141, and is no error to speak of") {
  const Shell shell;
  for (const char* command :
       {"describe long_term_decay", "run rotation --format none --json --quiet"}) {
    INFO(command);
    shell.write("pipe.sh", std::string("(sleep 0.2; exec '") + cli_program() + "' " + command +
                               ") 2>err.txt | true\necho ${PIPESTATUS[0]} >out.txt\n");
    REQUIRE(std::system(("cd '" + shell.folder().string() + "' && bash pipe.sh").c_str()) == 0);
    CHECK(content(shell.folder() / "out.txt") == "141\n");
    CHECK(content(shell.folder() / "err.txt").empty());
  }
}

TEST_CASE("No message passes control characters on") {
  const Shell shell;
  for (const char* command :
       {"run $'a\\x1b[2Jb'", "$'\\x1b[2J'", "run long_term_decay $'dim=\\x1b]0;x\\a'"}) {
    INFO(command);
    shell.write("command.sh", std::string("'") + cli_program() + "' " + command + " 2>err.txt");
    CHECK(std::system(
              ("cd '" + shell.folder().string() + "' && bash command.sh >out.txt").c_str()) != 0);
    const std::string err = content(shell.folder() / "err.txt");
    CHECK_THAT(err, Contains("\\x1b"));
    CHECK(err.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("What a killed run left is removed by the next run to the same name") {
  const Shell shell;
  for (const std::string command : {"run rotation --format none --quiet --out r",
                                    "run attend q=q.npy k=q.npy v=q.npy --out r.npz"}) {
    INFO(command);
    const ArraysShell arrays;
    const std::string name = command.substr(command.rfind(' ') + 1);
    // The shell's number is the program's, which exec takes the place of.
    arrays.write("left.sh", "mkdir ." + name + ".tmp-$$; touch ." + name + ".tmp-$$/half");
    REQUIRE(std::system(("cd '" + arrays.folder().string() + "' && sh left.sh").c_str()) == 0);
    const std::size_t before = arrays.entries();
    CHECK(arrays.run(command).status == 0);
    CHECK(arrays.entries() == before + 2);  // the result, out.txt and err.txt for what was left
  }
}

TEST_CASE("A training that is stopped writes what it has learned until then, and says so") {
  const Shell shell;
  const Outcome outcome = shell.run_program(
      signalled("INT", has_computed),
      "run training steps=100000 checkpoints=1 encoding=rope --format none --out d");
  CHECK(outcome.status == 130);
  CHECK_THAT(outcome.err, Contains("stopped; what was found until then is in d"));
  const auto result = nlohmann::json::parse(content(shell.folder() / "d/result.json"));
  CHECK(result["status"] == "stopped");
  CHECK(fs::exists(shell.folder() / "d/tables/curves.csv"));
  const fs::path models = shell.folder() / "d/models";
  REQUIRE(fs::exists(models));
  for (const auto& model : fs::directory_iterator(models)) {
    CHECK(fs::exists(model.path() / "config.json"));
    CHECK(fs::file_size(model.path() / "model.safetensors") > 1000);
  }
}

TEST_CASE("A result that holds what is read is not replaced, whatever is forced") {
  const Shell shell;
  const std::string train = "run training encoding=rope steps=2 --format none --out kept ";
  REQUIRE(shell.run(train + "checkpoints=1").status == 0);
  const Outcome outcome = shell.run(train + "--force start=kept/models/rope_seed_0_step_2");
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("--out kept: holds start=kept/models/rope_seed_0_step_2"));
  CHECK(fs::exists(shell.folder() / "kept/models/rope_seed_0_step_2/model.safetensors"));
  CHECK(shell
            .run("run training encoding=rope steps=2 --format none --out gone "
                 "start=kept/models/rope_seed_0_step_2")
            .status == 0);
}

TEST_CASE("A current folder that was removed is told as such, and an absolute --out needs none") {
  const Shell shell;
  const auto run = [&](const std::string& command) {
    shell.write("away.sh", "mkdir gone; here=$PWD; cd gone; rmdir ../gone\n'" +
                               std::string(cli_program()) + "' " + command +
                               " >/dev/null 2>\"$here/err.txt\"");
    const std::string line = "cd '" + shell.folder().string() + "' && sh away.sh";
    return WEXITSTATUS(std::system(line.c_str()));
  };
  for (const char* command :
       {"run rotation --format none --out r", "run rotation --format none",
        "sweep rotation --format none --out s", "plan rotation --emit slurm"}) {
    INFO(command);
    CHECK(run(command) == 4);
    CHECK_THAT(content(shell.folder() / "err.txt"),
               Contains("orrery: the current folder: cannot be used") &&
                   Contains("change to a folder that exists"));
  }
  const std::string absolute = (shell.folder() / "whole").string();
  CHECK(run("run rotation --format none --quiet --out '" + absolute + "'") == 0);
}

TEST_CASE("A file that may not grow so large is told, and nothing half-written stays") {
  const Shell shell;
  const Outcome outcome = shell.run_program("ulimit -f 40;", "run long_term_decay --out f");
  CHECK(outcome.status == 4);
  CHECK_THAT(outcome.err, Contains("cannot be written (File too large)"));
  CHECK(!std::filesystem::exists(shell.folder() / "f"));
  for (const auto& entry : std::filesystem::directory_iterator(shell.folder()))
    CHECK_THAT(entry.path().filename().string(), !Catch::Matchers::StartsWith(".f."));
}

TEST_CASE("Too little memory is told with its numbers and what to lower, and is no bug") {
  const Shell shell;
  const std::string little = "ulimit -v 400000;";
  if (shell.run_program(little, "--version").status != 0) {
    WARN("skipped: the program does not start with so little, as with AddressSanitizer");
    return;
  }
  const Outcome alone =
      shell.run_program(little, "run apply encoding=t5 positions=0..100000", ">/dev/null");
  CHECK(alone.status == 4);
  CHECK_THAT(alone.err, Contains("there is not enough memory: ") && Contains("391 MiB may be") &&
                            Contains("lower the settings") && !Contains("bug"));
  const Outcome foreseen =
      shell.run_program(little, "run long_term_decay max_distance=1000000 --out f");
  CHECK(foreseen.status == 4);
  CHECK_THAT(foreseen.err, Contains(" of memory is needed, ") &&
                               Contains("and 391 MiB may be used; lower max_distance"));
  CHECK(!std::filesystem::exists(shell.folder() / "f"));
  std::ofstream words(shell.folder() / "words.txt");
  for (int i = 0; i < 20000; ++i) words << "w ";
  words.close();
  const Outcome contents = shell.run_program(
      little, "run attention_map contents=random text=words.txt max_tokens=20000 dim=4096 --out f");
  CHECK(contents.status == 4);
  CHECK_THAT(contents.err, Contains("20000 tokens of 4096 channels: ") &&
                               Contains("and 391 MiB may be used; lower max_tokens or dim"));
  // A sweep keeps the points that have enough.
  const Outcome sweep = shell.run_program(
      little,
      "sweep long_term_decay max_distance=8,1000000 distance=1 dim=4 --threads 1 --format none "
      "--out d");
  CHECK(sweep.status == 1);
  CHECK_THAT(sweep.err, Contains("1 of 2 points done, 1 failed") &&
                            Contains("there is not enough memory") && Contains("--threads"));
  // Without room for the stack of a single further thread.
  const Outcome lonely =
      shell.run_program("ulimit -s 200000; ulimit -v 300000;",
                        "sweep rotation distance=1,2,3 --threads 4 --format svg --out e");
  CHECK(lonely.status == 0);
  CHECK(shell.run_program("ulimit -s 200000; ulimit -v 300000;", "run rotation --quiet --out f")
            .status == 0);
}
