// attend and apply, from the outside, on arrays as NumPy writes them.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/cli/npy_files.h"
#include "tests/cli/shell.h"
#include "tests/support/paths.h"

using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

std::vector<double> flat(const nlohmann::json& rows) {
  std::vector<double> values;
  for (const auto& row : rows)
    for (const auto& value : row) values.push_back(value.get<double>());
  return values;
}

/// The inputs and expected numbers of tests/golden/generate_encodings.py, as files.
struct GoldenShell : Shell {
  nlohmann::json json = nlohmann::json::parse(content(tests_folder() + "/golden/encodings.json"));
  GoldenShell() {
    for (const auto& [name, rows] : json.at("inputs").items())
      write(name + ".npy",
            npy("(" + std::to_string(rows.size()) + ", " + std::to_string(rows.at(0).size()) + ")",
                flat(rows)));
  }
  std::vector<double> array(const std::string& name) const {
    return doubles_in(folder() / "out/arrays" / (name + ".npy"));
  }
  void check(const std::string& name, const std::string& arguments) const {
    INFO(name);
    const Outcome outcome =
        run("run attend q=q.npy k=k.npy v=v.npy positions=0+1+2+5+9 "
            "query_positions=0+1+2+5+9 heads=2 head=1 d_model=6 --force --out out " +
            arguments);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    const auto& expected = json.at("cases").at(name);
    CHECK(close(array("logits"), flat(expected.at("logits"))));
    CHECK(close(array("weights"), flat(expected.at("full").at("weights"))));
    CHECK(close(array("output"), flat(expected.at("full").at("output"))));
    for (const auto& [term, rows] : expected.at("terms").items())
      CHECK(close(array("term_" + term), flat(rows)));
  }
};

std::string tables(std::initializer_list<const char*> names) {
  std::string words;
  for (const std::string name : names) words += name + "=" + name + ".npy ";
  return words;
}

}  // namespace

TEST_CASE("run attend gives NumPy's numbers for the user's own arrays and tables") {
  const GoldenShell shell;
  shell.check("shaw keys_and_values",
              "encoding=shaw shaw.clip=3 " + tables({"shaw.key_table", "shaw.value_table"}));
  shell.check("t5 bidirectional", "encoding=t5 " + tables({"t5.table"}));
  shell.check("transformer_xl",
              "encoding=transformer_xl weights=x_W " +
                  tables({"transformer_xl.u", "transformer_xl.v", "transformer_xl.W_kR"}));
  const auto& w = shell.json.at("inputs").at("transformer_xl.W_kR");
  std::vector<double> transposed;
  for (std::size_t c = 0; c < w.at(0).size(); ++c)
    for (const auto& row : w) transposed.push_back(row.at(c).get<double>());
  shell.write("linear.npy", npy("(8, 6)", transposed));
  shell.check("transformer_xl", "encoding=transformer_xl weights=torch_linear " +
                                    tables({"transformer_xl.u", "transformer_xl.v"}) +
                                    "transformer_xl.W_kR=linear.npy");
  shell.check("deberta v1 code", "encoding=deberta deberta.span=3 deberta.p2c=code weights=x_W " +
                                     tables({"deberta.table", "deberta.W_qr", "deberta.W_kr"}));
}

TEST_CASE("run attend writes one .npz or .safetensors, which it and apply read back by name") {
  const GoldenShell shell;
  for (const char* file : {"first.npz", "first.safetensors"}) {
    INFO(file);
    const std::string out(file);
    Outcome outcome = shell.run("run attend q=q.npy k=k.npy v=v.npy encoding=none --out " + out);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.err, Contains(out + "#logits  [5, 5]"));
    outcome = shell.run("run attend q=" + out + "#output k=k.npy encoding=none --out again" + out);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(shell.run("run attend q=" + out + " k=k.npy encoding=none --out x.npz").status != 0);
    CHECK_THAT(shell.run("run attend q=" + out + "#outptu k=k.npy --out x.npz").err,
               Contains("output"));
    CHECK(shell.run("run attend q=q.npy k=k.npy encoding=none --out " + out).status == 4);
  }
  // A file of tables by their own names.
  CHECK(shell.run("run attend q=q.npy k=k.npy encoding=t5 t5.table=first.npz#weights --out y.npz")
            .status == 2);
}

