#pragma once

#include "experiments/model/layers.h"

namespace orrery::player {}
namespace orrery::session {
using namespace combine;
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
using namespace player;
}  // namespace orrery::shell
namespace orrery::headless {
using namespace shell;
}
