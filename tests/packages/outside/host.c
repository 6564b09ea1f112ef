/* Sums a tensor on a simulated GPU and prints the version. */
#include <lutra.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  options.sim_gpus = 1;
  lutra_t* lutra = lutra_open(&options);
  if (lutra == NULL || lutra_abi_version() != LUTRA_ABI_VERSION) {
    fprintf(stderr, "%s\n", lutra_error(NULL));
    return 1;
  }
  lutra_value out;
  int status = lutra_run_string(lutra, "function total(n) return lt.ones {n, n}:sum():item() end", "outside.lua");
  lutra_value in = lutra_integer(300);
  if (status == LUTRA_OK) status = lutra_call(lutra, "total", &in, 1, &out, 1, NULL);
  if (status != LUTRA_OK || out.type != LUTRA_NUMBER) {
    fprintf(stderr, "%s\n", lutra_error(lutra));
    return 1;
  }
  printf("%.0f by %s\n", out.as.number, lutra_version());
  /* An error passes through the library's own exceptions. */
  if (lutra_run_string(lutra, "lt.matmul(lt.ones {2, 3}, lt.ones {2, 3})", "outside.lua") != LUTRA_ERROR) return 1;
  if (strcmp(lutra_error_code(lutra), "InvalidArgument") != 0) return 1;
  lutra_close(lutra);
  return 0;
}
