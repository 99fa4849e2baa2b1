// The command line, from the outside: what it prints, where, and with which exit status.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/cli/shell.h"
#include "tests/support/approved_file.h"
#include "tests/support/paths.h"
#include "tests/support/sampled.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
namespace fs = std::filesystem;

namespace {

nlohmann::json manifest_in(const fs::path& folder) {
  return nlohmann::json::parse(content(folder / "manifest.json"));
}

}  // namespace

TEST_CASE("list and describe print what is approved") {
  const Shell shell;
  const std::string list = shell.run("list").out, others = list.substr(list.find("Encodings\n"));
  CHECK(others == approved_file("cli/list.txt", others));
  const std::string rope = shell.run("describe rope --all").out;
  CHECK(rope == approved_file("cli/describe_rope.txt", rope));
  const std::string whole = shell.run("describe long_term_decay --all").out;
  CHECK(whole == approved_file("cli/describe_long_term_decay.txt", whole));
  const std::string brief = shell.run("describe long_term_decay").out;
  CHECK(brief == approved_file("cli/describe_briefly.txt", brief));
  for (const char* name : {"long_term_decay", "rope", "axis_rope", "deberta", "none"}) {
    const std::string screen = shell.run(std::string("describe ") + name).out;
    INFO(screen);
    CHECK(std::count(screen.begin(), screen.end(), '\n') <= (screen.starts_with("long") ? 25 : 28));
    CHECK_THAT(screen, Contains("orrery describe " + std::string(name) + " --all"));
  }
}

TEST_CASE("list and describe speak JSON") {
  const Shell shell;
  const auto list = nlohmann::json::parse(shell.run("list --json").out);
  CHECK(list.at("experiments").at(0).at("name") == "score_spectrogram");
  const std::string as_text = shell.run("list").out;
  for (const auto& experiment : list.at("experiments"))
    CHECK_THAT(as_text, Contains(experiment.at("question").get<std::string>()));
  CHECK(list.at("encodings").at(2).at("doors").at(0) == "qk_transform");
  const auto described = nlohmann::json::parse(shell.run("describe attention_map --json").out);
  CHECK(described.at("params").size() > 10);
  CHECK(nlohmann::json::parse(shell.run("describe alibi --json").out).at("label") == "ALiBi");
}

TEST_CASE("describe --json gives each parameter its kind, and all that valid values need") {
  const Shell shell;
  const auto list = nlohmann::json::parse(shell.run("list --json").out);
  std::set<std::string> kinds;
  for (const auto& experiment : list.at("experiments")) {
    const std::string name = experiment.at("name");
    const auto described = nlohmann::json::parse(shell.run("describe " + name + " --json").out);
    for (const auto& param : described.at("params")) {
      INFO(name << " " << param.at("key"));
      const std::string kind = param.at("kind");
      kinds.insert(kind);
      if (kind == "integer" || kind == "real") {
        CHECK(param.at("min").is_number());
        CHECK(param.at("max").is_number());
        CHECK(param.at("logarithmic").is_boolean());
      }
      if (kind == "integer") CHECK(param.at("multiple_of").get<int>() >= 1);
      if (kind.starts_with("choice")) CHECK_FALSE(param.at("choices").empty());
      if (kind == "choice_list") CHECK(param.at("may_be_empty").is_boolean());
      if (kind == "file") CHECK_FALSE(param.at("file_types").empty());
    }
  }
  CHECK(kinds == std::set<std::string>{"boolean", "choice", "choice_list", "file", "integer",
                                       "number_list", "real", "text"});
  const std::string help = shell.run("describe --help").out;
  for (const std::string& kind : kinds) CHECK_THAT(help, Contains("\n  " + kind + " "));
}

TEST_CASE(
    "run prints the numbers on stdout, talks on stderr and writes figures, tables, manifest") {
  const Shell shell;
  const Outcome outcome = shell.run("run long_term_decay dim=128 base=10000 --out r");
  CHECK(outcome.status == 0);
  for (const char* line : {"mean_abs_S_at_0    32.500000", "mean_abs_S_at_1    31.538166",
                           "mean_abs_S_at_10   17.954137", "mean_abs_S_at_100  10.227330"})
    CHECK_THAT(outcome.out, Contains(line));
  CHECK_THAT(outcome.err, Contains("wrote ") && Contains(" files to r/"));
  for (const char* file :
       {"manifest.json", "result.json", "tables/decay.csv", "figures/decay_bound.svg",
        "figures/decay_bound.png", "figures/decay_bound.pdf", "figures/decay_bound.csv"})
    CHECK(fs::file_size(shell.folder() / "r" / file) > 0);
  CHECK_THAT(content(shell.folder() / "r/tables/decay.csv"), Contains("\r\n1,31.53816614265808"));
}

