/* Forks with threads, queues and devices in use: the child computes on threads of its own, is told that its GPUs are gone, and may
 * make new ones; the parent goes on. */
#include <dirent.h>
#include <lutra.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The thread setting, helper threads, work queued on a GPU, and tensors of all kinds. */
static const char before[] =
    "lt.config.threading.set_intra_op_parallelism_threads(2)\n"
    "cpu = lt.device('/CPU:0', lt.ones, {1000, 1000})\n"
    "lt.device('/CPU:0', function() assert((lt.matmul(cpu, cpu) + cpu):sum():item() == 1001e6) end)\n"
    "gpu = lt.device('/GPU:1', lt.ones, {300, 300})\n"
    "for i = 1, 20 do gpu = lt.matmul(gpu, gpu) / 300 end\n";

/* Large enough for several threads, where there are any. */
static const char on_cpu[] =
    "local _ <close> = lt.device('/CPU:0')\n"
    "assert((lt.matmul(cpu, cpu) + cpu):sum():item() == 1001e6)\n"
    "assert(lt.exp(cpu):cast('float64'):sum():item() > 2.7e6)\n";

static const char gone[] =
    "local function refused(what, f, ...)\n"
    "  local ok, err = pcall(f, ...)\n"
    "  assert(not ok and lt.iserror(err, 'FailedPrecondition'), what .. ': ' .. tostring(err))\n"
    "  assert(err.message:find('simulated GPUs do not survive a fork', 1, true), what .. ': ' .. err.message)\n"
    "end\n"
    "refused('an op', function() return gpu + 1 end)\n"
    "refused('a new tensor', lt.device, '/GPU:0', lt.ones, {10})\n"
    "refused('a copy to a GPU', cpu.to, cpu, 'GPU:0')\n"
    "refused('reading', gpu.totable, gpu)\n";

static const char renewed[] =
    "lt.config.set_simulated_gpus(1)\n"
    "local x = lt.ones {40}\n"
    "assert(x.device:find('GPU:0$') and (x + 1):sum():item() == 80)\n";

static int failures = 0;

static void check(int ok, const char* what, const char* got) {
  if (ok) return;
  fprintf(stderr, "fork_host: %s; got: %s\n", what, got);
  ++failures;
}

static void run(lutra_t* lutra, const char* script, const char* what) {
  int status = lutra_run_string(lutra, script, what);
  check(status == 0, what, lutra_error(lutra));
}

static int count_threads(void) {
  DIR* tasks = opendir("/proc/self/task");
  struct dirent* entry;
  int count = 0;
  if (tasks == NULL) return -1;
  while ((entry = readdir(tasks)) != NULL) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

/* Exit status of a child that runs f(lutra); -1 when a signal ended it, as the alarm does when it hangs. */
static int in_child(int (*f)(lutra_t*), lutra_t* lutra) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    alarm(120);
    _exit(f(lutra));
  }
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int grandchild(lutra_t* lutra) {
  failures = 0;
  run(lutra, on_cpu, "a grandchild's ops");
  return failures;
}

static int child(lutra_t* lutra) {
  lutra_t* own;
  run(lutra, on_cpu, "ops");
  check(count_threads() == 2, "the child has another number of threads", "");
  run(lutra, gone, "GPU ops");
  run(lutra, on_cpu, "ops after refusals");
  check(in_child(grandchild, lutra) == 0, "a grandchild", "a failure");
  lutra_close(lutra);
  own = lutra_open(NULL);
  check(own != NULL, "lutra_open in a child", lutra_error(NULL));
  run(own, renewed, "GPUs made by the child");
  lutra_close(own);
  return failures;
}

int main(void) {
  lutra_options options = LUTRA_OPTIONS_INIT;
  lutra_t* lutra;
  options.sim_gpus = 2;
  lutra = lutra_open(&options);
  check(lutra != NULL, "lutra_open fails", lutra_error(NULL));
  run(lutra, before, "before the fork");
  check(in_child(child, lutra) == 0, "the child", "a failure");
  run(lutra, "assert(lt.sum(gpu):item() == 9e4)", "the parent's GPU");
  run(lutra, on_cpu, "the parent's CPU");
  lutra_close(lutra);
  if (failures == 0) puts("fork_host: all well");
  return failures != 0;
}
