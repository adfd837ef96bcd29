// Discord's gateway: one session that is identified once and resumed after each interruption, also of the box.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "web/client/web_socket.h"

namespace channels {

struct DiscordEvent {
  std::string type;  // "MESSAGE_CREATE"
  boost::json::object data;
};

class DiscordGateway {
 public:
  // The address of the gateway for a new session.
  using FindAddress = std::function<web::Task<web::Result<std::string>>()>;
  // `cursor`: of an earlier gateway, or empty.
  DiscordGateway(std::string token, std::string user_agent, web::CallOrigin, web::Reach, FindAddress,
                 const std::string& cursor);

  // Connects, and returns once the session is ready or resumed. unauthenticated: the token is refused.
  web::Task<web::Result<void>> open();
  // Events in their order, after about a minute at most; reconnects by itself, once.
  web::Task<web::Result<std::vector<DiscordEvent>>> receive();
  // The session and the last event of it; empty without one.
  std::string cursor() const;

 private:
  enum class Step { proceed, reconnect };
  web::Task<web::Result<std::optional<boost::json::object>>> read(std::chrono::steady_clock::time_point deadline);
  web::Task<web::Result<Step>> handle(boost::json::object message);
  web::Task<web::Result<void>> write(int op, boost::json::value data);
  web::Task<web::Result<void>> beat();
  web::Error reason_of_end(const web::Error&);
  void forget_session();

  const std::string token_, user_agent_;
  const web::CallOrigin origin_;
  const web::Reach reach_;
  const FindAddress find_address_;
  std::unique_ptr<web::ClientWebSocket> socket_;
  std::string session_, resume_url_;
  std::int64_t sequence_ = 0;
  bool is_ready_ = false;
  std::vector<DiscordEvent> events_;
  std::chrono::milliseconds interval_{0};
  std::chrono::steady_clock::time_point next_beat_{}, opened_at_{};
  bool is_acknowledged_ = true;  // the last heartbeat
};

}  // namespace channels
