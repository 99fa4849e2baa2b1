// attend and apply, from the outside, on arrays as NumPy writes them.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/cli/shell.h"

using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

/// A version 1.0 .npy of doubles with the given shape text, "(5, 4)".
std::string npy(const std::string& shape, const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return bytes;
}

std::vector<double> doubles_in(const std::filesystem::path& path) {
  const std::string bytes = content(path);
  REQUIRE(bytes.size() > 128);
  std::vector<double> values((bytes.size() - 128) / sizeof(double));
  std::memcpy(values.data(), bytes.data() + 128, values.size() * sizeof(double));
  return values;
}

std::vector<double> flat(const nlohmann::json& rows) {
  std::vector<double> values;
  for (const auto& row : rows)
    for (const auto& value : row) values.push_back(value.get<double>());
  return values;
}

bool close(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) < 1e-13)) return false;
  return true;
}

/// The inputs and expected numbers of tests/golden/generate_encodings.py, as files.
struct GoldenShell : Shell {
  nlohmann::json json = nlohmann::json::parse(content(ORRERY_TESTS_DIR "/golden/encodings.json"));
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
        run("attend q=q.npy k=k.npy v=v.npy --positions 0,1,2,5,9 "
            "--query-positions 0,1,2,5,9 heads=2 head=1 d_model=6 --out out " +
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
  for (const std::string name : names) words += "--table " + name + "=" + name + ".npy ";
  return words;
}

}  // namespace

TEST_CASE("attend gives NumPy's numbers for the user's own arrays and tables") {
  const GoldenShell shell;
  shell.check("shaw keys_and_values",
              "encoding=shaw shaw.clip=3 " + tables({"shaw.key_table", "shaw.value_table"}));
  shell.check("t5 bidirectional", "encoding=t5 " + tables({"t5.table"}));
  shell.check("transformer_xl",
              "encoding=transformer_xl " +
                  tables({"transformer_xl.u", "transformer_xl.v", "transformer_xl.W_kR"}));
  shell.check("deberta v1 code", "encoding=deberta deberta.span=3 deberta.p2c=code " +
                                     tables({"deberta.table", "deberta.W_qr", "deberta.W_kr"}));
}

TEST_CASE("attend writes one .npz or .safetensors, which it and apply read back by name") {
  const GoldenShell shell;
  for (const char* file : {"first.npz", "first.safetensors"}) {
    INFO(file);
    const std::string out(file);
    Outcome outcome = shell.run("attend q=q.npy k=k.npy v=v.npy encoding=none --out " + out);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.out, Contains(out + "#logits  [5, 5]"));
    outcome = shell.run("attend q=" + out + "#output k=k.npy encoding=none --out again" + out);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(shell.run("attend q=" + out + " k=k.npy encoding=none --out x.npz").status != 0);
    CHECK_THAT(shell.run("attend q=" + out + "#outptu k=k.npy --out x.npz").err,
               Contains("output"));
    CHECK(shell.run("attend q=q.npy k=k.npy encoding=none --out " + out).status == 4);
  }
  // A file of tables by their own names.
  CHECK(
      shell.run("attend q=q.npy k=k.npy encoding=t5 --table t5.table=first.npz#weights --out y.npz")
          .status == 2);
}

TEST_CASE("attend takes whole layers, with fewer key heads than query heads") {
  const Shell shell;
  shell.write("q.npy", npy("(2, 1, 2)", {1, 0, 0, 5}));
  shell.write("k.npy", npy("(1, 1, 2)", {1, 1}));
  const Outcome outcome = shell.run("attend q=q.npy k=k.npy encoding=none --out out");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("out/arrays/logits.npy  [2, 1, 1]"));
  CHECK(close(doubles_in(shell.folder() / "out/arrays/logits.npy"),
              {1 / std::sqrt(2.0), 5 / std::sqrt(2.0)}));
}

