// Holds the box's listening sockets while the box restarts, as systemd does.
// usage: socket_activator PROGRAM ARGUMENT...
// Passes the sockets of the listeners web, backend and summarizer to PROGRAM with LISTEN_FDS. For each line on stdin it
// ends PROGRAM with SIGTERM, starts it again and prints {"restarted": exit code}; PROGRAM prints its own ready line. At
// the end of stdin it ends PROGRAM and returns its exit code.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

constexpr int first = 3, sockets = 3;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

int listening_socket() {
  const int made = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("bind");
  if (::listen(made, 4096) != 0) fail("listen");
  return made;
}

pid_t start(char** program) {
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child != 0) return child;
  ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
  ::setenv("LISTEN_FDS", std::to_string(sockets).c_str(), 1);
  ::setenv("LISTEN_FDNAMES", "web:backend:summarizer", 1);
  ::execv(program[0], program);
  fail("exec");
}

int end(pid_t child) {
  ::kill(child, SIGTERM);
  int status = 0;
  if (::waitpid(child, &status, 0) != child) fail("waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: socket_activator PROGRAM ARGUMENT...\n", stderr);
    return 2;
  }
  for (int at = 0; at < sockets; ++at) {
    const int made = listening_socket();
    if (made != first + at && (::dup2(made, first + at) < 0 || ::close(made) != 0)) fail("dup2");
  }
  pid_t child = start(arguments + 1);
  for (std::string line; std::getline(std::cin, line);) {
    const int code = end(child);
    child = start(arguments + 1);
    std::cout << "{\"restarted\": " << code << "}" << std::endl;
  }
  return end(child);
}
