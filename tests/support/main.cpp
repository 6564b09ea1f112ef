// The main of every unit_<layer> program. CATCH_CONFIG_RUNNER puts version 2's implementation here, once.
#define CATCH_CONFIG_RUNNER
#include "support/catch.h"

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