TEST_CASE("attend from contents adds what acts on the input") {
  const Shell shell;
  shell.write("x.npy", npy("(2, 2)", {0, 0, 0, 0}));
  CHECK(shell.run("attend x=x.npy encoding=sinusoidal --out out").status == 0);
  // p_0·p_1 = cos 1 for d = 2.
  CHECK(close(doubles_in(shell.folder() / "out/arrays/logits.npy"),
              {1 / std::sqrt(2.0), std::cos(1.0) / std::sqrt(2.0), std::cos(1.0) / std::sqrt(2.0),
               1 / std::sqrt(2.0)}));
}

TEST_CASE("apply turns vectors at their positions, as the reference does") {
  const Shell shell;
  shell.write("x.npy", npy("(1, 4)", {1, 2, 3, 4}));
  const Outcome outcome = shell.run("apply encoding=rope x=x.npy --positions 1 --out y.npy");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  const auto expected =
      nlohmann::json::parse(content(ORRERY_TESTS_DIR "/golden/reference/rope.json"));
  CHECK(close(doubles_in(shell.folder() / "y.npy"),
              expected.at("G1 rope interleaved [1,2,3,4] m=1").get<std::vector<double>>()));
  CHECK(shell.run("apply encoding=rope x=x.npy --positions 1 --out y.npy").status == 4);
}

TEST_CASE("apply prints frequencies, slopes and the rows that positions look up") {
  const Shell shell;
  CHECK_THAT(shell.run("apply encoding=rope dim=4").out, Contains("   1   0.01  628.31853"));
  CHECK_THAT(shell.run("apply encoding=alibi heads=2").out, Contains("   1  0.00390625"));
  CHECK(shell.run("apply encoding=shaw shaw.clip=2 --positions 0..2").out ==
        "m  n=0  n=1  n=2\n0    2    3    4\n1    1    2    3\n2    0    1    2\n");
  CHECK_THAT(shell.run("apply encoding=deberta deberta.span=4 --positions 0,9 --csv").out,
             Contains("m,n=0,n=9\r\n0,4,0\r\n9,7,4\r\n"));
}

TEST_CASE("attend and apply refuse what does not fit, by name") {
  const GoldenShell shell;
  shell.write("cube.npy", npy("(1, 1, 1, 1)", {1}));
  const std::vector<std::tuple<std::string, int, std::string>> cases{
      {"attend q=q.npy --out o", 2, "q without k"},
      {"attend q=q.npy k=k.npy", 2, "--out"},
      {"attend q=q.npy k=k.npy x=x.npy --out o", 2, "x beside q, k or v"},
      {"attend q=q.npy k=x.npy encoding=none --out o", 2, "q with 4 and k with 6 channels"},
      {"attend q=cube.npy k=cube.npy --out o", 3, "must be [N, d] or [heads, N, d]"},
      {"attend q=q.npy k=k.npy encoding=learned --out o", 2, "acts before W_q and W_k"},
      {"attend q=q.npy k=k.npy encoding=t5 --table t5.tabel=t5.table.npy --out o", 2,
       "did you mean t5.table?"},
      {"attend q=q.npy k=k.npy encoding=t5 --table t5.table=q.npy --out o", 2, "must be [32, 1]"},
      {"attend q=q.npy k=k.npy --positions 1,2 --out o", 2, "2 positions for 5 rows"},
      {"apply encoding=t5 x=q.npy --out y.npy", 2, "does nothing to single vectors"},
      {"apply encoding=rope x=q.npy --table t5.table=t5.table.npy --out y.npy", 2,
       "is not read by encoding=rope"},
      {"apply encoding=rope x=q.npy", 2, "add --out FILE.npy"},
      {"apply encoding=none", 2, "has no frequencies, slopes or index"},
      {"apply encoding=t5 --positions 5..1", 2, "must count up"},
      {"apply encoding=t5 --positions a", 2, "must be a whole number"}};
  for (const auto& [arguments, status, message] : cases) {
    const Outcome outcome = shell.run(arguments);
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains(message));
  }
}
