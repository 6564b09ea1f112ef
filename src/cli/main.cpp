#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "lua/interpreter.h"
int main(int argc, char** argv) {
  lutra::InterpreterOptions o;
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    if (!strcmp(argv[i], "--sim-gpus")) o.sim_gpus = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--log-placement")) o.log_placement = true;
  }
  lutra::Interpreter in(o);
  auto e = in.run_file(argv[i]);
  if (e) { fprintf(stderr, "lutra: %s\n", e->c_str()); return 1; }
}
