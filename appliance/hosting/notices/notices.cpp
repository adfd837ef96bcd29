#include "appliance/hosting/notices/notices.h"

#include <algorithm>
#include <map>

#include "appliance/access/records.h"
#include "appliance/billing/usage/period.h"
#include "appliance/foundation/ordered_id.h"
#include "appliance/hosting/notices/preferences.h"
#include "appliance/hosting/notices/wording.h"
#include "web/ascii.h"
#include "web/routes/reply.h"

namespace notices {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t at_once = 500, max_listed = 1'000;

store::CounterName count_of(const std::string& agent, store::Time at) {
  return {"notices/" + agent + "/" + usage::Period::day(at).name()};
}

web::Error limit_reached(store::Time at) {
  web::Error error{.kind = web::Kind::too_many,
                   .message = "An agent may send " + std::to_string(max_notices_a_day) + " notices a day."};
  error.extra["limit"] = max_notices_a_day;
  error.extra["resetsAt"] = web::iso8601(usage::next_day(at));
  return error;
}

web::Result<void> check(const Preferences& wanted, const schedule::TimeZones& zones) {
  auto ways = wanted.ways;
  std::ranges::sort(ways);
  if (std::ranges::adjacent_find(ways) != ways.end()) return web::invalid("ways must not repeat a way");
  if (!wanted.time_zone.empty() && !zones.find(wanted.time_zone))
    return web::invalid("timeZone: this box knows no '" + wanted.time_zone + "'");
  if (wanted.quiet_from.has_value() != wanted.quiet_until.has_value())
    return web::invalid("quietFrom and quietUntil must both be set, or neither");
  if (wanted.quiet_from && wanted.quiet_from == wanted.quiet_until)
    return web::invalid("quietUntil must differ from quietFrom");
  return {};
}

// Each agent's, in their order.
std::map<std::string, std::vector<StoredNotice>> by_agent(const std::vector<StoredNotice>& notices) {
  std::map<std::string, std::vector<StoredNotice>> groups;
  for (const auto& notice : notices)
    if (!notice.agent.empty()) groups[notice.agent].push_back(notice);
  return groups;
}

Urgency urgency_of(const std::vector<StoredNotice>& notices) {
  if (std::ranges::any_of(notices, &StoredNotice::is_urgent)) return Urgency::high;
  return notices.size() > 1 ? Urgency::low : Urgency::normal;
}

}  // namespace

bool says_nothing(std::string_view text) {
  auto words = web::lower_case(web::trim(text, " \t\r\n*_`.!\""));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words == "nothing to report";
}

Notices::Notices(NoticeSources sources, boost::asio::io_context& home)
    : sources_(std::move(sources)),
      push_(sources_.system, sources_.push, home),
      tasks_(home, "notice_failed"),
      rounds_(home, "notices that waited", 1s, [this] { return send_due(); }),
      pruning_(home, "old notices", 1h, [this] { return prune(); }) {}

web::Task<> Notices::start() {
  push_.start();
  rounds_.start();
  pruning_.start();
  co_return;
}

web::Task<> Notices::stop() {
  co_await pruning_.stop();
  co_await rounds_.stop();
  co_await tasks_.stop();
  co_await push_.stop();
}

web::Task<web::Result<Sent>> Notices::send(store::UserId owner, Notice notice) {
  const auto agent = sources_.agents.find(owner, notice.agent);
  if (!agent) co_return web::not_found("No such agent");
  const auto now = store::now();
  auto change = sources_.system.tenant(owner).change();
  change.add(owner, count_of(agent->id, now), 1, max_notices_a_day);
  const auto counted = co_await change.commit();
  if (!counted.ok()) co_return limit_reached(now);

  auto message = co_await sources_.chat.post(owner, agent->id, notice.text);
  if (!message) co_return message.error();
  Report report{.kind = Kind::agent,
                .agent = agent->id,
                .is_urgent = false,
                .subject = std::move(notice.subject),
                .text = std::move(notice.text),
                .path = "/agents/" + agent->id};
  auto sent = co_await this->report(owner, std::move(report));
  sent.message = std::move(message->id);
  co_return sent;
}

web::Task<Sent> Notices::report(store::UserId owner, Report report) {
  const auto now = store::now();
  const auto agent = report.agent.empty() ? std::nullopt : sources_.agents.find(owner, report.agent);
  const auto wanted = preferences_of(owner);
  StoredNotice notice{.owner = owner,
                      .id = "nt_" + agentbox::ordered_id(now),
                      .agent = agent ? agent->id : std::string(),
                      .agent_name = agent ? agent->name : std::string(),
                      .kind = report.kind,
                      .is_urgent = report.is_urgent,
                      .subject = std::move(report.subject),
                      .text = std::move(report.text),
                      .path = std::move(report.path),
                      .mail_subject = std::move(report.mail_subject),
                      .mail_body = {std::move(report.mail_body)},
                      .due_at = due_time(wanted, zone_of(wanted), report.is_urgent, now),
                      .sent_by = {},
                      .created_at = now};
  return enter(std::move(notice));
}

