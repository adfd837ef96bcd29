// A mailbox over IMAP4rev1 (RFC 3501): what is new in it, whole messages and parts of them, and waiting by IDLE
// (RFC 2177). Over libcurl there is no IDLE.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/channels/adapters/stream.h"
#include "store/clock.h"

namespace channels {

struct ImapAccount {
  ServerAddress server;
  std::string user, password;
  std::string folder = "INBOX";
};

// A line of the server with the literals in it: "* 1 FETCH (BODY[] {5}" + "Hello" + ")".
struct ImapReply {
  std::string text;  // with "{}" in the place of each literal
  std::vector<std::string> literals;
};

// On one thread, one call at a time. Errors: unauthenticated if the server refuses the credentials.
class Imap {
 public:
  static web::Task<web::Result<std::unique_ptr<Imap>>> open(web::CallOrigin, ImapAccount, web::Reach);
  explicit Imap(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

  std::uint32_t validity() const { return validity_; }  // the folder's UIDVALIDITY: other than before, other UIDs
  // UIDs of messages without \Seen that have arrived since then or on the day before, in ascending order.
  web::Task<web::Result<std::vector<std::uint32_t>>> unseen(store::Time since);
  struct Size {
    std::size_t bytes = 0;
    std::optional<store::Time> arrived;
  };
  web::Task<web::Result<Size>> size(std::uint32_t uid);
  // Of a message, at most the first `max_bytes`; of the part with this number ("1.2"), everything. Sets no flag.
  web::Task<web::Result<std::string>> message(std::uint32_t uid, std::size_t max_bytes);
  web::Task<web::Result<std::string>> part(std::uint32_t uid, std::string section);
  web::Task<web::Result<void>> mark_seen(std::vector<std::uint32_t> uids);
  // Until something changes in the folder.
  web::Task<web::Result<void>> wait(std::chrono::seconds at_most);

 private:
  web::Task<web::Result<ImapReply>> read_reply(std::chrono::milliseconds);
  // The untagged replies; an error that says `what` failed unless the server answers OK.
  web::Task<web::Result<std::vector<ImapReply>>> command(std::string text, std::string what);
  web::Task<web::Result<void>> authenticate(ImapAccount);
  web::Task<web::Result<void>> select(std::string folder);
  web::Task<web::Result<std::string>> body(std::uint32_t uid, std::string section);
  void note(const ImapReply&);
  bool can(std::string_view capability) const;

  std::unique_ptr<Stream> stream_;
  std::vector<std::string> capabilities_;
  std::uint32_t tags_ = 0, validity_ = 0;
  bool has_changed_ = false;  // since the last unseen()
};

// "17-Jul-2026 02:44:25 +0200"; nothing for other texts.
std::optional<store::Time> imap_time(std::string_view text);

}  // namespace channels
