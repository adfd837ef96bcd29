// IRC (RFC 2812 and IRCv3): over TLS, with SASL where the server has it, in channels and in queries.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/adapters/stream.h"

namespace channels {

struct IrcLine {
  std::map<std::string, std::string, std::less<>> tags;
  std::string source, command;  // the source as nick!user@host
  std::vector<std::string> parameters;

  std::string parameter(std::size_t number) const {
    return number < parameters.size() ? parameters[number] : std::string();
  }
};
IrcLine read_irc_line(std::string_view);

// Options: "server" (irc.libera.chat, or with :port), "nickname", "channels" (separated by commas or spaces), "user"
// (the account's name; default: the nickname). The token is the account's password, or the server's.
class Irc final : public Adapter {
 public:
  Irc(const Channel&, const AdapterSettings&);
  // invalid, naming the field.
  static web::Result<void> check(const Channel&, const AdapterSettings&);

  const Traits& traits() const override { return traits_; }
  web::Task<web::Result<std::string>> sign_in() override;
  web::Task<web::Result<std::vector<Received>>> receive() override;
  web::Task<SendResult> send(Sending) override;
  void disconnected() override;

 private:
  // A message whose arrival at the server is waited for, while receive() reads.
  struct Waiter {
    Waiter(const web::Executor& executor, std::string to) : timer(executor), target(std::move(to)) {}
    web::Timer timer;
    std::string target, refusal;
    bool is_done = false, can_repeat = false;
  };

  web::Task<web::Result<IrcLine>> next_line(std::chrono::milliseconds);
  web::Task<web::Result<void>> say(std::string line) { return stream_->write(std::move(line) + "\r\n"); }
  web::Task<web::Result<std::string>> capabilities();
  web::Task<web::Result<void>> authenticate();
  web::Task<web::Result<void>> enter();  // until the server says welcome
  web::Task<> wait_for_turn();
  void note_refusal(const IrcLine&);
  std::optional<Received> read_message(const IrcLine&) const;

  const std::string user_, password_, wanted_nickname_;
  const std::vector<std::string> channels_;
  const ServerAddress server_;
  const web::CallOrigin origin_;
  const web::Reach reach_;
  Traits traits_;
  std::string nickname_;
  std::unique_ptr<Stream> stream_;
  bool is_silent_ = false;
  std::map<std::string, std::shared_ptr<Waiter>, std::less<>> waiting_;  // by the word of the PING
  std::chrono::steady_clock::time_point free_at_{};                      // when all that was said is paid for
};

}  // namespace channels
