// Read by LeakSanitizer, and by nobody else: fontconfig 2.14 loses 288 bytes once, while it reads
// its configuration.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
