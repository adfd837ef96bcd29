#pragma once

#include <boost/asio/thread_pool.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/audit/signed_heads.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace audit {

// What the rows depend on; all of it must outlive them.
struct Services {
  Audit& audit;
  SignedHeads& heads;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
};

struct ListQuery {
  std::optional<web::Integer<1, 10'000>> limit;
  std::optional<web::Integer<0, std::numeric_limits<std::int64_t>::max()>> before, after;
  std::optional<web::Text<1, 10>> format;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit, before, after, format))

struct EntryView {
  std::int64_t id = 0;
  store::Time at;
  std::string act, outcome;
  std::optional<std::string> userId;
  std::string subject, address;
  std::optional<std::string> by, as;
};
BOOST_DESCRIBE_STRUCT(EntryView, (), (id, at, act, outcome, userId, subject, address, by, as))

struct EntryPage {
  std::vector<EntryView> entries;
  std::optional<std::int64_t> next;
};
BOOST_DESCRIBE_STRUCT(EntryPage, (), (entries, next))

struct ExportQuery {
  std::optional<web::Integer<1, 10'000>> limit;
  std::optional<web::Integer<0, std::numeric_limits<std::int64_t>::max()>> after;
};
BOOST_DESCRIBE_STRUCT(ExportQuery, (), (limit, after))

// Times in milliseconds since the epoch, as they were hashed and signed.
struct ExportedEntry {
  std::int64_t id = 0, at = 0;
  std::string act, outcome, by, userId, subject, address, as, salt, personal, previous, hash;
};
BOOST_DESCRIBE_STRUCT(ExportedEntry, (),
                      (id, at, act, outcome, by, userId, subject, address, as, salt, personal, previous, hash))

struct ExportedHead {
  std::string kind;
  std::int64_t entry = 0;
  std::string hash;
  std::int64_t first = 0, at = 0;
  std::string signature;
};
BOOST_DESCRIBE_STRUCT(ExportedHead, (), (kind, entry, hash, first, at, signature))

struct ExportView {
  std::string publicKey;
  std::optional<std::int64_t> first;
  std::optional<ExportedHead> anchor;
  std::vector<ExportedEntry> entries;
  std::vector<ExportedHead> heads;
  std::optional<std::int64_t> next;
};
BOOST_DESCRIBE_STRUCT(ExportView, (), (publicKey, first, anchor, entries, heads, next))

struct ProblemView {
  std::optional<std::int64_t> entry;
  std::string what;
};
BOOST_DESCRIBE_STRUCT(ProblemView, (), (entry, what))

struct VerificationView {
  bool ok = true;
  std::int64_t entries = 0, unprotected = 0, erased = 0, notSigned = 0;
  std::optional<std::int64_t> signedEntry;
  std::optional<store::Time> signedAt;
  std::optional<ProblemView> problem;
};
BOOST_DESCRIBE_STRUCT(VerificationView, (),
                      (ok, entries, unprotected, erased, notSigned, signedEntry, signedAt, problem))

struct ErasureQuery {
  std::optional<web::Text<1, 20>> userId;
  std::optional<web::Text<1, 300>> subject;
};
BOOST_DESCRIBE_STRUCT(ErasureQuery, (), (userId, subject))

struct Erased {
  std::int64_t erased = 0;
};
BOOST_DESCRIBE_STRUCT(Erased, (), (erased))

// The audit log, in pages or as JSON lines: for administrators, and for the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace audit
