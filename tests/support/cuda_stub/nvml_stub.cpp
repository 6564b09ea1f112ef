// A library with what Lutra asks of NVML, and no card behind it: the card at 0000:00:00.0 has two programs, 4711 with
// 5 GiB and 4712, of which the driver does not know how much; any other card is unknown to it.
#include <cstring>

extern "C" {

struct Process {
  unsigned process;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** card) {
  *card = const_cast<char*>("card");
  return std::strcmp(bus, "0000:00:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* card, unsigned* count, Process* found) {
  if (std::strcmp(static_cast<char*>(card), "card") != 0) return 2;
  *count = 2;
  found[0] = {4711, 5ull << 30, ~0u, ~0u};
  found[1] = {4712, ~0ull, ~0u, ~0u};
  return 0;
}
}