web::Task<Sent> Notices::enter(StoredNotice notice) {
  if (notice.due_at > notice.created_at) {
    auto change = sources_.system.change();
    change.insert_new(notices_table, notice);
    co_await change.commit();
    co_return Sent{.message = {}, .ways = {}, .at = notice.due_at};
  }
  std::vector<StoredNotice> one;
  one.push_back(std::move(notice));
  co_return co_await deliver(std::move(one), true);
}

web::Task<Sent> Notices::send_test(store::UserId owner) {
  const auto now = store::now();
  StoredNotice notice{.owner = owner,
                      .id = "nt_" + agentbox::ordered_id(now),
                      .agent = {},
                      .agent_name = {},
                      .kind = Kind::test,
                      .is_urgent = true,
                      .subject = "Test",
                      .text = "This is a test of your notifications. They work.",
                      .path = "/settings/notifications",
                      .mail_subject = {},
                      .mail_body = {},
                      .due_at = now,
                      .sent_by = {},
                      .created_at = now};
  return enter(std::move(notice));
}

void Notices::report_later(store::UserId owner, Report report, std::string mark) {
  if (owner == 0) return;
  if (!mark.empty() && sources_.system.counter(owner, {mark}) > 0) return;
  tasks_.spawn("report", report_once(owner, std::move(report), std::move(mark)));
}

web::Task<> Notices::report_once(store::UserId owner, Report one, std::string mark) {
  if (!mark.empty()) {
    auto change = sources_.system.tenant(owner).change();
    change.add(owner, {std::move(mark)}, 1, 1);
    const auto counted = co_await change.commit();
    if (!counted.ok()) co_return;
  }
  co_await report(owner, std::move(one));
}

web::Task<Sent> Notices::deliver(std::vector<StoredNotice> batch, bool is_new) {
  const auto& system = sources_.system;
  const auto owner = batch.front().owner;
  const auto wanted = preferences_of(owner);
  const auto& zone = zone_of(wanted);
  for (;;) {
    Sent sent;
    auto change = system.change();
    std::vector<store::Row<StoredNotice>> rows;
    if (!is_new) {
      std::vector<StoredNotice> waiting;
      for (const auto& notice : batch)
        if (auto row = system.get(notices_table, owner, notice.id); row && row->value.due_at) {
          const bool is_moot = row->value.kind == Kind::question && sources_.is_answered(owner, row->value.path);
          if (!is_moot) waiting.push_back(row->value);
          rows.push_back(std::move(*row));
        }
      if (rows.empty()) co_return sent;
      batch = std::move(waiting);
    }
    const auto user = system.get(accounts::users, owner);
    std::vector<std::function<void()>> after;
    auto ways = wanted.ways;
    if (!user || user->value.is_disabled || batch.empty()) ways.clear();
    for (const auto way : ways) {
      bool is_reached = false;
      if (way == Way::channels) {
        for (const auto& [agent, notices] : by_agent(batch)) {
          const auto accounts = sources_.channels.count(owner, agent);
          sent.accounts += accounts;
          const bool is_asked_there = notices.size() == 1 && notices.front().kind == Kind::question;
          if (accounts > 0 && !is_asked_there)
            after.push_back(sources_.channels.add(change, owner, agent, chat_text(notices, zone)));
        }
        is_reached = sent.accounts > 0;
      } else if (way == Way::email) {
        is_reached = sent.is_mailed = co_await add_mail(change, batch, zone);
      } else {
        sent.devices = push_.add_messages(change, owner, push_payload(batch), urgency_of(batch));
        is_reached = sent.devices > 0;
      }
      if (is_reached) sent.ways.push_back(way);
      if (is_reached && wanted.first_only) break;
    }
    for (auto& row : rows) {
      row.value.due_at.reset();
      row.value.sent_by = sent.ways;
      change.update(notices_table, row);
    }
    if (is_new)
      for (auto& notice : batch) {
        notice.due_at.reset();
        notice.sent_by = sent.ways;
        change.insert_new(notices_table, notice);
      }
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) continue;  // a browser's queue or the notices have changed meanwhile
    for (const auto& wake : after) wake();
    if (sent.devices > 0) push_.wake(owner);
    co_return sent;
  }
}

