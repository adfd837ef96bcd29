// Slack: events by Socket Mode or pushed and signed (Events API), answers by the Web API.
#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/adapters/forms.h"
#include "web/client/web_socket.h"

namespace channels {

// The token is the bot's (xoxb-). Option "receive": "socket" (default), with the secret "appToken" (xapp-); or
// "events", with the secret "signingSecret", for a box with a public https address. A chat is "C1" or "C1/thread".
class Slack final : public Adapter {
 public:
  Slack(const Channel&, const AdapterSettings&);
  static web::Result<void> check(const Channel&, const AdapterSettings&);

  const Traits& traits() const override { return traits_; }
  web::Task<web::Result<std::string>> sign_in() override;
  web::Task<web::Result<std::vector<Received>>> receive() override;
  web::Result<Push> push(const web::Request&, const std::string& body) const override;
  web::Task<> complete(Received&) override;
  web::Task<SendResult> send(Sending) override;
  web::Task<web::Result<std::string>> download(FileReference) override;

 private:
  struct Said {  // what the Web API answered: an object with "ok"
    boost::json::object body;
    std::string error;  // of Slack; empty: ok
    web::FetchResponse response;
  };
  web::FetchRequest request(std::string_view method, const std::string& token) const;
  web::Task<web::Result<Said>> call(web::FetchRequest) const;
  web::Task<web::Result<boost::json::object>> ask(std::string method, std::string token, FormFields) const;
  web::Task<SendResult> deliver(web::FetchRequest) const;
  web::Task<SendResult> send_file(Sending) const;
  web::FetchRequest message_request(const Sending&) const;
  web::Task<web::Result<void>> open_socket();
  web::Task<web::Result<void>> acknowledge();
  // What an envelope carries, if anything.
  std::vector<Received> take(const boost::json::object& envelope);
  std::vector<Received> read_payload(const boost::json::object& payload) const;
  std::optional<Received> read_event(const boost::json::object& event) const;

  const std::string token_, app_token_, signing_secret_, api_url_;
  const web::CallOrigin origin_;
  const web::Reach reach_;  // of addresses that Slack names
  Traits traits_;
  struct Person {
    std::string name, language;
  };
  std::optional<Person> known_person(const std::string& id) const;
  mutable std::mutex mutex_;  // protects bot_user_ and people_
  std::string bot_user_;
  std::map<std::string, Person> people_;  // by id
  std::unique_ptr<web::ClientWebSocket> socket_;
  std::chrono::steady_clock::time_point opened_at_{};
  bool is_closing_ = false;                  // Slack asks for another connection
  std::vector<std::string> unacknowledged_;  // ids of envelopes
};

}  // namespace channels
