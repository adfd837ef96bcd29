// One way to reach people: its queue, its tries, and what it makes of a text.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "web/fetch.h"
#include "web/task.h"

namespace watchdog {

struct ChannelOptions {
  std::string name;                              // bot, webhook: for logs, which never hold its address
  std::chrono::milliseconds first_pause{1'000};  // before a second try; doubles with each
  unsigned tries = 6;
  std::size_t most_waiting = 200;  // beyond it the oldest is dropped
};

class Channel {
 public:
  using MakeRequest = std::function<web::FetchRequest(const std::string& text)>;

  Channel(ChannelOptions, MakeRequest, boost::asio::io_context& home);
  ~Channel();  // after stop(), or with `home` stopped

  // Both are called on `home`. Texts are sent one after the other, in order; what the other side refuses for good (a
  // status that is neither 2xx nor 408, 429 or 5xx) is dropped, what fails is tried again and blocks those behind it.
  void send(std::string text);
  // The text at hand gets one more try, without a pause; those behind it are sent as long as that succeeds.
  web::Task<> stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace watchdog
