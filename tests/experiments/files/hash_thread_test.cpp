#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "experiments/files/file.h"
#include "experiments/files/hash_thread.h"

using namespace orrery;

TEST_CASE("A thread hashes files whose parts come in turns, more than may wait, as one pass does") {
  constexpr std::size_t files = 3;
  std::vector<std::string> whole(files);
  HashThread hashes(files);
  for (std::size_t part = 0; part < 60; ++part) {
    const std::size_t file = part % files;
    const std::string bytes(part * part * 150 + part % 2, static_cast<char>('a' + part % 26));
    hashes.update(file, bytes);
    whole[file] += bytes;
  }
  for (std::size_t file = 0; file < files; ++file)
    CHECK(hashes.hex(file) == sha256_hex(whole[file]));
}

TEST_CASE("Hashes of a thread are of all so far, and files that get nothing have that of nothing") {
  HashThread hashes(2);
  hashes.update(0, "ab");
  hashes.update(0, "c");
  // FIPS 180-4's example.
  CHECK(hashes.hex(0) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hashes.hex(1) == sha256_hex(""));
}
