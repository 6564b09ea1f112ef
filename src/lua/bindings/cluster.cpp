// lutra.config.connect_to_cluster: devices of other processes, which run `lutra serve`.

#include "lua/bindings/cluster.h"

#include <map>

#include "kernels/remote/remote.h"
#include "lua/border/guard.h"

namespace lutra {
namespace {

// {worker = {"host:port", ...}}: the addresses of each job's tasks.
std::map<std::string, std::vector<std::string>> read_jobs(Args& args) {
  constexpr const char* kWanted = "a table of jobs, as in {worker = {\"host:7077\"}}";
  lua_State* L = args.L;
  if (lua_type(L, 1) != LUA_TTABLE) args.wrong(1, "jobs", kWanted);
  std::map<std::string, std::vector<std::string>> jobs;
  for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TTABLE || lua_rawlen(L, -1) == 0) {
      const std::string key = lua_type(L, -2) == LUA_TSTRING ? std::string(lua_tostring(L, -2)) : what_is(L, -2);
      fail(ErrorCode::InvalidArgument, args.who(), ": the job ", key, " is ", what_is(L, -1), ", expected ", kWanted);
    }
    const std::string job = lua_tostring(L, -2);
    const DeviceSpec named = DeviceSpec::parse(text("/job:", job));
    const std::string& own = args.state.runtime().registry().job();
    require(named.job != "localhost" && named.job != own, args.who(), ": the job ", job, " is this process' own",
            named.job == own && own != "localhost" ? ", whose tasks are the ranks of the launch" : "",
            ": give the others another name, as in {helper = {\"host:7077\"}}");
    std::vector<std::string>& tasks = jobs[job];
    for (lua_Integer i = 1; i <= static_cast<lua_Integer>(lua_rawlen(L, -1)); ++i) {
      lua_rawgeti(L, -1, i);
      require(lua_type(L, -1) == LUA_TSTRING, args.who(), ": address ", i, " of the job ", job, " is ", what_is(L, -1),
              ", expected a text like \"host:7077\"");
      tasks.emplace_back(lua_tostring(L, -1));
      lua_pop(L, 1);
    }
  }
  require(!jobs.empty(), args.who(), ": jobs is empty, expected ", kWanted);
  return jobs;
}

}  // namespace

int connect_to_cluster(Args& args) {
  args.at_most(2);
  if (args.state.is_sandbox)
    fail(ErrorCode::FailedPrecondition, args.who(), ": a script in a sandbox cannot reach other processes");
  double seconds = 10;
  std::string_view token_file;
  args.options(2, {{"timeout", &seconds}, {"token", &token_file}});
  require(seconds > 0 && seconds <= 86400, args.who(), ": timeout is ", seconds, ", expected seconds above 0");
  const auto jobs = read_jobs(args);
  Runtime& runtime = args.state.runtime();
  if (runtime.is_initialised()) {
    fail(ErrorCode::FailedPrecondition, args.who(),
         ": the devices are already initialised: call it before the first operation");
  }
  for (const auto& [job, tasks] : jobs) {
    if (runtime.has_remote_devices(job))
      fail(ErrorCode::FailedPrecondition, args.who(), ": the job ", job, " is connected already");
  }
  std::string token;
  if (!token_file.empty()) {
    try {
      token = read_token(std::string(token_file));
    } catch (const Error& error) {
      throw Error(error.code(), text(args.who(), ": ", error.message()));
    }
  }
  // All of them, or none.
  std::vector<std::vector<std::unique_ptr<Device>>> found;
  for (const auto& [job, tasks] : jobs) {
    for (const std::string& address : tasks) {
      try {
        found.push_back(borrow_devices(address, seconds, token));
      } catch (const Error& error) {
        throw Error(error.code(), text(args.who(), ": task ", found.size(), " of the job ", job, ": ", error.message()))
            .with("host", address);
      }
    }
  }
  auto next = found.begin();
  for (const auto& [job, tasks] : jobs) {
    for (std::size_t task = 0; task < tasks.size(); ++task)
      runtime.add_remote_devices(job, static_cast<int>(task), std::move(*next++));
  }
  return 0;
}

}  // namespace lutra
