#pragma once

// Each layer sees the names of the layers beneath it, in the order of cmake/layers.txt.
namespace orrery::model {}
namespace orrery::statistics {
using namespace model;
}
namespace orrery::text {
using namespace statistics;
}
namespace orrery::files {
using namespace text;
}
namespace orrery::plans {
using namespace files;
}
namespace orrery::data {
using namespace plans;
}
namespace orrery::figure {
using namespace data;
}
namespace orrery::setup {
using namespace figure;
}
namespace orrery::studies {
using namespace setup;
}
namespace orrery::evaluate {
using namespace studies;
}
namespace orrery::verify {
using namespace evaluate;
}
namespace orrery::results {
using namespace verify;
}
namespace orrery::sweeps {
using namespace results;
}
namespace orrery::combine {
using namespace sweeps;
}
namespace orrery::reports {
using namespace combine;
}
namespace orrery::lessons {
using namespace reports;
}
namespace orrery::cli {
using namespace lessons;
}
