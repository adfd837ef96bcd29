#include "appliance/box/build_facts.h"
#include "appliance/box/cli/command_line.h"

// jemalloc's options: few arenas, and free memory is returned to the system after a second. There are many idle agents,
// and a password hash takes 19 MiB for a moment.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "narenas:4,dirty_decay_ms:1000,muzzy_decay_ms:0,max_background_threads:1";
}

int main(int argc, char** argv) { return agentbox::cli::run(argc, argv, agentbox::build_facts()); }
