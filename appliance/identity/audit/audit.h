// The security audit log: append-only, and chained (chain.h), so that a later change shows.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"
#include "web/protocol/http.h"
#include "web/task.h"

namespace audit {

struct Entry {
  std::int64_t id = 0;  // ascending, in the order of the chain
  store::Time at{};
  std::string act;           // "sign-in by wallet", "password reset", ...
  std::string outcome;       // "ok", or the error message that the client received
  std::int64_t user_id = 0;  // the user concerned; 0: unknown
  std::string subject;       // the e-mail, wallet or event concerned, as the client sent it
  std::string address;       // the client's; empty for actions of the box itself
  std::string by;            // the backend's key, "internal" or "operator:<name>"; or "admin:<user id>"
  std::string acting_as;     // the person who used that key, as the client says
  // The chain. Digests are SHA-256 in hex. Empty in entries of a store that was older than the chain.
  std::string salt;      // 32 hex digits; empty once the personal data is erased
  std::string personal;  // of the salt, user_id, subject, address and acting_as
  std::string previous;  // hash of the entry before
  std::string hash;      // of all but user_id, subject, address, acting_as and salt
};
BOOST_DESCRIBE_STRUCT(Entry, (),
                      (id, at, act, outcome, user_id, subject, address, by, acting_as, salt, personal, previous, hash))

inline const store::Global<Entry, std::int64_t> entries{
    {.family = "audit", .number = 9}, &Entry::id, {store::index<Entry>(1, "at", &Entry::at)}};

// Callable from every thread; must not outlive the store.
class Audit {
 public:
  explicit Audit(store::System system) : system_(std::move(system)) {}

  // Appends an entry to the chain; sets its id and time, truncates long texts. Written relaxed: no request waits for
  // the disk, and a power failure may lose the latest entries. Never throws: an entry that cannot be written goes to
  // the log.
  web::Task<> note(Entry);
  // The entries after `after`, oldest first. Blocks.
  std::vector<Entry> list(std::int64_t after, std::size_t limit) const;
  // Newest first, before the entry of that id; without an id from the newest on. Empty if there is no such entry.
  // Blocks.
  std::vector<Entry> newest(std::optional<std::int64_t> before, std::size_t limit) const;
  // The entries that concern the user (0: none) or have one of the subjects, by id. Reads the whole table: blocks.
  std::vector<std::int64_t> concerning(store::UserId, const std::vector<std::string>& subjects) const;
  // Empties what these entries say about a person; they stay in the chain. Returns how many had any of it.
  web::Task<std::size_t> erase_personal_data(std::vector<std::int64_t> ids);

 private:
  web::Task<> append(Entry&);
  store::System system_;
};

// The client that caused an entry.
struct Actor {
  web::Caller caller;
  std::string address;
  std::string by, acting_as;  // as in Entry
};
Actor actor_of(const web::Request&);

// A new entry with outcome "ok".
Entry entry_by(const Actor&, std::string act, std::string subject);
Entry of_request(const web::Request&, std::string act, std::string subject);

}  // namespace audit
