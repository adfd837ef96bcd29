// The security audit log: append-only, kept for 400 days.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"
#include "web/http.h"
#include "web/task.h"

namespace audit {

struct Entry {
  std::int64_t id = 0;  // ascending with time
  store::Time at{};
  std::string act;           // "sign-in by wallet", "password reset", ...
  std::string outcome;       // "ok", or the error message that the client received
  std::int64_t user_id = 0;  // the user concerned; 0: unknown
  std::string subject;       // the e-mail, wallet or event concerned, as the client sent it
  std::string address;       // the client's; empty for actions of the box itself
};
BOOST_DESCRIBE_STRUCT(Entry, (), (id, at, act, outcome, user_id, subject, address))

inline const store::Global<Entry, std::int64_t> entries{
    {.family = "audit", .number = 9}, &Entry::id, {store::index<Entry>(1, "at", &Entry::at)}};

inline constexpr std::chrono::days kept{400};

// Callable from every thread; must not outlive the store.
class Audit {
 public:
  explicit Audit(store::System system) : system_(std::move(system)) {}

  // Adds an entry; sets its id and time, truncates long texts. Written relaxed: no request waits for the disk, and a
  // power failure may lose the latest entries. Never throws: an entry that cannot be written goes to the log.
  web::Task<> note(Entry);
  // The entries after `after`, oldest first. Blocks.
  std::vector<Entry> list(std::int64_t after, std::size_t limit) const;
  // Newest first, before the entry of that id; without an id from the newest on. Empty if there is no such entry.
  // Blocks.
  std::vector<Entry> newest(std::optional<std::int64_t> before, std::size_t limit) const;
  // Removes entries older than `kept`.
  web::Task<> sweep(store::Time now);

 private:
  store::System system_;
};

// The client that caused an entry.
struct Actor {
  web::Caller caller;
  std::string address;
};
Actor actor_of(const web::Request&);

// A new entry with outcome "ok".
Entry entry_by(const Actor&, std::string act, std::string subject);
Entry of_request(const web::Request&, std::string act, std::string subject);

}  // namespace audit