TEST_CASE("attention_map of a text file writes maps, arrays and where the text came from") {
  const Shell shell;
  shell.write("note.md", "Der Mond und die Sonne und der Mond. 太阳和月亮。");
  const Outcome outcome =
      shell.run("run attention_map contents=random --text note.md encoding=rope --out map");
  CHECK(outcome.status == 0);
  CHECK(fs::exists(shell.folder() / "map/arrays/weights_rope.npy"));
  CHECK(fs::exists(shell.folder() / "map/figures/weights_rope.png"));
  const auto manifest = manifest_in(shell.folder() / "map");
  CHECK(manifest.dump().find("\"note.md\"") != std::string::npos);
  CHECK(content(shell.folder() / "map/tables/queries.csv").find("太阳") != std::string::npos);
}

TEST_CASE("--json prints the whole result and nothing else on stdout") {
  const Shell shell;
  const auto one = nlohmann::json::parse(shell.run("run relative_invariance --json tokens=8").out);
  CHECK(one.at("schema") == "orrery.result/1");
  const auto four =
      nlohmann::json::parse(shell.run("run long_term_decay dim=8,16 base=1e4,5e5 --json").out);
  REQUIRE(four.size() == 4);
  CHECK(four[1].at("provenance").at("params").at("base") == 500000);
}

TEST_CASE("verify walks the paper, every claim holds, and says so as text and as JSON") {
  if (!is_tried(3)) return;
  const Shell shell;
  const Outcome outcome = shell.run("verify");
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("FAILS") == std::string::npos);
  for (const char* equation : {"(2)", "(10)", "(16)", "(19)", "(34)", "(37)"})
    CHECK_THAT(outcome.out, Contains(equation));
  for (const char* heading :
       {"Equations as RoFormer prints them", "Equations as the cited papers print them",
        "Properties", "Notes: misprints and differences"})
    CHECK_THAT(outcome.out, Contains(heading));
  CHECK_THAT(outcome.out,
             Contains("488 of 488 claims hold; 16 notes (seed 0, 4 draws at each size)"));
  CHECK(shell.run("verify --draws 1 --only deberta_buckets --quiet").out.empty());
  CHECK(shell.run("verify --only nothing-like-it").status == 2);
  CHECK(shell.run("verify --draws 0").status == 2);
}

TEST_CASE("verify tells four kinds apart in JSON, and gives a note no verdict") {
  if (!is_tried(5)) return;
  const Shell shell;
  std::map<std::string, int> kinds;
  for (const auto& claim : nlohmann::json::parse(shell.run("verify --draws 1 --json").out)) {
    ++kinds[claim.at("kind").get<std::string>()];
    INFO(claim.at("name"));
    CHECK(claim.contains("holds") == (claim.at("kind") != "note"));
    CHECK(claim.contains("bound") == (claim.at("kind") != "note"));
    CHECK_FALSE(claim.at("source").get<std::string>().empty());
    if (claim.at("kind") == "cited")
      CHECK(claim.contains("roformer_differs") ==
            (claim.at("source") != "Learned positions: Gehring et al. 2017, BERT"));
  }
  CHECK(kinds.size() == 4);
  CHECK(kinds.at("note") == 16);
  const auto claims = nlohmann::json::parse(shell.run("verify --only deberta_buckets --json").out);
  REQUIRE(claims.size() == 2);
  CHECK(claims[0].at("holds") == true);
  CHECK(claims[0].at("relation") == "equals");
}

TEST_CASE("Lists of values are crossed, one folder a point, named by its configuration") {
  const Shell shell;
  CHECK(shell.run("run long_term_decay dim=8,16 base=1e4,5e5 --out sweep --format none").status ==
        0);
  CHECK(std::distance(fs::directory_iterator(shell.folder() / "sweep"), {}) == 4);
}

TEST_CASE("The same configuration gives the same bytes and the same folder") {
  const Shell shell;
  CHECK(shell.run("run attention_map contents=random seed=3").status == 0);
  const auto folder = fs::directory_iterator(shell.folder() / "orrery-results")->path();
  const std::string first = content(folder / "result.json") +
                            content(folder / "figures/weights_rope.svg") +
                            content(folder / "arrays/weights_rope.npy");
  CHECK(shell.run("run attention_map contents=random seed=3").status == 0);
  CHECK(std::distance(fs::directory_iterator(folder.parent_path()), {}) == 1);
  CHECK(first == content(folder / "result.json") + content(folder / "figures/weights_rope.svg") +
                     content(folder / "arrays/weights_rope.npy"));
}

