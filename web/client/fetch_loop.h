// libcurl's multi-socket interface on one io_context: sockets and the timer are Asio's, so nothing blocks and nothing
// needs a lock.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "web/client/fetch_transfer.h"
#include "web/task.h"

namespace web {

class FetchLoop {
 public:
  explicit FetchLoop(Executor);
  ~FetchLoop();
  FetchLoop(const FetchLoop&) = delete;
  FetchLoop& operator=(const FetchLoop&) = delete;

  // The loop of this io_context for this reach; created at first use. Two reaches never share a connection: one that
  // was opened without checking its address must not serve a request that needs the check.
  static FetchLoop& of(const Executor&, Reach);

  // For transfers that this loop runs.
  EasyHandles& handles() { return handles_; }
  UrlCache& urls() { return urls_; }

  // Suspends until the transfer has finished. Throws operation_aborted when the awaiting coroutine is cancelled; in
  // every case libcurl has released the transfer when this returns.
  Task<> run(Transfer&);

  // Releases every transfer without resuming its waiting coroutine. Called when the io_context shuts down.
  void close();

 private:
  struct Watch;
  class Running;
  using Clock = Timer::clock_type;
  static constexpr auto never = Clock::time_point::max();

  static int on_socket(CURL*, curl_socket_t, int what, void* self, void*);
  static int on_close_socket(void* self, curl_socket_t);
  static int on_timer(CURLM*, long milliseconds, void* self);

  void watch(curl_socket_t, int what);
  void forget(curl_socket_t);
  void arm(const std::shared_ptr<Watch>&);
  void act(curl_socket_t, int events);
  void collect_finished();
  void schedule();

  Executor executor_;
  EasyHandles handles_;
  UrlCache urls_;
  Timer timer_;
  // When libcurl wants to be called, and when timer_ expires. The timer may expire earlier, since libcurl moves its
  // time with every step of every transfer, mostly further away.
  Clock::time_point due_ = never, alarm_ = never;
  std::unordered_map<curl_socket_t, std::shared_ptr<Watch>> watches_;
  std::unordered_set<curl_socket_t> connections_;  // sockets whose close calls on_close_socket
  std::unordered_map<Transfer*, Timer*> running_;  // each with the timer that wakes its coroutine
  bool acting_ = false;                            // libcurl is on the stack and must not be entered again
  std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi_;
};

}  // namespace web
