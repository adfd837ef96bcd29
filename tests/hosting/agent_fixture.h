// What the tests of agents share: a folder of its own, an engine on its own thread, and the stand-in agent.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <stdlib.h>
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

#include "appliance/files/descriptor.h"
#include "appliance/hosting/runtime/proc.h"
#include "appliance/hosting/runtime/process_engine.h"
#include "web/task.h"

namespace agent_tests {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "agents-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp failed");
    path_ = std::filesystem::canonical(name);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A port nobody listens on: the kernel has just given it out and taken it back.
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

// An io_context on a thread of its own; run() blocks until the coroutine is done.
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

// Asks every few milliseconds until it holds; false when it does not within ten seconds.
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