TEST_CASE("A run prints what was found in twelve lines at most, and all of it when asked") {
  const Shell shell;
  const std::string words = "run relative_invariance tokens=8 max_shift=64 --format none --out ";
  const Outcome brief = shell.run(words + "brief"), all = shell.run(words + "all --all");
  const auto lines = [](const Outcome& outcome) {
    return std::count(outcome.out.begin(), outcome.out.end(), '\n');
  };
  CHECK(lines(brief) == 12);
  CHECK_THAT(brief.out, Contains("\n  Shifted, ALiBi keeps its logits exactly") &&
                            Contains("\n  … and 13 more numbers: --all\n") &&
                            Contains("\n  9 checks hold\n"));
  CHECK(lines(all) == 2 + 21 + 9);
  CHECK_THAT(all.out, Contains("holds  RoPE in exact depends on m − n only"));
}

TEST_CASE("A failed check is said and gives status 1") {
  const Shell shell;
  // fp16 has no number for such positions: they become infinite, and their distances NaN.
  const Outcome outcome = shell.run(
      "run attention_map encoding=kerple stage.position=fp16 first_position=700000000000 --out r");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Contains("FAILS  KERPLE: the weights of each query sum to 1"));
  CHECK(fs::exists(shell.folder() / "r/manifest.json"));
}

TEST_CASE("Wrong words end with status 2, and name value, rule and remedy") {
  const Shell shell;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"run long_term_decay dim=63", "dim=63: must be even; try dim=62 or dim=64"},
      {"run long_term_decay dim=0", "dim=0: must lie in [2, 4096]; try dim=2"},
      {"run long_term_decay dmi=64", "dmi: is not a parameter here; did you mean dim?"},
      {"run long_term_decay --bsae 1", "bsae: is not a parameter here; did you mean base?"},
      {"run long_term_decay base=abc", "base=abc: must be a number"},
      {"run long_term_decay base=nan", "base=nan: must lie in"},
      {"run long_term_decay dim=64 dim=32", "dim=32: sets the same key again"},
      {"run long_term_decay dim", "dim: is not of the form key=value"},
      {"run long_term_decay --dim", "--dim: needs a value"},
      {"run long_term_decay encoding=rpoe", "did you mean encoding=rope?"},
      {"run long_term_decay encoding=alibi rope.pairing=half_split",
       "is read only when encoding is rope"},
      {"run long_term_decay draws=9", "is read only when assumption is equal or random"},
      {"run linear_attention dim=8 q=q.npy",
       "dim=8: is read only when q is not given, and q=q.npy; leave dim or q out"},
      {"run long_term_deacy",
       "long_term_deacy: is neither an experiment, a preset nor a .toml file; did "
       "you mean "
       "long_term_decay?"},
      {"describe rpoe",
       "rpoe: is neither an experiment, an encoding nor a preset; did you mean rope?"},
      {"run attention_map head=8", "head=8: must be below heads=8"},
      {"run attention_map contents=random rope.fraction=0.3 dim=10", "turns 3 channels"},
      {"run long_term_decay --format gif", "gif"},
      {"rnu long_term_decay", "rnu: is not a command; did you mean run?"},
      {"", "subcommand"}};
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = shell.run(arguments);
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(message));
    CHECK(outcome.out.empty());
  }
  CHECK_FALSE(fs::exists(shell.folder() / "orrery-results"));
}

TEST_CASE("Wrong files end with status 3 or 4, and name value, rule and remedy") {
  const Shell shell;
  shell.write("empty.txt", "");
  shell.write("latin1.txt", "caf\xe9");
  shell.write("bad.npy", "\x93NUMPY");
  fs::create_directory(shell.folder() / "folder");
  fs::copy_file(tests_folder() + "/golden/npy/object.npy", shell.folder() / "object.npy");
  const std::vector<std::tuple<std::string, int, std::string>> cases{
      {"text=empty.txt", 3, "text=empty.txt"},      {"text=latin1.txt", 3, "text=latin1.txt"},
      {"text=missing.txt", 4, "text=missing.txt"},  {"text=folder", 4, "text=folder"},
      {"q=bad.npy k=bad.npy", 3, "q=bad.npy"},      {"q=object.npy k=object.npy", 3, "object"},
      {"q=empty.txt k=empty.txt", 2, "q=empty.txt"}};
  for (const auto& [arguments, status, message] : cases) {
    const Outcome outcome = shell.run("run attention_map " + arguments);
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains(message));
  }
}

TEST_CASE("A folder of somebody else is not overwritten") {
  const Shell shell;
  fs::create_directory(shell.folder() / "mine");
  shell.write("mine/thesis.tex", "years of work");
  const Outcome outcome = shell.run("run long_term_decay --out mine");
  CHECK(outcome.status == 4);
  CHECK_THAT(outcome.err, Contains("mine"));
  CHECK(content(shell.folder() / "mine/thesis.tex") == "years of work");
}

