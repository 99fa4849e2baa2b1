// Numbers at the edges, from the outside: positions at and beyond ±2^53, and numbers that overflow.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/npy_files.h"

using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

/// q.npy, k.npy and v.npy, [4, 4], of one number each.
struct EdgeShell : Shell {
  EdgeShell(double q, double k, double v) {
    const auto of = [&](const std::string& name, double value) {
      write(name + ".npy", npy("(4, 4)", std::vector<double>(16, value)));
    };
    of("q", q);
    of("k", k);
    of("v", v);
  }
  /// What `orrery attend` says on stderr; it must succeed.
  std::string said(const std::string& arguments) const {
    std::filesystem::remove_all(folder() / "out");
    const Outcome outcome = run("run attend q=q.npy k=k.npy v=v.npy " + arguments + " --out out");
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.status == 0);
    return outcome.err;
  }
  std::vector<double> array(const std::string& name) const {
    return doubles_in(folder() / "out/arrays" / (name + ".npy"));
  }
};

bool all_nan(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

const std::string linear = "encoding=none kernel=linear ";

}  // namespace

TEST_CASE("run apply and attend refuse positions beyond ±2^53 with the same words") {
  const EdgeShell shell(1, 1, 1);
  shell.write("x.npy", npy("(2, 4)", std::vector<double>(8, 1)));
  for (const std::string at :
       {"9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "99999999999999999999"})
    for (const std::string command :
         {"run apply encoding=shaw", "run apply encoding=t5", "run apply encoding=deberta",
          "run apply encoding=deberta deberta.version=v2", "run apply encoding=tupe",
          "run apply encoding=rope x=x.npy --out y.npy",
          "run apply encoding=sinusoidal x=x.npy --out y.npy", "run attend q=x.npy k=x.npy --out o",
          "run attend q=x.npy k=x.npy positions=0+1 --out o --query-"}) {
      const std::string list = command.ends_with("-") ? "positions=" : " --positions=";
      const Outcome outcome = shell.run(command + list + "0," + at);
      INFO(command << " " << at << "\n" << outcome.err);
      CHECK(outcome.status == 2);
      CHECK_THAT(outcome.err, Contains("position " + at +
                                       ": must lie within ±2^53, where fp64 holds every whole "
                                       "number; subtract a common offset"));
    }
  const Outcome range =
      shell.run("run apply encoding=t5 positions=-9223372036854775808..9223372036854775807");
  CHECK(range.status == 2);
  CHECK_THAT(range.err, Contains("position -9223372036854775808: must lie within ±2^53"));
}

TEST_CASE("apply's tables end with the farthest distances, 2^53 and 2^54") {
  const EdgeShell shell(1, 1, 1);
  const auto rows = [&](const std::string& arguments) {
    const Outcome outcome = shell.run("run apply --csv " + arguments);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    return outcome.out;
  };
  const std::string half = " positions=9007199254740992+0";
  CHECK_THAT(rows("encoding=shaw" + half), Contains(",16,0\r\n0,32,16\r\n"));
  CHECK_THAT(rows("encoding=t5" + half), Contains(",0,15\r\n0,31,0\r\n"));
  CHECK_THAT(rows("encoding=deberta" + half), Contains(",64,127\r\n0,0,64\r\n"));
  CHECK_THAT(rows("encoding=deberta deberta.version=v2" + half), Contains(",64,127\r\n0,0,64\r\n"));
  const std::string whole = " positions=-9007199254740992+9007199254740992";
  CHECK_THAT(rows("encoding=shaw" + whole), Contains(",16,32\r\n") && Contains(",0,16\r\n"));
  CHECK_THAT(rows("encoding=t5" + whole), Contains(",0,31\r\n") && Contains(",15,0\r\n"));
  CHECK_THAT(rows("encoding=tupe" + whole), Contains(",0,31\r\n") && Contains(",15,0\r\n"));
  CHECK_THAT(rows("encoding=deberta" + whole), Contains(",64,0\r\n") && Contains(",127,64\r\n"));
}

TEST_CASE("transformer_xl refuses a distance as a distance, and says which positions it is of") {
  const EdgeShell shell(1, 1, 1);
  const Outcome outcome = shell.run(
      "run attend q=q.npy k=k.npy encoding=transformer_xl "
      "positions=-9007199254740992+-9007199254740991+0+1 --out o");
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err,
             Contains("the distance -9007199254740993 between the query at -9007199254740992 and "
                      "the key at 1: must lie within ±2^53"));
}

TEST_CASE("Linear attention tells a normaliser of 0 from one that overflowed") {
  const EdgeShell positive(1e308, 1e308, 1e308);
  std::string said = positive.said(linear);
  CHECK_THAT(said, Contains("4 queries have an infinite normalizer") &&
                       Contains("4 queries have NaN or an infinity in their output, numerators or "
                                "weights") &&
                       !Contains("normalizer of 0") && !Contains("NaN normalizer"));
  CHECK(all_nan(positive.array("output")));

  const EdgeShell mixed(1e308, -1e308, 1);
  said = mixed.said(linear + "linear.feature_map=favor");
  CHECK_THAT(said, Contains("4 queries have a NaN normalizer") && !Contains("normalizer of 0") &&
                       !Contains("infinite normalizer"));
  CHECK(all_nan(mixed.array("normalizers")));
  CHECK(all_nan(mixed.array("output")));

  // Normalisers of 4 · 4, and sums of values that are infinite.
  const EdgeShell values(0, 0, 1e308);
  said = values.said(linear);
  CHECK_THAT(said, Contains("4 queries have NaN or an infinity in their output") &&
                       !Contains("normalizer"));

  const EdgeShell negative(-1, -1, 1);
  said = negative.said(linear + "linear.feature_map=relu");
  CHECK_THAT(said, Contains("4 queries have a normalizer of 0: their output is 0") &&
                       !Contains("infinite") && !Contains("NaN"));
  CHECK(negative.array("output") == std::vector<double>(16, 0));
  CHECK(EdgeShell(1, 1, 1).said(linear).empty());
}

TEST_CASE("Softmax attention tells an output that overflowed from weights that are NaN") {
  const EdgeShell values(1, 1, 1e5);
  CHECK_THAT(values.said("encoding=none precision=eager_fp16"),
             Contains("4 queries have NaN or an infinity in their output: a value, or a sum of "
                      "them, is beyond the range of its format") &&
                 !Contains("logits"));
  CHECK(values.said("encoding=none precision=eager_bf16").empty());
  const EdgeShell logits(1e308, 1e308, 1);
  CHECK_THAT(logits.said("encoding=none"),
             Contains("4 queries have NaN or +inf among their visible logits") &&
                 !Contains("in their output"));

  // A layer's output that overflows, of heads whose outputs do not.
  const EdgeShell layer(1, 1, 1e308);
  layer.write("W_o.npy", npy("(4, 1)", {1, 1, 1, 1}));
  CHECK_THAT(layer.said("encoding=none weights=x_W W_o=W_o.npy"),
             Contains("4 positions have NaN or an infinity in layer_output") &&
                 !Contains("in their output"));
}

TEST_CASE("run apply tells rows that overflowed") {
  const Shell shell;
  shell.write("x.npy", npy("(3, 2)", {1, 2, 1e308, -1e308, 3, 4}));
  Outcome outcome = shell.run("run apply encoding=rope precision=exact_fp32 x=x.npy --out a.npz");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err, Contains("1 of 3 rows hold NaN or an infinity: a number is beyond the "
                                   "range of its format"));
  outcome = shell.run("run apply encoding=rope x=x.npy --out b.npz");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
}