bool Notices::has_mail(store::UserId owner) const {
  const auto user = sources_.system.get(accounts::users, owner);
  return sources_.outbox.is_sending() && user && user->value.email_verified;
}

web::Task<bool> Notices::add_mail(store::Change& change, const std::vector<StoredNotice>& batch,
                                  const schedule::TimeZone& zone) {
  const auto user = sources_.system.get(accounts::users, batch.front().owner);
  if (!has_mail(batch.front().owner)) co_return false;
  auto composed = letter(batch, zone, sources_.site, user->value.email);
  co_await sources_.outbox.add(change, std::move(composed));
  co_return true;
}

Preferences Notices::preferences_of(store::UserId owner) const {
  Preferences usual;
  usual.owner = owner;
  const auto row = sources_.system.get(preferences_table, owner, usual.id);
  return row ? row->value : usual;
}

const schedule::TimeZone& Notices::zone_of(const Preferences& wanted) const {
  const auto* zone = zones_.find(wanted.time_zone.empty() ? zones_.of_the_box() : wanted.time_zone);
  return zone ? *zone : *zones_.find("UTC");
}

web::Task<web::Result<void>> Notices::set_preferences(Preferences wanted) {
  if (const auto good = check(wanted, zones_); !good) co_return good.error();
  const auto& system = sources_.system;
  for (bool is_stored = false; !is_stored;) {
    auto change = system.change();
    if (auto row = system.get(preferences_table, wanted.owner, wanted.id)) {
      row->value = wanted;
      change.update(preferences_table, *row);
    } else {
      change.insert(preferences_table, wanted);
    }
    const auto outcome = co_await change.commit();
    is_stored = outcome.ok();
  }
  const auto& zone = zone_of(wanted);
  const auto now = store::now();
  for (const auto& notice : recent(wanted.owner, max_listed)) {
    if (!notice.due_at) continue;
    const auto due = due_time(wanted, zone, notice.is_urgent, now);
    const auto postpone = [due](StoredNotice& stored) {
      if (stored.due_at) stored.due_at = due;
    };
    co_await system.modify(notices_table, wanted.owner, notice.id, postpone);
  }
  co_return web::Result<void>();
}

std::vector<StoredNotice> Notices::recent(store::UserId owner, std::size_t limit) const {
  return sources_.system.tenant(owner).list(notices_table, {.limit = limit, .after = {}, .newest_first = true});
}

bool Notices::may_ask_on_channels(store::UserId owner) const {
  const auto wanted = preferences_of(owner);
  if (!wanted.urgent_when_quiet && is_quiet(wanted, zone_of(wanted), store::now())) return false;
  for (const auto way : wanted.ways) {
    if (way == Way::channels) return true;
    if (!wanted.first_only) continue;
    const bool is_reached = way == Way::email ? has_mail(owner) : !push_.devices(owner).empty();
    if (is_reached) return false;
  }
  return false;
}

web::Task<> Notices::forget(store::UserId owner, std::string agent) {
  for (bool is_forgotten = false; !is_forgotten;) {  // a notice may be sent meanwhile
    auto change = sources_.system.change();
    for (const auto& notice : sources_.system.tenant(owner).list(notices_table, {.limit = std::size_t(-1)}))
      if (notice.agent == agent)
        if (const auto row = sources_.system.get(notices_table, owner, notice.id)) change.erase(notices_table, *row);
    const auto outcome = co_await change.commit();
    is_forgotten = outcome.ok();
  }
}

web::Task<> Notices::send_due() {
  const auto next = store::now() + 1ms;
  std::map<store::UserId, std::vector<StoredNotice>> due;
  for (auto& notice : sources_.system.find_range(notices_table, "due", store::Time(), next, at_once)) {
    const auto owner = notice.owner;
    due[owner].push_back(std::move(notice));
  }
  for (auto& [owner, notices] : due) {
    std::ranges::sort(notices, {}, &StoredNotice::id);
    auto delivering = deliver(std::move(notices), false);
    co_await std::move(delivering);
  }
}

web::Task<> Notices::prune() {
  const auto end = store::now() - kept;
  const auto& system = sources_.system;
  for (;;) {
    const auto old = system.find_range(notices_table, "created_at", store::Time(), end, at_once);
    if (old.empty()) co_return;
    auto change = system.change();
    for (const auto& notice : old)
      if (const auto row = system.get(notices_table, notice.owner, notice.id)) change.erase(notices_table, *row);
    co_await change.commit(store::Durability::relaxed);
  }
}

}  // namespace notices