TEST_CASE("A full or closed standard output is status 4, and the result is written all the same") {
  const Shell shell;
  CHECK(shell.run("run long_term_decay --out r", ">/dev/full").status == 4);
  CHECK(fs::exists(shell.folder() / "r/manifest.json"));
  CHECK(shell.run("list", ">&-").status == 4);
}

TEST_CASE("Colours and progress stay away from pipes") {
  const Shell shell;
  const Outcome outcome = shell.run("run long_term_decay max_distance=50000");
  CHECK(outcome.out.find('\033') == std::string::npos);
  CHECK(outcome.err.find('\r') == std::string::npos);
  CHECK(shell.run("run long_term_decay --quiet").out.empty());
}

TEST_CASE("Locale and time zone change no byte of a result") {
  const Shell shell;
  CHECK(shell.run("run long_term_decay --out a --quiet").status == 0);
  const std::string plain =
      content(shell.folder() / "a/result.json") + content(shell.folder() / "a/tables/decay.csv");
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  setenv("TZ", "Asia/Tokyo", 1);
  CHECK(shell.run("run long_term_decay --out b --quiet").status == 0);
  unsetenv("LC_ALL");
  unsetenv("TZ");
  CHECK(plain ==
        content(shell.folder() / "b/result.json") + content(shell.folder() / "b/tables/decay.csv"));
}

TEST_CASE("Without any font a run says which package is missing") {
  const Shell shell;
  shell.write("no_fonts.conf", "<fontconfig><dir>/nowhere</dir></fontconfig>");
  setenv("FONTCONFIG_FILE", (shell.folder() / "no_fonts.conf").c_str(), 1);
  const Outcome outcome = shell.run("run long_term_decay --out r --quiet --format svg");
  unsetenv("FONTCONFIG_FILE");
  CHECK(outcome.status == 4);
  CHECK_THAT(outcome.err, Contains("DejaVu Sans: is not installed") &&
                              Contains("apt install fonts-dejavu-core"));
  CHECK_FALSE(fs::exists(shell.folder() / "r"));
}

TEST_CASE("Help and version go to stdout with status 0") {
  const Shell shell;
  CHECK_THAT(shell.run("--version").out, Contains("orrery 0."));
  for (const char* command : {"", "list ", "describe ", "run ", "verify "}) {
    const Outcome outcome = shell.run(std::string(command) + "--help");
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.out, Contains("xample"));
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("Before or after the command, -q leaves only errors and -v adds what takes how long") {
  const Shell shell;
  for (const char* command :
       {"-q run rotation --format none --out r", "redraw r -q --format svg", "report r --quiet",
        "sweep rotation distance=1,2 -q --format none --out d --shard 1/1", "merge d -q"}) {
    INFO(command);
    const Outcome outcome = shell.run(command);
    CHECK(outcome.status == 0);
    CHECK(outcome.out + outcome.err == "");
  }
  CHECK_THAT(shell.run("run rotation -v --format none --out r").err,
             Contains("computed in") && Contains("drew and wrote in"));
  CHECK_THAT(shell.run("sweep rotation distance=3,4 --verbose --format none --out v").err,
             Contains("done ") && Contains("distance=4\n"));
  CHECK(shell.run("run rotation").err.find("computed in") == std::string::npos);
}

TEST_CASE("A terminal that knows no escape sequences gets none") {
  const Shell shell;
  if (std::system("script -qec true /dev/null </dev/null >/dev/null 2>&1") != 0) {
    WARN("script is not installed or gets no terminal: none was tried");
    return;
  }
  const auto said = [&](const std::string& terminal) {
    shell.write("sweep.sh", std::string("exec '") + cli_program() +
                                "' sweep rotation distance=1,2 --format none --out d" + terminal);
    const std::string line = "cd '" + shell.folder().string() + "' && TERM=" + terminal +
                             " script -qec 'sh sweep.sh' /dev/null </dev/null >said.txt";
    REQUIRE(std::system(line.c_str()) == 0);
    return content(shell.folder() / "said.txt");
  };
  CHECK_THAT(said("xterm"), Contains("\033[K"));
  CHECK_THAT(said("dumb"), Contains("2 of 2 points done") && !Contains("\033"));
}

TEST_CASE("run heads its numbers with what was typed, also where that is the default") {
  const Shell shell;
  const std::string run = "run long_term_decay --format none max_distance=6 ";
  const auto heading = [&](const std::string& words) {
    const std::string out = shell.run(run + words + " --force --out r").out;
    return out.substr(0, out.find('\n'));
  };
  CHECK(heading("dim=128 base=1e4") == "long_term_decay max_distance=6 dim=128 base=10000");
  CHECK(heading("") == "long_term_decay max_distance=6");
  const std::string both = shell.run(run + "dim=64,128 --out s").out;
  CHECK_THAT(both, Contains("long_term_decay max_distance=6 dim=64\n") &&
                       Contains("long_term_decay max_distance=6 dim=128\n"));
}
