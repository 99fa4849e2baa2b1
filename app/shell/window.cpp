#include "app/shell/start.h"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "app/gui/imgui_shim.h"
#include "app/gui/renderer.h"
#include "app/gui/ui.h"
#include "app/session/task.h"
#include "app/shell/app.h"

namespace orrery {
namespace {

constexpr int initial_width = 1280, initial_height = 800;
constexpr int min_width = 480, min_height = 320;
// Dear ImGui settles within a few frames of an event: layout, hover, tooltips.
constexpr int frames_after_event = 3;
// While a job runs, its clock is drawn this often.
constexpr double busy_interval = 0.1;
constexpr double min_wait = 0.01;  // a timeout of 0 is none
// How long a graphics driver that was reset is given to open a new window.
constexpr int reopening_attempts = 20;
constexpr auto reopening_pause = std::chrono::milliseconds(500);

class Glfw {
 public:
  bool start(std::string& reason) {
    glfwSetErrorCallback([](int code, const char* text) {
      const bool too_old = code == GLFW_VERSION_UNAVAILABLE || code == GLFW_API_UNAVAILABLE;
      last_error() = too_old ? fmt::format("the graphics driver offers no OpenGL 3.2 ({})", text)
                             : std::string(text);
    });
    started_ = glfwInit() == GLFW_TRUE;
    if (!started_) reason = last_error();
    return started_;
  }
  ~Glfw() {
    if (started_) glfwTerminate();
  }
  static std::string& last_error() {
    static std::string text;
    return text;
  }

 private:
  bool started_{false};
};

struct WindowDeleter {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowHandle = std::unique_ptr<GLFWwindow, WindowDeleter>;

WindowHandle open_window(int robustness) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, robustness);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  return WindowHandle(glfwCreateWindow(initial_width, initial_height, "Orrery", nullptr, nullptr));
}

WindowHandle open_window() {
  // A context that a reset of the driver takes away says so, where the driver can.
  WindowHandle window = open_window(GLFW_LOSE_CONTEXT_ON_RESET);
  if (!window) window = open_window(GLFW_NO_ROBUSTNESS);
  if (!window) return window;
  glfwSetWindowSizeLimits(window.get(), min_width, min_height, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(window.get());
  glfwSwapInterval(1);
  return window;
}

void take_dropped_files(GLFWwindow* window, int count, const char** paths) {
  auto* app = static_cast<App*>(glfwGetWindowUserPointer(window));
  app->drop({paths, paths + count});
}

/// GLFW names keys by their position on an American keyboard, but shortcuts follow the labels:
/// Ctrl+Z is where Z is printed, on German and French keyboards too.
int as_labelled(int key, int scancode) {
  const bool prints = key != GLFW_KEY_UNKNOWN && key < GLFW_KEY_ESCAPE;
  const char* label = prints ? glfwGetKeyName(key, scancode) : nullptr;
  if (!label || label[0] == '\0' || label[1] != '\0') return key;
  if (label[0] >= 'a' && label[0] <= 'z') return GLFW_KEY_A + (label[0] - 'a');
  return key;
}

/// Starts Dear ImGui's GLFW backend and shuts it down with itself.
class Platform {
 public:
  explicit Platform(GLFWwindow* window) {
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
      const int labelled = as_labelled(key, scancode);
      ImGui_ImplGlfw_KeyCallback(w, shim::backend_key(key, labelled), scancode, action, mods);
      if (action == GLFW_PRESS) pressed().push_back({key, labelled, mods});
    });
  }
  ~Platform() { ImGui_ImplGlfw_Shutdown(); }
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  struct Press {
    int key{};  ///< by its position
    int labelled{};
    int mods{};  ///< as they were when it went down
  };
  /// The keys that went down since the last call.
  static std::vector<Press> take_pressed() { return std::exchange(pressed(), {}); }

 private:
  static std::vector<Press>& pressed() {
    static std::vector<Press> keys;
    return keys;
  }
};

bool is_down(GLFWwindow* window, int left, int right) {
  return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
}

