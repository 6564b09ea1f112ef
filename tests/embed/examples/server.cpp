// An HTTP server that answers with a model's predictions, from a pool of interpreters, one per worker at a time.
//   POST /predict with "0.5 0.25" gives "1.5"; a request may take 2 seconds.
// server PORT serves until it is killed; server --check asks itself some questions and ends.
#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <lutra.hpp>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

const char kModel[] = R"lua(
local model = lt.nn.Sequential {lt.nn.Dense(1, {input_shape = {2}, kernel_initializer = "ones"})}
function predict(features) return model(features:reshape {1, 2}) * 2 end
)lua";

// Interpreters that are free. A request waits for one.
class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) {
      auto session = std::make_unique<lutra::Session>();
      session->run(kModel, "model.lua");
      session->set_deadline(2);
      free_.push_back(std::move(session));
    }
  }

  template <class F> auto with_session(const F& use) {
    std::unique_ptr<lutra::Session> session = take();
    struct GiveBack {
      Pool& pool;
      std::unique_ptr<lutra::Session>& session;
      ~GiveBack() { pool.give(std::move(session)); }
    } give_back{*this, session};
    return use(*session);
  }

 private:
  std::unique_ptr<lutra::Session> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !free_.empty(); });
    auto session = std::move(free_.back());
    free_.pop_back();
    return session;
  }
  void give(std::unique_ptr<lutra::Session> session) {
    {
      std::lock_guard lock(mutex_);
      free_.push_back(std::move(session));
    }
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<lutra::Session>> free_;
};

void answer(Pool& pool, const httplib::Request& request, httplib::Response& response) {
  std::istringstream text(request.body);
  std::vector<float> features;
  for (float number; text >> number;) features.push_back(number);
  try {
    const double result = pool.with_session([&](lutra::Session& session) {
      lutra::Tensor batch = session.tensor(features);
      return session.call<lutra::Tensor>("predict", batch).item();
    });
    std::ostringstream out;
    out << result;
    response.set_content(out.str(), "text/plain");
  } catch (const lutra::ScriptError& error) {
    response.status = error.status() == LUTRA_LIMIT ? 503 : 400;
    response.set_content(error.message(), "text/plain");
  }
}

// Many clients at once, each of which sees its own answers.
int check(httplib::Server& server) {
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread serving([&] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();
  std::vector<std::thread> clients;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 6; ++i) {
    clients.emplace_back([&, i] {
      httplib::Client client("127.0.0.1", port);
      for (int j = 0; j < 20; ++j) {
        auto got = client.Post("/predict", std::to_string(i) + " " + std::to_string(j), "text/plain");
        if (!got || got->status != 200 || got->body != std::to_string(2 * (i + j))) ++wrong;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  httplib::Client client("127.0.0.1", port);
  auto refused = client.Post("/predict", "1 2 3", "text/plain");
  if (!refused || refused->status != 400 || refused->body.find("reshape") == std::string::npos) ++wrong;
  server.stop();
  serving.join();
  std::printf(wrong == 0 ? "server: all well\n" : "server: %d wrong answers\n", wrong.load());
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: server PORT | --check\n");
    return 2;
  }
  Pool pool(4);
  httplib::Server server;
  server.Post("/predict",
              [&](const httplib::Request& request, httplib::Response& response) { answer(pool, request, response); });
  if (std::string(argv[1]) == "--check") return check(server);
  return server.listen("127.0.0.1", std::atoi(argv[1])) ? 0 : 1;
}
