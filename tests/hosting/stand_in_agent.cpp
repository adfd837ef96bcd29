// A stand-in for `agentbox agent`: the same command line, boot file and gateway, with habits chosen by the agent's
// name:
//   mute       never gets ready              exits      ends at once with code 3 and a line on stderr
//   stubborn   ignores SIGTERM
//   broken     fails every message         silent     takes messages and never answers
//   hungry     takes all the memory that it can get
//   late       says that it ran out of time, in an answer without words
// Answers a message with "<name> heard: <message>".
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

namespace {

struct Boot {
  std::string name, listen, gateway_token;
  int listening_socket = -1;  // given by the engine of processes
};

Boot read_boot(const char* path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto boot = boost::json::parse(text);
  auto field = [&](const char* name) { return std::string(boot.at(name).as_string()); };
  const auto* given = boot.at("listening_socket").if_int64();
  return {field("name"), field("listen"), field("gateway_token"), given ? int(*given) : -1};
}

std::string answer(int status, const boost::json::value& body) {
  const auto text = boost::json::serialize(body);
  return "HTTP/1.1 " + std::to_string(status) + " Answer\r\nContent-Type: application/json\r\nConnection: close\r\n" +
         "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
}

std::string chat(const Boot& boot, const std::string& head, const std::string& body) {
  if (head.find("Bearer " + boot.gateway_token + "\r\n") == std::string::npos)
    return answer(401, {{"error", {{"message", "wrong token"}}}});
  if (boot.name.starts_with("broken")) return answer(500, {{"error", {{"message", "the model is on fire"}}}});
  if (boot.name.starts_with("late")) return answer(504, boost::json::object());
  const auto request = boost::json::parse(body);
  const auto said = request.at("messages").as_array().back().at("content").as_string();
  return answer(
      200, {{"model", "stand-in"},
            {"choices", {{{"message", {{"role", "assistant"}, {"content", boot.name + " heard: " + said.c_str()}}}}}},
            {"usage", {{"prompt_tokens", 1}, {"completion_tokens", 2}, {"total_tokens", 3}}}});
}

void serve(const Boot& boot, int connection) {
  std::string received;
  auto receive = [&] {
    char buffer[4096];
    const auto got = ::read(connection, buffer, sizeof buffer);
    if (got > 0) received.append(buffer, std::size_t(got));
    return got > 0;
  };
  std::size_t head_end;
  while ((head_end = received.find("\r\n\r\n")) == std::string::npos)
    if (!receive()) return void(::close(connection));
  const auto head = received.substr(0, head_end + 2);
  std::size_t length = 0;
  if (const auto at = head.find("Content-Length: "); at != std::string::npos) length = std::stoul(head.substr(at + 16));
  while (received.size() < head_end + 4 + length)
    if (!receive()) return void(::close(connection));
  std::string reply = answer(404, {{"error", "no such path"}});
  if (head.starts_with("GET /readyz")) {
    const bool ready = !boot.name.starts_with("mute");
    reply = answer(ready ? 200 : 503, {{"ready", ready}, {"failing", boost::json::array()}, {"uptimeMs", 1}});
  } else if (head.starts_with("GET /healthz")) {
    reply = answer(200, {{"ok", true}, {"status", "live"}});
  } else if (head.starts_with("POST /v1/chat/completions")) {
    while (boot.name.starts_with("silent")) ::pause();
    reply = chat(boot, head, received.substr(head_end + 4));
  }
  [[maybe_unused]] const auto written = ::write(connection, reply.data(), reply.size());
  ::close(connection);
}

int listening_socket(const Boot& boot) {
  if (boot.listening_socket >= 0) {
    ::fcntl(boot.listening_socket, F_SETFL, 0);  // accepts when there is a connection
    return boot.listening_socket;
  }
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  const auto colon = boot.listen.rfind(':');
  address.sin_port = htons(std::uint16_t(std::stoi(boot.listen.substr(colon + 1))));
  ::inet_pton(AF_INET, boot.listen.substr(0, colon).c_str(), &address.sin_addr);
  const bool listens =
      ::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && ::listen(listener, 64) == 0;
  return listens ? listener : -1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const auto boot = read_boot(arguments[3]);
  std::cout << "hello from " << boot.name << std::endl;
  if (boot.name.starts_with("exits")) {
    std::cerr << "cannot go on: no spoon" << std::endl;
    return 3;
  }
  if (boot.name.starts_with("hungry"))
    for (std::string eaten;;) eaten.append(1 << 20, 'x');
  if (::getpid() == 1) ::signal(SIGTERM, [](int) { ::_exit(0); });  // the kernel spares a container's first process
  if (boot.name.starts_with("stubborn")) ::signal(SIGTERM, SIG_IGN);

  const int listener = listening_socket(boot);
  if (listener < 0) {
    std::cerr << "cannot listen on " << boot.listen << std::endl;
    return 4;
  }
  for (;;) {
    const int connection = ::accept(listener, nullptr, nullptr);
    if (connection >= 0) std::thread(serve, std::cref(boot), connection).detach();
  }
}
