// One notification channel: its queue, retries and request format.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "web/client/fetch.h"
#include "web/task.h"

namespace watchdog {

struct ChannelOptions {
  std::string name;                              // bot, webhook: for logs, which never contain its address
  std::chrono::milliseconds first_pause{1'000};  // before a second try; doubles with each
  unsigned tries = 6;
  std::size_t max_waiting = 200;  // beyond it the oldest is dropped
};

class Channel {
 public:
  using MakeRequest = std::function<web::FetchRequest(const std::string& text)>;

  Channel(ChannelOptions, MakeRequest, boost::asio::io_context& home);
  ~Channel();  // after stop(), or with `home` stopped

  // Both are called on `home`. Texts are sent in order. Permanently rejected ones (any status except 2xx, 408, 429 and
  // 5xx) are dropped; other failures are retried and delay the texts behind them.
  void send(std::string text);
  // Makes one last attempt for the current text; sends the remaining ones as long as that succeeds.
  web::Task<> stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace watchdog