/// Begins a frame that also sees keys, with their modifiers, which went down and up again since the
/// last one.
void new_frame(GLFWwindow* window) {
  const std::vector<Platform::Press> pressed = Platform::take_pressed();
  bool control = is_down(window, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
  bool shift = is_down(window, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
  for (const auto& [key, labelled, mods] : pressed) {
    shim::hold_key(ImGui::GetIO(), labelled, true);
    control = control || (mods & GLFW_MOD_CONTROL) != 0;
    shift = shift || (mods & GLFW_MOD_SHIFT) != 0;
  }
  shim::hold_modifiers(ImGui::GetIO(), control, shift);
  shim::new_frame();
  for (const auto& [key, labelled, mods] : pressed)
    if (key != GLFW_KEY_UNKNOWN && glfwGetKey(window, key) == GLFW_RELEASE)
      shim::hold_key(ImGui::GetIO(), labelled, false);
}

/// The window with its OpenGL context and what Dear ImGui keeps in both: all that is lost when the
/// graphics driver is reset.
class Screen {
 public:
  explicit Screen(WindowHandle window) : window_(std::move(window)), platform_(window_.get()) {}

  GLFWwindow* window() const { return window_.get(); }
  GlRenderer& renderer() { return renderer_; }

  void serve(App& app) {
    glfwSetWindowUserPointer(window(), &app);
    glfwSetDropCallback(window(), take_dropped_files);
  }
  bool is_lost() const { return reset_status_ && reset_status_() != GL_NO_ERROR; }

 private:
  using ResetStatus = GLenum (*)();

  /// glGetGraphicsResetStatus of OpenGL 4.5 and GL_KHR_robustness, or its older name; null where
  /// the driver has neither.
  static ResetStatus find_reset_status() {
    if (glfwExtensionSupported("GL_KHR_robustness"))
      return reinterpret_cast<ResetStatus>(glfwGetProcAddress("glGetGraphicsResetStatus"));
    if (glfwExtensionSupported("GL_ARB_robustness"))
      return reinterpret_cast<ResetStatus>(glfwGetProcAddress("glGetGraphicsResetStatusARB"));
    return nullptr;
  }

  WindowHandle window_;
  Platform platform_;
  GlRenderer renderer_{};
  ResetStatus reset_status_{find_reset_status()};
};

/// Where a window stands, to open the next one there.
struct Placement {
  int x{}, y{}, width{}, height{};

  static Placement of(GLFWwindow* window) {
    Placement at;
    glfwGetWindowPos(window, &at.x, &at.y);
    glfwGetWindowSize(window, &at.width, &at.height);
    return at;
  }
  void apply(GLFWwindow* window) const {
    glfwSetWindowPos(window, x, y);
    glfwSetWindowSize(window, width, height);
  }
};

/// Replaces a screen that the driver has lost. A driver takes a moment to recover.
/// Throws std::runtime_error when it does not recover.
void reopen(std::unique_ptr<Screen>& screen, App& app) {
  const Placement at = Placement::of(screen->window());
  app.forget_textures();
  screen.reset();
  for (int attempt = 0; attempt < reopening_attempts; ++attempt) {
    if (WindowHandle window = open_window()) {
      at.apply(window.get());
      screen = std::make_unique<Screen>(std::move(window));
      screen->serve(app);
      return app.note("The graphics driver was reset; the window was opened again");
    }
    std::this_thread::sleep_for(reopening_pause);
  }
  throw std::runtime_error(
      "OpenGL: the graphics driver was reset and opens no new window; start orrery-desktop again, "
      "which restores the session");
}

void draw_frame(Screen& screen, App& app) {
  GLFWwindow* window = screen.window();
  float x_scale = 1.0f, y_scale = 1.0f;
  glfwGetWindowContentScale(window, &x_scale, &y_scale);
  app.set_screen_scale(static_cast<double>(std::max(x_scale, y_scale)));
  screen.renderer().begin(app.prepare());
  ImGui_ImplGlfw_NewFrame();
  new_frame(window);
  app.frame();
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  screen.renderer().draw(width, height);
  glfwSwapBuffers(window);
}

void run_loop(std::unique_ptr<Screen>& screen, App& app) {
  int frames_due = frames_after_event;
  while (!glfwWindowShouldClose(screen->window())) {
    if (frames_due > 0)
      glfwPollEvents();
    else if (app.busy())
      glfwWaitEventsTimeout(busy_interval);
    else if (const double due = app.due_in(); due >= 0)
      glfwWaitEventsTimeout(std::max(due, min_wait));
    else
      glfwWaitEvents();
    frames_due = frames_due > 0 ? frames_due - 1 : frames_after_event;
    draw_frame(*screen, app);
    if (screen->is_lost()) {
      reopen(screen, app);
      frames_due = frames_after_event;
    }
  }
}

}  // namespace

bool run_window(const StartOptions& options, std::string& reason) {
  Glfw glfw;
  if (!glfw.start(reason)) return false;
  WindowHandle window = open_window();
  if (!window) {
    reason = Glfw::last_error();
    return false;
  }
  const ImGuiContextGuard imgui;
  auto screen = std::make_unique<Screen>(std::move(window));
  const Waker waker([] { glfwPostEmptyEvent(); });
  const std::unique_ptr<Session> session = start_session(options, waker.function());
  App app(*session, make_gl_textures());
  if (!options.session.empty()) app.keep_session(options.session);
  if (!options.open.empty()) app.open_path(options.open);
  if (!options.lesson.empty())
    app.open_lesson(options.lesson, std::max<std::size_t>(options.step, 1) - 1);
  screen->serve(app);
  run_loop(screen, app);
  return true;
}

}  // namespace orrery
