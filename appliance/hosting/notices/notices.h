// What users hear unasked: from their agents, and from the box about them. Every notice is in the console; it leaves
// the box by the ways that its user has chosen, at once, after the quiet hours or in a digest.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/periodic.h"
#include "appliance/foundation/task_group.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/hosting/notices/push.h"
#include "appliance/hosting/notices/records.h"
#include "appliance/hosting/schedule/time_zone.h"
#include "appliance/identity/mail/outbox.h"
#include "appliance/identity/site.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace notices {

inline constexpr std::int64_t max_notices_a_day = 20;  // of an agent (UTC)
inline constexpr std::chrono::days kept{30};

// By an agent.
struct Notice {
  std::string agent;
  std::string subject;  // of the mail; empty: the text's first line
  std::string text;     // Markdown
};

// By the box.
struct Report {
  Kind kind = Kind::health;
  std::string agent;  // that it is about; empty: none
  bool is_urgent = false;
  std::string subject, text;  // the text is Markdown
  std::string path;           // of the page about it
  std::string mail_subject{}, mail_body{};
};

struct Sent {
  std::string message;            // id of the message in the conversation
  bool is_mailed = false;         // false: there is no mail server, or the owner has no verified address
  std::size_t accounts = 0;       // on channels, to which it was sent
  std::size_t devices = 0;        // with push
  std::vector<Way> ways;          // that it took
  std::optional<store::Time> at;  // it waits until then
};

// The accounts that an owner has linked to the channels of an agent.
struct OwnerChannels {
  std::function<std::size_t(store::UserId, const std::string& agent)> count;
  // Adds a text for all of them to a change. What it returns is called after the commit.
  std::function<std::function<void()>(store::Change&, store::UserId, const std::string& agent, const std::string&)> add;
};

// Whether an agent has said that there is nothing to report: its owner is then not told.
bool says_nothing(std::string_view text);

// The parts of the box that it uses; they must outlive it.
struct NoticeSources {
  store::System system;
  const agents::AgentDirectory& agents;
  chat::Chat& chat;
  mail::Outbox& outbox;
  const agentbox::Site& site;
  OwnerChannels channels;
  std::function<bool(store::UserId, std::string_view path)> is_answered;  // the question that a path is about
  PushOptions push;
};

// Callable from every thread, except for start() and stop(): on the home thread.
class Notices {
 public:
  Notices(NoticeSources, boost::asio::io_context& home);

  // Durable once it returns. not_found when the agent is not the user's; too_many with `limit` and `resetsAt` when the
  // agent has sent as many today.
  web::Task<web::Result<Sent>> send(store::UserId owner, Notice);
  // Durable once it returns.
  web::Task<Sent> report(store::UserId owner, Report);
  // Returns at once. With a mark it is sent once for this mark.
  void report_later(store::UserId owner, Report, std::string mark = {});
  // By all ways, whatever the hour, to show that they work.
  web::Task<Sent> send_test(store::UserId owner);

  Preferences preferences_of(store::UserId owner) const;
  // Notices that wait are sent when the new preferences say so. invalid, naming the field.
  web::Task<web::Result<void>> set_preferences(Preferences);
  const schedule::TimeZone& zone_of(const Preferences&) const;
  // Newest first.
  std::vector<StoredNotice> recent(store::UserId owner, std::size_t limit) const;
  // Whether the owner gets questions on channels now. The channels ask them themselves, with buttons.
  bool may_ask_on_channels(store::UserId owner) const;
  // Whether the user has a verified address, and the box a mail server.
  bool has_mail(store::UserId owner) const;
  // For Events::agent_removed.
  web::Task<> forget(store::UserId owner, std::string agent);

  Push& push() { return push_; }

  web::Task<> start();
  web::Task<> stop();

 private:
  web::Task<Sent> enter(StoredNotice);
  // All of one owner. Those that are not new are left out if another call has sent them.
  web::Task<Sent> deliver(std::vector<StoredNotice>, bool is_new);
  web::Task<bool> add_mail(store::Change&, const std::vector<StoredNotice>&, const schedule::TimeZone&);
  web::Task<> report_once(store::UserId, Report, std::string mark);
  web::Task<> send_due();
  web::Task<> prune();

  const NoticeSources sources_;
  const schedule::TimeZones zones_;
  Push push_;
  agentbox::TaskGroup tasks_;
  agentbox::Periodic rounds_, pruning_;
};

}  // namespace notices
