// Notifies people about agents through a messaging-app bot and a chat webhook. Repeated notices of the same kind about
// the same agent are suppressed for a while.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "appliance/runtime/watchdog/state_machine.h"
#include "web/task.h"

namespace watchdog {

struct NotifierOptions {
  std::string bot_token, chat_id;                // the bot is used when both are set; the token is secret
  std::string bot_api_url;                       // https://api.telegram.org
  std::string webhook_url;                       // used when it is set; secret
  std::chrono::milliseconds first_pause{1'000};  // before a second try; doubles with each
  unsigned tries = 6;
  std::chrono::milliseconds timeout{5'000};  // of one try
  std::chrono::milliseconds repeat_after{600'000};
  std::size_t max_waiting = 200;  // per queue; beyond it the oldest is dropped
};

// What happened to an agent, to follow its name: "is degraded. It does not answer."
std::string sentence_of(Notice, const std::string& why);

class Notifier {
 public:
  Notifier(NotifierOptions, boost::asio::io_context& home);
  ~Notifier();  // after stop(), or with `home` stopped

  // Returns at once; false: the same was reported a short while ago. Called on `home`.
  bool notify(const std::string& agent, const std::string& name, Notice, const std::string& why);
  // See Channel::stop.
  web::Task<> stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace watchdog
