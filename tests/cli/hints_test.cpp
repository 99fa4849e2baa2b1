// What the command line answers to words of papers, of other programs and of other commands.
#include <catch2/catch.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/cli/npy_files.h"
#include "tests/cli/shell.h"

using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

void check_hints(const Shell& shell,
                 const std::vector<std::tuple<std::string, int, std::string>>& cases) {
  for (const auto& [words, status, said] : cases) {
    const Outcome outcome = shell.run(words);
    INFO(words << "\n" << outcome.err);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains(said));
    CHECK(outcome.out.empty());
  }
}

}  // namespace

TEST_CASE("Encodings and scalings are known by the names that papers give them") {
  const std::string decay = "run long_term_decay ";
  check_hints(
      Shell(),
      {{decay + "encoding=RoPE", 2,
        "encoding=RoPE: is not an encoding; did you mean encoding=rope?"},
       {decay + "encoding=rotary", 2, "did you mean encoding=rope?"},
       {decay + "encoding=alibi+Rotary", 2, "did you mean encoding=rope?"},
       {decay + "encoding=yarn", 2, "did you mean encoding=rope rope.scaling=yarn?"},
       {"run rope", 2,
        "rope: is an encoding, rope; orrery describe rope explains it, and orrery run "
        "long_term_decay encoding=rope"},
       {"describe yarn", 2, "yarn: is a choice of rope.scaling; orrery describe rope explains it"},
       {"describe base", 2, "base: is a parameter of sinusoidal, "},
       {"describe base", 2, "; orrery describe rope explains it"},
       {"describe pairing", 2, "pairing: is rope.pairing, a parameter of rope"},
       {"help rope", 2, "rope: is an encoding; orrery describe rope explains it"},
       {"describe rope.scaling", 2,
        "is a parameter of rope and axis_rope; orrery describe rope explains it"}});
}

TEST_CASE("A parameter or an option of something else is told whose it is") {
  const std::string decay = "run long_term_decay ";
  check_hints(
      Shell(),
      {{decay + "factor=4 rope.scaling=yarn", 2,
        "factor: is not a parameter here; did you mean rope.factor?"},
       {decay + "--repeats 3", 2, "--repeats: is not an option of run; sweep and plan have it"},
       {decay + "--threads 2", 2, "--threads: is not an option of run; sweep and resume have it"},
       {decay + "precision=eager_bf16", 2,
        "precision: is not a parameter of long_term_decay; it is one of "},
       {"run attention_map mask=causal", 2, "did you mean causal=true?"}});
}

TEST_CASE("Words without a key, ranges and lessons are told how they are written") {
  const Shell shell;
  shell.write("q.npy", npy("(2, 4)", std::vector<double>(8, 1)));
  check_hints(
      shell, {{"run rotation -o y", 2, "-o: is not an option; did you mean --out?"},
              {"run rotation --output y", 2, "--output: is not an option; did you mean --out?"},
              {"run long_term_decay yarn", 2, "did you mean rope.scaling=yarn?"},
              {"run apply rope q.npy", 2,
               "rope: is not of the form key=value; did you mean encoding=rope?"},
              {"run apply encoding=rope q.npy", 2, "did you mean x=q.npy?"},
              {"run attention_map 'Hello world'", 2, "did you mean text=\"Hello world\"?"},
              {"run rotation dim=64..128", 2,
               "dim=64..128: is not one value; orrery sweep takes several: dim=range(64,128,STEP)"},
              {"sweep rotation dim=64:128:32 --out s", 2, "dim=range(64,128,32)"},
              {"run long_term_decay max_len=5", 2, "did you mean max_distance?"},
              {"run rotation colour=5", 2,
               "is not a parameter of rotation; orrery describe rotation lists them: content, "},
              {"lesson 7", 2, "7: is a lesson; orrery lesson play 7 opens it"},
              {"lesson print roatation --out l", 2,
               "roatation: is not a lesson; did you mean rotation?"}});
}