TEST_CASE("run attend takes whole layers, with fewer key heads than query heads") {
  const Shell shell;
  shell.write("q.npy", npy("(2, 1, 2)", {1, 0, 0, 5}));
  shell.write("k.npy", npy("(1, 1, 2)", {1, 1}));
  const Outcome outcome = shell.run("run attend q=q.npy k=k.npy encoding=none --out out");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err, Contains("out/arrays/logits.npy  [2, 1, 1]"));
  CHECK(close(doubles_in(shell.folder() / "out/arrays/logits.npy"),
              {1 / std::sqrt(2.0), 5 / std::sqrt(2.0)}));
}

TEST_CASE("run attend from contents adds what acts on the input") {
  const Shell shell;
  shell.write("x.npy", npy("(2, 2)", {0, 0, 0, 0}));
  CHECK(shell.run("run attend x=x.npy encoding=sinusoidal --out out").status == 0);
  // p_0·p_1 = cos 1 for d = 2.
  CHECK(close(doubles_in(shell.folder() / "out/arrays/logits.npy"),
              {1 / std::sqrt(2.0), std::cos(1.0) / std::sqrt(2.0), std::cos(1.0) / std::sqrt(2.0),
               1 / std::sqrt(2.0)}));
}

TEST_CASE("run attend computes linear attention, as explicit double sums do") {
  const Shell shell;
  const auto json = nlohmann::json::parse(content(tests_folder() + "/golden/linear.json"));
  for (const char* name : {"q", "k", "v"})
    shell.write(
        std::string(name) + ".npy",
        npy("(5, " + std::to_string(json.at(name).at(0).size()) + ")", flat(json.at(name))));
  const auto output = [&](const std::string& arguments) {
    std::filesystem::remove_all(shell.folder() / "out");
    const Outcome outcome = shell.run(
        "run attend kernel=linear q=q.npy k=k.npy v=v.npy positions=0+1+2+5+9 "
        "query_positions=0+1+2+5+9 --out out " +
        arguments);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    return doubles_in(shell.folder() / "out/arrays/output.npy");
  };
  const auto expected = [&](const char* name) { return flat(json.at("cases").at(name)); };
  CHECK(close(output(""), expected("elu paper full")));
  CHECK(close(output("causal=true"), expected("elu paper causal")));
  CHECK(close(output("encoding=none"), expected("elu plain full")));
  CHECK(close(output("linear.variant=both_rotated"), expected("elu both_rotated full")));
  CHECK(close(output("linear.variant=rotated_before_features causal=true"),
              expected("elu rotated_before_features causal")));
  CHECK(close(output("linear.feature_map=relu"), expected("relu paper full")));
  CHECK(close(output("linear.epsilon=0.5"), expected("elu paper full eps")));
}

TEST_CASE(
    "attend's linear weights give its output, and their rows sum to numerator over normaliser") {
  const Shell shell;
  shell.write("q.npy", npy("(2, 2, 2)", {1, 2, -1, 0.5, 0, 1, 2, -1}));
  shell.write("k.npy", npy("(1, 2, 2)", {0.5, -1, 1, 1}));
  shell.write("v.npy", npy("(1, 2, 1)", {3, -2}));
  const Outcome outcome = shell.run(
      "run attend kernel=linear linear.feature_map=favor linear.weights=true q=q.npy k=k.npy "
      "v=v.npy --out out");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err, Contains("numerators.npy  [2, 2]"));
  const auto array = [&](const char* name) {
    return doubles_in(shell.folder() / "out/arrays" / (std::string(name) + ".npy"));
  };
  const auto weights = array("weights"), out = array("output"), above = array("numerators"),
             below = array("normalizers");
  REQUIRE(weights.size() == 8);
  for (std::size_t row = 0; row < 4; ++row) {
    CHECK(out[row] == Approx(3 * weights[2 * row] - 2 * weights[2 * row + 1]));
    CHECK(above[row] / below[row] == Approx(weights[2 * row] + weights[2 * row + 1]));
  }
}

TEST_CASE("run attend takes any mask, and an output projection") {
  const Shell shell;
  shell.write("q.npy", npy("(2, 1, 2)", {1, 0, 0, 5}));
  shell.write("k.npy", npy("(1, 2, 2)", {1, 1, 2, 2}));
  shell.write("v.npy", npy("(1, 2, 1)", {3, 7}));
  shell.write("mask.npy", npy("(1, 2)", {0, 1}));
  shell.write("W_o.npy", npy("(2, 1)", {10, 1}));
  const Outcome outcome = shell.run(
      "run attend q=q.npy k=k.npy v=v.npy mask=mask.npy encoding=none weights=x_W W_o=W_o.npy "
      "--out out");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(doubles_in(shell.folder() / "out/arrays/weights.npy") == std::vector<double>{0, 1, 0, 1});
  CHECK(doubles_in(shell.folder() / "out/arrays/layer_output.npy") == std::vector<double>{77});
}

