#pragma once

#include "experiments/model/layers.h"

// The desktop's layers are built on those of experiments/ below the command line.
namespace orrery::session {
using namespace reports;
}
namespace orrery::gui {
using namespace session;
}
namespace orrery::views {
using namespace gui;
}
namespace orrery::panels {
using namespace views;
}
namespace orrery::dialogs {
using namespace panels;
}
namespace orrery::shell {
using namespace dialogs;
}
namespace orrery::headless {
using namespace shell;
}
