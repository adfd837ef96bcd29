// Matrix by the client-server API: events by long polling, answers as org.matrix.custom.html with edits. Without
// end-to-end encryption: in encrypted rooms the bot says so.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "appliance/hosting/channels/adapter.h"

namespace channels {

// Option "homeserver": its https address. The token is an access token of the bot's account.
class Matrix final : public Adapter {
 public:
  Matrix(const Channel&, const AdapterSettings&);
  // invalid, naming the field.
  static web::Result<void> check(const Channel&, const AdapterSettings&);

  const Traits& traits() const override { return traits_; }
  web::Task<web::Result<std::string>> sign_in() override;
  web::Task<web::Result<std::vector<Received>>> receive() override;
  web::Task<SendResult> send(Sending) override;
  web::Task<> typing(std::string chat) override;
  web::Task<web::Result<std::string>> download(FileReference) override;

 private:
  struct Room {
    std::string name;
    std::size_t members = 0;   // 0: to be asked for
    bool has_said_so = false;  // that it cannot read what is encrypted
  };
  web::FetchRequest request(std::string_view method, const std::string& path) const;
  // unauthenticated: the token is refused; too_many, with `extra` as the server has it, while it wants a pause.
  web::Task<web::Result<boost::json::value>> call(std::string method, std::string path, boost::json::object body = {},
                                                  std::chrono::seconds timeout = std::chrono::seconds(20)) const;
  web::Task<web::Result<void>> keep_position();
  web::Task<> join(std::string room);
  web::Task<web::Result<void>> read_room(std::string id, const boost::json::object& room, std::vector<Received>&);
  web::Task<web::Result<boost::json::array>> missed_events(std::string room, std::string before) const;
  web::Task<> learn_members(std::string id, Room&);
  web::Task<> refuse_encrypted(std::string id, Room&);
  void read_state(const boost::json::value& events, Room&) const;
  std::optional<Received> read_message(const boost::json::value& event, const std::string& room_id, const Room&) const;
  web::Task<SendResult> put_message(const Sending&, boost::json::object content) const;
  web::Task<SendResult> send_file(const Sending&) const;

  const std::string token_, url_;
  const web::CallOrigin origin_;
  const web::Reach reach_;
  const store::Time since_;  // older events are not answered
  Traits traits_;
  std::string user_;
  std::string position_, kept_position_;  // of the sync; the one that the homeserver keeps for the next start
  std::map<std::string, Room, std::less<>> rooms_;
};

}  // namespace channels
