// A stand-in for a model server (or the summarizer): plain sockets and a script, so that a test can return any bytes.
// Also helpers that tests of several modules share.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "web/task.h"

namespace test_support {

// Runs one coroutine to its end. The io_context is the process's: threads of a pool may let go of it a moment after the
// coroutine they served has ended.
template <class T>
T await(web::Task<T> task) {
  static boost::asio::io_context io;
  std::optional<T> result;
  std::exception_ptr thrown;
  const auto keep = [](web::Task<T> inner, std::optional<T>& out) -> web::Task<> {
    auto value = co_await std::move(inner);
    out.emplace(std::move(value));
  };
  boost::asio::co_spawn(io, keep(std::move(task), result), [&](std::exception_ptr error) {
    thrown = error;
    io.stop();
  });
  io.restart();
  io.run();
  if (thrown) std::rethrow_exception(thrown);
  return std::move(*result);
}

struct Received {
  std::string method, target, head, body;
  boost::json::value json() const { return boost::json::parse(body); }
};

// Bytes of a whole HTTP answer.
inline std::string http(int status, const std::string& body, const std::string& more_headers = {},
                        const std::string& content_type = "application/json") {
  return "HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Type: " + content_type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n" + more_headers + "\r\n" +
         body;
}

inline std::string says(const std::string& text) {
  return http(200,
              boost::json::serialize(boost::json::object{
                  {"id", "answer-1"},
                  {"model", "stand-in"},
                  {"choices", boost::json::array{boost::json::object{
                                  {"message", {{"role", "assistant"}, {"content", text}}}, {"finish_reason", "stop"}}}},
                  {"usage", {{"prompt_tokens", 10}, {"completion_tokens", 5}}}}));
}

// One answer that calls a tool; the arguments are sent as the text given, valid or not.
inline std::string calls(const std::string& tool, const std::string& arguments, const std::string& id = "call_1") {
  boost::json::array list;
  list.push_back(
      boost::json::object{{"id", id}, {"type", "function"}, {"function", {{"name", tool}, {"arguments", arguments}}}});
  boost::json::object message{{"role", "assistant"}, {"content", nullptr}};
  message["tool_calls"] = std::move(list);
  boost::json::array choices;
  choices.push_back(boost::json::object{{"message", std::move(message)}, {"finish_reason", "tool_calls"}});
  return http(
      200, boost::json::serialize(boost::json::object{{"id", "answer-1"},
                                                      {"model", "stand-in"},
                                                      {"choices", std::move(choices)},
                                                      {"usage", {{"prompt_tokens", 10}, {"completion_tokens", 5}}}}));
}

// Answers each request with what the script returns; an empty answer closes the connection without a word, and `stall`
// keeps it open without one until the server goes.
class ScriptedServer {
 public:
  static inline const std::string stall = "stall";
  // Before an answer: sends it and keeps the connection open.
  static inline const std::string stall_after = "stall after: ";
  using Script = std::function<std::string(const Received&)>;

  explicit ScriptedServer(Script script) : script_(std::move(script)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("the scripted server cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  // Responds with each of `answers` in turn, then always with the last one.
  explicit ScriptedServer(std::vector<std::string> answers)
      : ScriptedServer([answers = std::move(answers), next = std::size_t(0)](const Received&) mutable {
          const auto index = std::min(next++, answers.size() - 1);
          return answers[index];
        }) {}
  ~ScriptedServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    for (const int held : stalled_) ::close(held);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<Received> received() const {
    const std::lock_guard lock(mutex_);
    return received_;
  }

 private:
  void serve() {
    for (;;) {
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      const auto request = read(connection);
      {
        const std::lock_guard lock(mutex_);
        received_.push_back(request);
      }
      auto answer = script_(request);
      if (answer == stall) {
        stalled_.push_back(connection);
        continue;
      }
      if (answer.starts_with(stall_after)) {
        answer.erase(0, stall_after.size());
        ::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
        stalled_.push_back(connection);
        continue;
      }
      ::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
      ::close(connection);
    }
  }

  static Received read(int connection) {
    std::string bytes;
    std::size_t head_end = std::string::npos, length = 0;
    char buffer[16 * 1024];
    while (head_end == std::string::npos || bytes.size() < head_end + 4 + length) {
      const auto got = ::recv(connection, buffer, sizeof buffer, 0);
      if (got <= 0) break;
      bytes.append(buffer, static_cast<std::size_t>(got));
      if (head_end != std::string::npos) continue;
      head_end = bytes.find("\r\n\r\n");
      const auto field = bytes.find("Content-Length: ");
      if (head_end != std::string::npos && field < head_end)
        length = std::strtoul(bytes.c_str() + field + 16, nullptr, 10);
    }
    Received request;
    if (head_end == std::string::npos) return request;
    request.head = bytes.substr(0, head_end);
    request.body = bytes.substr(head_end + 4);
    request.method = request.head.substr(0, request.head.find(' '));
    const auto target = request.method.size() + 1;
    request.target = request.head.substr(target, request.head.find(' ', target) - target);
    return request;
  }

  Script script_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;  // protects received_
  std::vector<Received> received_;
  std::vector<int> stalled_;  // the serving thread's, then the destructor's
  std::thread thread_;
};

}  // namespace test_support
