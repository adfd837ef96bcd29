// What is stored about invite codes.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>

#include "store/store.h"

namespace invites {

// An invite admits `uses` newcomers. A pass is the use of an invite that somebody has taken, and admits that one.
BOOST_DEFINE_ENUM_CLASS(Kind, invite, pass)

struct Invite {
  std::string id;           // the first part of the code
  std::string secret_hash;  // SHA-256 of the code's second part, in hex
  Kind kind = Kind::invite;
  std::int64_t uses = 1, used = 0;
  std::optional<std::string> plan;   // given to each newcomer
  std::optional<std::string> group;  // id of the one that each newcomer joins
  std::string note;
  store::Time created_at{};
  store::Time expires_at{};
};
BOOST_DESCRIBE_STRUCT(Invite, (), (id, secret_hash, kind, uses, used, plan, group, note, created_at, expires_at))

inline const store::Global<Invite> table{
    {.family = "invites", .number = 93}, &Invite::id, {store::index<Invite>(1, "expires", &Invite::expires_at)}};

}  // namespace invites
