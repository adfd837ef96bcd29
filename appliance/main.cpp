#include "appliance/cli/command_line.h"

int main(int argc, char** argv) { return agentbox::cli::run(argc, argv); }
