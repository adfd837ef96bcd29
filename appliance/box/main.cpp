#include "appliance/box/cli/command_line.h"

// What jemalloc reads when the program begins: few arenas, and memory that is free goes back to the system after a
// second. Idle agents are many, and a password's hash takes 19 MiB for a moment.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "narenas:4,dirty_decay_ms:1000,muzzy_decay_ms:0,max_background_threads:1";
}

int main(int argc, char** argv) { return agentbox::cli::run(argc, argv); }
