// XMPP: a client with SASL SCRAM, rooms (XEP-0045), files (XEP-0363), corrections (XEP-0308), and stream management
// (XEP-0198), so that neither side loses what the other has not stored.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "appliance/hosting/channels/adapter.h"
#include "appliance/hosting/channels/adapters/stream.h"
#include "appliance/hosting/channels/adapters/xml_stream.h"

namespace channels {

// Options: "address" (scout@example.org), "server" where it is not the address' domain, "rooms" (addresses, separated
// by commas or spaces), "nickname" in rooms (default: the address' first part). The token is the password.
class Xmpp final : public Adapter {
 public:
  Xmpp(const Channel&, const AdapterSettings&);
  // invalid, naming the field.
  static web::Result<void> check(const Channel&, const AdapterSettings&);

  const Traits& traits() const override { return traits_; }
  web::Task<web::Result<std::string>> sign_in() override;
  web::Task<web::Result<std::vector<Received>>> receive() override;
  web::Task<SendResult> send(Sending) override;
  void disconnected() override;
  web::Task<> typing(std::string chat) override;
  web::Task<web::Result<std::string>> download(FileReference) override;
  std::string invitation_url(std::string_view secret) const override;

 private:
  // What a coroutine waits for while receive() reads: an answer to a query, or that the server has a message.
  struct Waiter {
    explicit Waiter(const web::Executor& executor) : timer(executor) {}
    web::Timer timer;
    std::uint32_t count = 0;           // of stanzas that the server must have
    std::optional<XmlElement> answer;  // to a query, or an error in the place of a message
    bool is_done = false;
  };
  using Waiting = std::shared_ptr<Waiter>;

  web::Task<web::Result<void>> begin();
  web::Task<web::Result<void>> authenticate(const XmlElement& features);
  web::Task<web::Result<void>> bind();
  // A new stream; what the server offers on it.
  web::Task<web::Result<XmlElement>> open_stream();
  web::Task<web::Result<XmlElement>> next_stanza(std::chrono::milliseconds);
  web::Task<web::Result<void>> write_stanza(std::string);
  // Of sign_in(): reads until the query with this id is answered.
  web::Task<web::Result<XmlElement>> ask_alone(std::string query, std::string id);
  web::Task<web::Result<XmlElement>> ask(std::string to, std::string type, std::string content);
  web::Task<bool> wait_for(Waiting, std::chrono::seconds);
  web::Task<web::Result<void>> handle(XmlElement);
  web::Task<web::Result<void>> answer_query(const XmlElement&);
  std::optional<Received> read_message(const XmlElement&) const;
  web::Task<SendResult> deliver(const Sending&, std::string body, std::string more);
  web::Task<web::Result<std::string>> find_upload_service();
  web::Task<SendResult> send_file(const Sending&);
  void acknowledged(std::uint32_t count);

  const std::string address_, user_, domain_, password_, nickname_;
  const std::vector<std::string> rooms_;
  const ServerAddress server_;
  const web::CallOrigin origin_;
  const web::Reach reach_;
  Traits traits_;

  std::unique_ptr<Stream> stream_;
  std::unique_ptr<XmlStream> xml_;
  std::vector<Received> received_;
  bool counts_ = false;                                  // stream management is on
  std::uint32_t sent_ = 0, heard_ = 0;                   // stanzas
  std::uint32_t returned_ = 0, taken_ = 0;               // of those heard, by the last receive(); and stored since
  std::uint32_t acknowledged_ = 0;                       // taken_ when the server was last told
  bool is_silent_ = false;                               // nothing came for a minute, and the server was asked
  std::map<std::string, Waiting, std::less<>> answers_;  // by the id of a query or message
  std::vector<Waiting> deliveries_;
  std::optional<std::string> upload_service_;
};

}  // namespace channels
