#include "experiments/setup/frequency_bands.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "experiments/studies/experiments.h"
#include "tests/support/experiment_run.h"

using namespace orrery;

namespace {

ParamSet decay(const Settings& settings) {
  return test::params_for(long_term_decay_experiment(), settings);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("The bands of d = 128 hold eight pairs each, from 2π to 2π·base tokens") {
  const auto bands = mixer_bands_of(decay({{"dim", "128"}, {"rope.muted", "band2"}}));
  REQUIRE(bands.size() == 8);
  for (const MixerBand& band : bands) CHECK(band.pairs == std::size_t{8});
  CHECK(bands[0].shortest == Approx(6.283185307179586));
  CHECK(bands[4].shortest == Approx(628.3185307179586));
  CHECK(bands[7].longest == Approx(62831.85307179586));
  CHECK(bands[2].muted);
  CHECK_FALSE(bands[3].muted);
}

TEST_CASE("With fewer pairs than bands some are empty, and d from a file is not known") {
  const auto few = mixer_bands_of(decay({{"dim", "8"}}));
  CHECK(few[0].pairs == std::size_t{1});
  CHECK(few[1].pairs == std::size_t{0});
  CHECK(few[2].pairs == std::size_t{1});
  CHECK_FALSE(mixer_bands_of(decay({{"assumption", "file"}}))[0].pairs);
  CHECK(mixer_bands_of(decay({{"encoding", "alibi"}})).empty());
}

TEST_CASE("Mute switches a band, solo mutes the others and undoes itself") {
  auto bands = mixer_bands_of(decay({{"rope.muted", "band1"}}));
  CHECK(with_band_switched(bands, 3) == Names{"band1", "band3"});
  CHECK(with_band_switched(bands, 1).empty());
  const Names alone = with_band_alone(bands, 1);
  CHECK(alone == Names{"band0", "band2", "band3", "band4", "band5", "band6", "band7"});
  for (MixerBand& band : bands) band.muted = band.name != "band1";
  CHECK(with_band_alone(bands, 1).empty());
}

TEST_CASE("Bands without pairs do not count as left") {
  const auto bands = mixer_bands_of(decay({{"dim", "8"}}));
  CHECK_FALSE(leaves_a_pair(bands, {"band0", "band2", "band4", "band6"}));
  CHECK(leaves_a_pair(bands, {"band0", "band2", "band4"}));
}

TEST_CASE("The bands of scaled frequencies end at the wavelengths of their own pairs") {
  const auto bands =
      mixer_bands_of(decay({{"dim", "128"}, {"rope.scaling", "linear"}, {"rope.factor", "4"}}));
  CHECK(bands[0].shortest == Approx(4 * 6.283185307179586));
  CHECK(bands[4].shortest == Approx(4 * 628.3185307179586));
  CHECK(bands[0].longest == Approx(4 * 6.283185307179586 * std::pow(10000.0, 7.0 / 64)));
}
