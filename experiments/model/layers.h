#pragma once

// A layer sees the names of the layers that it includes, itself or through one of them;
// system_layering refuses others.
namespace orrery::search {}
namespace orrery::model {}
namespace orrery::statistics {}
namespace orrery::text {
using namespace model;
}
namespace orrery::files {
using namespace text;
}
namespace orrery::model_files {
using namespace files;
}
namespace orrery::tokenizers {
using namespace model_files;
}
namespace orrery::data {
using namespace model_files;
}
namespace orrery::checkpoints {
using namespace data;
}
namespace orrery::figure {
using namespace text;
}
namespace orrery::setup {
using namespace search;
using namespace data;
using namespace figure;
}  // namespace orrery::setup
namespace orrery::studies {
using namespace setup;
}
namespace orrery::arrays {
using namespace setup;
}
namespace orrery::verify {
using namespace model;
}
namespace orrery::findings {
using namespace search;
using namespace data;
}  // namespace orrery::findings
namespace orrery::results {
using namespace studies;
}
namespace orrery::sweeps {
using namespace statistics;
using namespace results;
}  // namespace orrery::sweeps
namespace orrery::combine {
using namespace sweeps;
}
namespace orrery::reports {
using namespace combine;
}
namespace orrery::lessons {
using namespace sweeps;
}
namespace orrery::cli {
using namespace checkpoints;
using namespace tokenizers;
using namespace arrays;
using namespace verify;
using namespace findings;
using namespace reports;
using namespace lessons;
}  // namespace orrery::cli