TEST_CASE("run attend from contents shares key heads as W_k and W_v have them") {
  const Shell shell;
  shell.write("x.npy", npy("(1, 2)", {1, 2}));
  shell.write("W_q.npy", npy("(2, 4)", {1, 2, 3, 4, 0, 0, 0, 0}));
  shell.write("W_k.npy", npy("(2, 2)", {10, 100, 0, 0}));
  shell.write("W_v.npy", npy("(2, 2)", {0, 0, 1, 5}));
  const Outcome outcome = shell.run(
      "run attend x=x.npy encoding=none heads=4 weights=x_W W_q=W_q.npy W_k=W_k.npy "
      "W_v=W_v.npy --out out");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(doubles_in(shell.folder() / "out/arrays/logits.npy") ==
        std::vector<double>{10, 20, 300, 400});
  CHECK(doubles_in(shell.folder() / "out/arrays/output.npy") == std::vector<double>{2, 2, 10, 10});
}

TEST_CASE("Of a whole file of tables those that are read are taken, and the rest is not decoded") {
  const Shell shell;
  shell.write("q.npy", npy("(1, 1)", {1}));
  // F64 [3, 1], and a scalar, which no table is.
  const std::string header =
      R"({"shaw.key_table":{"dtype":"F64","shape":[3,1],"data_offsets":[0,24]},)"
      R"("shaw.value_table":{"dtype":"F64","shape":[3,1],"data_offsets":[24,48]},)"
      R"("step":{"dtype":"F64","shape":[],"data_offsets":[48,56]}})";
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> 8 * i & 0xFF);
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7};
  file += header + std::string(reinterpret_cast<const char*>(values.data()), 56);
  shell.write("model.safetensors", file);
  const std::string attend = "run attend q=q.npy k=q.npy encoding=shaw shaw.clip=1 ";
  Outcome outcome = shell.run(attend + "tables=model.safetensors --out out");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err, Contains("model.safetensors: read 2 of 3 tensors; step and"));
  CHECK(doubles_in(shell.folder() / "out/arrays/logits.npy") == std::vector<double>{1 + 2});
  outcome = shell.run(attend + "step=model.safetensors#step --out other");
  CHECK(outcome.status != 0);
  outcome =
      shell.run("run attend q=q.npy k=q.npy encoding=alibi tables=model.safetensors --out other");
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("contains no table that is read here"));
  std::string slip = file;
  slip.replace(slip.find("key_table"), 9, "key_tabel");
  shell.write("slip.safetensors", slip);
  outcome = shell.run(attend + "tables=slip.safetensors --out other");
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("did you mean shaw.key_table?"));
}

TEST_CASE(
    "By hand: linear attention of contents with sinusoids, elu + 1 of (0, 1) and (sin 1, cos 1)") {
  const Shell shell;
  shell.write("x.npy", npy("(2, 2)", {0, 0, 0, 0}));
  CHECK(shell.run("run attend x=x.npy kernel=linear encoding=sinusoidal --out out").status == 0);
  const double a = std::sin(1.0), b = std::cos(1.0);
  const double here = 1 + 4, there = (1 + a) + 2 * (1 + b);
  const auto output = doubles_in(shell.folder() / "out/arrays/output.npy");
  CHECK(output[0] == Approx(there * a / (here + there)));
  CHECK(output[1] == Approx((here + there * b) / (here + there)));
}

TEST_CASE("run apply turns vectors at their positions, as the reference does") {
  const Shell shell;
  shell.write("x.npy", npy("(1, 4)", {1, 2, 3, 4}));
  const Outcome outcome = shell.run("run apply encoding=rope x=x.npy positions=1 --out y.npy");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  const auto expected = nlohmann::json::parse(content(tests_folder() + "/golden/formulas.json"));
  CHECK(
      close(doubles_in(shell.folder() / "y.npy"), expected.at("rope")
                                                      .at("[1, 2, 3, 4] at position 1, interleaved")
                                                      .get<std::vector<double>>()));
  CHECK(shell.run("run apply encoding=rope x=x.npy positions=1 --out y.npy").status == 4);
  for (const std::string file : {"y.npz", "y.safetensors"}) {
    CHECK_THAT(shell.run("run apply encoding=rope x=x.npy positions=1 --out " + file).err,
               Contains(file + "#encoded  [1, 4]"));
    CHECK(shell.run("run apply encoding=rope x=" + file + " positions=0 --out of_" + file + ".npy")
              .status == 0);
    CHECK(doubles_in(shell.folder() / ("of_" + file + ".npy")) ==
          doubles_in(shell.folder() / "y.npy"));  // position 0 turns by nothing
  }
  CHECK_THAT(shell.run("run apply encoding=rope x=x.npy positions=1 --out y.txt").err,
             Contains("arrays are written to a .npy, .npz or .safetensors file"));
}

