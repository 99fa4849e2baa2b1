#include "app/session/leave.h"

#include <cstdio>
#include <cstdlib>

#include "app/session/task.h"

namespace orrery {

void leave(int status) {
  if (running_tasks == 0) std::exit(status);
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace orrery
