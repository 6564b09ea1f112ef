#include "cli/serve_command.h"

#include "cli/options.h"

namespace lutra {

ServeCommand read_serve_command(int argc, char** argv, int first) {
  ServeCommand command;
  std::string port;
  for (int i = first; i < argc; ++i) {
    auto [word, value] = split_option(argv[i]);
    NearestWord nearest(word);
    for (const char* known : {"--listen", "--port", "--token", "--sim-gpus"}) nearest.offer(known);
    if (nearest.found() != word) throw UsageError(text("'serve' has no option '", word, "'", nearest.hint()));
    if (!value && i + 1 < argc) value = argv[++i];
    if (!value || value->empty()) throw UsageError(text("'serve': '", word, "' needs a value"));
    if (word == "--listen") {
      command.listen = *value;
    } else if (word == "--port") {
      port = *value;
    } else if (word == "--token") {
      command.token = *value;
    } else if (!parse_sim_gpus(*value, &command.count, &command.each) || command.count == 0) {
      throw UsageError(text("'serve': '--sim-gpus' is '", *value, "', expected 1 to ", kMostSimulatedGpus,
                            " cards, as in 2 or, with 1024 MB each, 2:1024"));
    }
  }
  if (!port.empty() && !command.listen.empty()) throw UsageError("'serve': write --port or --listen, not both");
  if (port.empty()) port = "7077";
  // Without a token only programs of this host.
  if (command.listen.empty()) command.listen = text(command.token.empty() ? "127.0.0.1:" : "0.0.0.0:", port);
  return command;
}

}  // namespace lutra
