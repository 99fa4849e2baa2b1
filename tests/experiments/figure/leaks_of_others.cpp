// Called by LeakSanitizer only: fontconfig 2.14 leaks 288 bytes once, when it reads its
// configuration.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
