// What is stored about notices: the notices themselves, how each user wants them, and the browsers that get them
// pushed.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace notices {

// How notices leave the box. Every notice is in the console besides.
BOOST_DEFINE_ENUM_CLASS(Way, channels, email, push)
// Who gives notice: an agent, the gate with a question, the watchdog, a limit that was reached, a swarm that ended.
BOOST_DEFINE_ENUM_CLASS(Kind, agent, question, health, limit, swarm, test)

// How a user wants notices. Times of day are minutes after midnight in the user's time zone.
struct Preferences {
  std::int64_t owner = 0;
  std::string id = "preferences";
  std::vector<Way> ways{Way::channels, Way::email, Way::push};  // in order
  bool first_only = false;                                      // only the first of the ways that reaches the user
  std::string time_zone;                                        // IANA; empty: the box's
  std::optional<std::int64_t> quiet_from, quiet_until;          // both or neither
  bool urgent_when_quiet = false;
  std::optional<std::int64_t> digest_at;  // then notices that are not urgent are collected
};
BOOST_DESCRIBE_STRUCT(Preferences, (),
                      (owner, id, ways, first_only, time_zone, quiet_from, quiet_until, urgent_when_quiet, digest_at))

inline const store::Owned<Preferences> preferences_table{
    {.family = "notice_preferences", .number = 236}, &Preferences::owner, &Preferences::id, {}};

// Kept for 30 days.
struct StoredNotice {
  std::int64_t owner = 0;
  std::string id;                 // "nt_" and an ordered id
  std::string agent, agent_name;  // as it was then; empty: no agent
  Kind kind = Kind::agent;
  bool is_urgent = false;
  std::string subject, text;  // Markdown
  std::string path;           // of the page that it is about
  std::string mail_subject;
  store::Sealed mail_body;            // may contain a link that gives access; empty: made of the text
  std::optional<store::Time> due_at;  // while it waits
  std::vector<Way> sent_by;
  store::Time created_at{};
};
BOOST_DESCRIBE_STRUCT(StoredNotice, (),
                      (owner, id, agent, agent_name, kind, is_urgent, subject, text, path, mail_subject, mail_body,
                       due_at, sent_by, created_at))

inline const store::Owned<StoredNotice> notices_table{
    {.family = "owner_notices", .number = 237},
    &StoredNotice::owner,
    &StoredNotice::id,
    {store::index<StoredNotice>(1, "due", &StoredNotice::due_at),
     store::index<StoredNotice>(2, "created_at", &StoredNotice::created_at)}};

// A browser that shows notices.
struct PushDevice {
  std::int64_t owner = 0;
  std::string id;  // "pd_" and 24 hex digits of the SHA-256 of its endpoint
  std::string name;
  store::Sealed endpoint, secret;  // endpoint: its address at the push service, secret: both as the browser gives them
  std::string public_key;          // base64url
  std::string error;               // of the last attempt, a sentence; empty: it was accepted
  store::Time created_at{};
  std::optional<store::Time> last_used_at;  // when the push service last accepted a message
};
BOOST_DESCRIBE_STRUCT(PushDevice, (), (owner, id, name, endpoint, secret, public_key, error, created_at, last_used_at))

inline const store::Owned<PushDevice> devices_table{{.family = "push_devices", .number = 238},
                                                    &PushDevice::owner,
                                                    &PushDevice::id,
                                                    {store::unique<PushDevice>(1, "device", &PushDevice::id)}};

// How much a message matters to a device that saves energy (RFC 8030, 5.3).
BOOST_DEFINE_ENUM_CLASS(Urgency, low, normal, high)

// A message that its push service does not have yet. Removed once it has, or once it has expired.
struct PushMessage {
  std::int64_t owner = 0;
  std::string id;  // the device's id, ".", and an ordered id
  std::string device;
  store::Sealed payload;  // JSON
  Urgency urgency = Urgency::normal;
  std::int64_t attempts = 0;
  store::Time created_at{}, next_at{}, expires_at{};
};
BOOST_DESCRIBE_STRUCT(PushMessage, (), (owner, id, device, payload, urgency, attempts, created_at, next_at, expires_at))

inline const store::Owned<PushMessage> push_messages{{.family = "push_messages", .number = 239},
                                                     &PushMessage::owner,
                                                     &PushMessage::id,
                                                     {store::scoped<PushMessage>(1, "device", &PushMessage::device)}};

}  // namespace notices
