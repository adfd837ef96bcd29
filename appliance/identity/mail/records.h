// Mails to be sent, or to be read by the administrator.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/store.h"
#include "store/table.h"

namespace mail {

enum class Delivery { pending, sent, kept, failed };
BOOST_DESCRIBE_ENUM(Delivery, pending, sent, kept, failed)

struct Mail {
  std::int64_t id = 0;
  std::string to, subject;
  store::Sealed body;  // may contain a link that gives access
  Delivery delivery = Delivery::pending;
  std::int64_t attempts = 0;
  std::string problem;  // of the last attempt
  store::Time created_at{}, next_attempt_at{};
};
BOOST_DESCRIBE_STRUCT(Mail, (), (id, to, subject, body, delivery, attempts, problem, created_at, next_attempt_at))

inline const store::Global<Mail, std::int64_t> mails{
    {.family = "mails", .number = 8},
    &Mail::id,
    {store::index<Mail>(1, "delivery", &Mail::delivery), store::index<Mail>(2, "created_at", &Mail::created_at)}};

}  // namespace mail
