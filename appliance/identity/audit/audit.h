// Every act that security hangs on, in a record that is only ever added to.
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
  std::string outcome;       // "ok", or why not, as the client was told
  std::int64_t user_id = 0;  // whom it concerns; 0: nobody we know
  std::string subject;       // the e-mail, wallet or event it is about, as it was given
  std::string address;       // the client's; empty for what the box did itself
};
BOOST_DESCRIBE_STRUCT(Entry, (), (id, at, act, outcome, user_id, subject, address))

inline const store::Global<Entry, std::int64_t> entries{
    {.family = "audit", .number = 9}, &Entry::id, {store::index<Entry>(1, "at", &Entry::at)}};

inline constexpr std::chrono::days kept{400};

// Callable from every thread; must not outlive the store.
class Audit {
 public:
  explicit Audit(store::System system) : system_(std::move(system)) {}

  // Adds an entry; id and time are set here, long texts are cut. Written relaxed: a power cut may lose the last moment,
  // and no request waits for the disk because of it. Never throws: what cannot be written goes to the log.
  web::Task<> note(Entry);
  // The entries after `after`, oldest first. Blocks.
  std::vector<Entry> list(std::int64_t after, std::size_t limit) const;
  // Newest first, before the entry of that id; from the newest on without an id, and nothing for one that is gone.
  // Blocks.
  std::vector<Entry> newest(std::optional<std::int64_t> before, std::size_t limit) const;
  // Removes what is older than `kept`.
  web::Task<> sweep(store::Time now);

 private:
  store::System system_;
};

// An entry about what a request did, with its client's address.
Entry of_request(const web::Request&, std::string act, std::string subject);

}  // namespace audit
