// Helpers for tests of agents.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "appliance/foundation/descriptor.h"
#include "appliance/runtime/proc.h"
#include "appliance/runtime/process_engine.h"
#include "tests/support/temporary_folder.h"
#include "web/task.h"

namespace agent_tests {

using test_support::TemporaryFolder;

// A port that the kernel has just assigned and released.
inline std::uint16_t free_port() {
  files::Descriptor probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(probe.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

// An io_context with its own thread; run() blocks until the coroutine is done.
class Loop {
 public:
  Loop() : work_(io.get_executor()), thread_([this] { io.run(); }) {}
  ~Loop() { stop(); }
  void stop() {
    io.stop();
    if (thread_.joinable()) thread_.join();
  }
  template <class T>
  T run(web::Task<T> task) {
    return boost::asio::co_spawn(io, std::move(task), boost::asio::use_future).get();
  }
  boost::asio::io_context io{1};

 private:
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
};

// Polls the condition for up to ten seconds; returns whether it became true.
template <class Condition>
bool eventually(Condition holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

inline bool is_alive(std::int64_t pid) {
  const auto found = runtime::proc::stat(pid_t(pid));
  return found && found->state != 'Z';
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace agent_tests
