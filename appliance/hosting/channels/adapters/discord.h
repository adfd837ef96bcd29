// Discord: events by the gateway, presses of buttons by it or pushed and signed, answers by the HTTP API.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/adapters/discord_gateway.h"

namespace channels {

// The token is the bot's. A chat is the id of a channel.
class Discord final : public Adapter {
 public:
  Discord(const Channel&, const AdapterSettings&);
  static web::Result<void> check(const Channel&, const AdapterSettings&);

  const Traits& traits() const override { return traits_; }
  web::Task<web::Result<std::string>> sign_in() override;
  web::Task<web::Result<std::vector<Received>>> receive() override;
  std::string cursor() const override { return gateway_.cursor(); }
  web::Result<Push> push(const web::Request&, const std::string& body) const override;
  web::Task<SendResult> send(Sending) override;
  web::Task<> typing(std::string chat) override;
  web::Task<web::Result<std::string>> download(FileReference) override;

 private:
  web::FetchRequest request(std::string method, const std::string& path) const;
  web::Task<web::Result<boost::json::value>> call(std::string method, std::string path, std::string body = {}) const;
  web::Task<web::Result<std::string>> find_gateway() const;
  web::FetchRequest message_request(const Sending&) const;
  std::optional<Received> read_message(const boost::json::object&) const;
  web::Task<std::optional<Received>> take(const DiscordEvent&);
  web::Task<std::string> name_of_channel(std::string id);

  const std::string token_, api_url_, user_agent_;
  const web::CallOrigin origin_;
  const web::Reach reach_;  // of addresses that Discord names
  const Traits traits_;
  mutable std::mutex mutex_;  // protects the two below
  std::string user_, public_key_;
  DiscordGateway gateway_;
  std::map<std::string, std::chrono::steady_clock::time_point> free_at_;  // chats whose limit is used up, by id
  std::map<std::string, std::string> channel_names_;
};

}  // namespace channels