TEST_CASE("run apply prints frequencies, slopes and the rows that positions look up") {
  const Shell shell;
  CHECK_THAT(shell.run("run apply encoding=rope dim=4").out, Contains("  1  0.010000  628.318531"));
  CHECK_THAT(shell.run("run apply encoding=alibi heads=2").out, Contains("  1  0.003906"));
  CHECK_THAT(
      shell.run("run apply encoding=shaw shaw.clip=2 positions=0..2").out,
      Contains("  m  n=0  n=1  n=2\n  0    2    3    4\n  1    1    2    3\n  2    0    1    2\n"));
  CHECK(shell.run("run apply encoding=deberta deberta.span=4 positions=0+9 --out rows").status ==
        0);
  CHECK(content(shell.folder() / "rows/tables/index.csv") == "m,n=0,n=9\r\n0,4,0\r\n9,7,4\r\n");
}

TEST_CASE("run attend and apply refuse what does not fit, by name") {
  const GoldenShell shell;
  shell.write("row.npy", npy("(1,)", {1}));
  const std::vector<std::tuple<std::string, int, std::string>> cases{
      {"run attend q=q.npy --out o", 2, "q without k"},
      {"run attend q=q.npy k=k.npy x=x.npy --out o", 2, "x beside q, k or v"},
      {"run attend q=q.npy k=x.npy encoding=none --out o", 2, "q with 4 and k with 6 channels"},
      {"run attend q=row.npy k=row.npy --out o", 3,
       "must be [N, d], [heads, N, d] or [batch, heads, N, d]"},
      {"run attend q=q.npy k=k.npy encoding=learned --out o", 2, "acts before W_q and W_k"},
      {"run attend kernel=linear q=q.npy k=k.npy encoding=learned --out o", 2,
       "acts before W_q and W_k"},
      {"run attend kernel=linear q=q.npy k=k.npy encoding=alibi --out o", 2,
       "adds to scores, which linear attention never forms"},
      {"run attend kernel=linear q=q.npy k=k.npy rope.rotary_value=rotated --out o", 2,
       "cannot rotate values"},
      {"run attend kernel=linear q=q.npy k=k.npy window=3 --out o", 2, "window"},
      {"run attend kernel=linear q=q.npy k=k.npy precision=eager_bf16 --out o", 2,
       "is defined for softmax attention"},
      {"run attend kernel=linear q=q.npy k=k.npy stage.weights=bf16 --out o", 2,
       "is read only when kernel is softmax"},
      {"run attend q=q.npy k=k.npy linear.variant=paper --out o", 2, "linear.variant"},
      {"run attend q=q.npy k=k.npy encoding=none weights=x_W W_o=k.npy --out o", 2,
       "W_o of shape [5, 4] with weights=x_W: must be [heads·d_v, d_model] with heads·d_v=4; it "
       "fits "
       "weights=torch_linear"},
      {"run attend q=q.npy k=k.npy encoding=t5 t5.tabel=t5.table.npy --out o", 2,
       "did you mean t5.table?"},
      {"run attend q=q.npy k=k.npy encoding=t5 t5.table=q.npy --out o", 2, "must be [32, 1]"},
      {"run attend q=q.npy k=k.npy positions=1+2 --out o", 2, "2 positions for 5 rows"},
      {"run apply encoding=t5 x=q.npy --out y.npy", 2, "does nothing to single vectors"},
      {"run apply encoding=rope x=q.npy t5.table=t5.table.npy --out y.npy", 2,
       "t5.table=t5.table.npy: is read only when encoding is t5"},
      {"run apply encoding=none", 2, "has no frequencies, slopes or index"},
      {"run apply encoding=t5 positions=5..1", 2, "must count up"},
      {"run apply encoding=t5 positions=1.5", 2, "must be a whole number"}};
  for (const auto& [arguments, status, message] : cases) {
    const Outcome outcome = shell.run(arguments);
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains(message));
  }
}