TEST_CASE("A folder of results and a manifest are told apart from what can be run") {
  const Shell shell;
  REQUIRE(shell.run("run rotation dim=16 --format none --quiet --out turns").status == 0);
  REQUIRE(shell.run("sweep rotation dim=8,16 --format none --quiet --out sizes").status == 0);
  check_hints(
      shell,
      {{"run turns", 2, "turns: is the folder of a result; orrery redraw turns draws it again"},
       {"plan turns", 2, "turns: is the folder of a result"},
       {"sweep sizes", 2, "sizes: is the folder of a sweep; orrery resume sizes computes"},
       {"run sizes/manifest.json", 2, "sizes: is the folder of a sweep"},
       {"run turns/manifest.json", 2, "turns/manifest.json: says how a result was made"}});
  const std::string said = shell.run("run turns/manifest.json").err;
  const std::size_t at = said.find("make it again with orrery ");
  REQUIRE(at != std::string::npos);
  const std::string again = said.substr(at + 26, said.find('\n', at) - at - 26);
  CHECK(shell.run(again + " --format none --quiet --out again").status == 0);
  CHECK(content(shell.folder() / "again/result.json") ==
        content(shell.folder() / "turns/result.json"));
}

TEST_CASE("Lists and numbers in the forms of other programs are told the form here") {
  const std::string decay = "run long_term_decay ";
  check_hints(Shell(), {{decay + "'dim=[64,128]'", 2, "write dim=64,128"},
                        {decay + "'encoding=[rope,alibi]'", 2,
                         "write encoding=rope,alibi, or rope+alibi for all"},
                        {decay + "base=10,000", 2, "write the number without commas, base=10000"},
                        {decay + "'base=logspace(1e3,1e6,4)'", 2,
                         "takes exponents: its numbers are 10^1000 to 10^1000000; write "
                         "base=geomspace(1000, 1000000, 4)"}});
}

TEST_CASE("run attend says how a mask and heads are given") {
  const Shell shell;
  for (const char* name : {"q.npy", "k.npy"})
    shell.write(name, npy("(2, 4)", std::vector<double>(8, 1)));
  check_hints(shell, {{"run attend q=q.npy k=k.npy mask=causal --out a", 2,
                       "mask=causal: names no file of a mask; write causal=true"},
                      {"run attend q=q.npy k=k.npy encoding=alibi head=3 --out a", 2, "heads=8"}});
}

TEST_CASE("A model's name is told apart from a file, with where its configuration is") {
  for (const char* words : {"run long_term_decay model=", "run model_layers model="})
    check_hints(Shell(),
                {{std::string(words) + "gpt2", 4,
                  "gpt2: is neither a file nor a folder here, and models are not looked up "
                  "by name; give the model's config.json"},
                 {std::string(words) + "meta-llama/Llama-3.1-8B", 4,
                  "hub/models--meta-llama--Llama-3.1-8B/snapshots"}});
}

TEST_CASE("Options in place of commands, and the reverse, are told so") {
  check_hints(Shell(), {{"--verison", 2, "did you mean --version?"},
                        {"version", 2, "version: is not a command; did you mean --version?"},
                        {"families", 2,
                         "families: is part of list and no command; type orrery list families"},
                        {"tag turns paper", 2,
                         "tag: is part of note and no command; type orrery "
                         "note DIR --tag TAG"},
                        {"--jsno list", 2, "--jsno: is not an option before a command"}});
}

TEST_CASE("A figure without curves at some setting is told which settings there are") {
  const Shell shell;
  REQUIRE(shell
              .run("sweep long_term_decay base=1e3,1e4 max_distance=8 distance=1 --format none "
                   "--quiet --out bases")
              .status == 0);
  const Outcome outcome = shell.run("plot bases figure=decay_bound base=7");
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, !Contains("did you mean decay_bound"));
  CHECK_THAT(outcome.err, Contains("1000, 10000"));
}
