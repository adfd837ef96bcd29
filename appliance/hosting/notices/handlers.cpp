#include "appliance/hosting/notices/handlers.h"

#include "appliance/access/sessions.h"
#include "appliance/hosting/notices/preferences.h"
#include "web/routes/reply.h"

namespace notices {

namespace {

constexpr std::size_t max_shown = 50;

std::optional<std::string> unless_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::optional<std::string> shown(const std::optional<std::int64_t>& minutes) {
  return minutes ? std::optional(time_of_day(*minutes)) : std::nullopt;
}

DeviceView view_of(PushDevice device) {
  return {.id = std::move(device.id),
          .name = std::move(device.name),
          .createdAt = device.created_at,
          .lastUsedAt = device.last_used_at,
          .error = unless_empty(std::move(device.error))};
}

NoticeView view_of(StoredNotice notice) {
  return {.id = std::move(notice.id),
          .agentId = unless_empty(std::move(notice.agent)),
          .agentName = unless_empty(std::move(notice.agent_name)),
          .kind = notice.kind,
          .subject = std::move(notice.subject),
          .text = std::move(notice.text),
          .path = std::move(notice.path),
          .sentBy = std::move(notice.sent_by),
          .waitsUntil = notice.due_at,
          .createdAt = notice.created_at};
}

NotificationsView view_for(Notices& notices, store::UserId user) {
  auto wanted = notices.preferences_of(user);
  NotificationsView view{.ways = std::move(wanted.ways),
                         .firstOnly = wanted.first_only,
                         .urgentWhenQuiet = wanted.urgent_when_quiet,
                         .timeZone = notices.zone_of(wanted).name(),
                         .quietFrom = shown(wanted.quiet_from),
                         .quietUntil = shown(wanted.quiet_until),
                         .digestAt = shown(wanted.digest_at),
                         .emailReady = notices.has_mail(user),
                         .pushKey = notices.push().public_key(),
                         .devices = {},
                         .recent = {}};
  for (auto& device : notices.push().devices(user)) view.devices.push_back(view_of(std::move(device)));
  for (auto& notice : notices.recent(user, max_shown)) view.recent.push_back(view_of(std::move(notice)));
  return view;
}

web::Result<std::optional<std::int64_t>> minutes_of(const std::optional<TimeOfDay>& time, std::string_view field) {
  if (!time) return std::optional<std::int64_t>();
  auto minutes = parse_time_of_day(*time);
  if (!minutes) return web::invalid(std::string(field) + " must be a time of day, such as 22:00");
  return minutes;
}

web::Answer show_notifications(const Services& services, const web::Request& request) {
  co_return web::reply(view_for(services.notices, request.caller.user_id), 200);
}

web::Answer set_notifications(const Services& services, const web::Request& request, PreferencesRequest body) {
  const auto quiet_from = minutes_of(body.quietFrom, "quietFrom");
  if (!quiet_from) co_return quiet_from.error();
  const auto quiet_until = minutes_of(body.quietUntil, "quietUntil");
  if (!quiet_until) co_return quiet_until.error();
  const auto digest_at = minutes_of(body.digestAt, "digestAt");
  if (!digest_at) co_return digest_at.error();
  Preferences wanted;
  wanted.owner = request.caller.user_id;
  wanted.ways.assign(body.ways.begin(), body.ways.end());
  wanted.first_only = body.firstOnly.value_or(false);
  wanted.urgent_when_quiet = body.urgentWhenQuiet.value_or(false);
  if (body.timeZone) wanted.time_zone = std::move(*body.timeZone);
  wanted.quiet_from = *quiet_from;
  wanted.quiet_until = *quiet_until;
  wanted.digest_at = *digest_at;
  const auto done = co_await services.notices.set_preferences(std::move(wanted));
  if (!done) co_return done.error();
  co_return web::reply(view_for(services.notices, request.caller.user_id), 200);
}

web::Answer add_device(const Services& services, const web::Request& request, SubscriptionRequest body) {
  auto name = accounts::browser_name(request.header("User-Agent"));
  Subscription subscription{.endpoint = std::move(body.endpoint),
                            .public_key = std::move(body.keys.p256dh),
                            .secret = std::move(body.keys.auth)};
  auto added = co_await services.notices.push().add(request.caller.user_id, std::move(name), std::move(subscription));
  if (!added) co_return added.error();
  auto entry = audit::of_request(request, "push device added", added->id);
  co_await services.audit.note(std::move(entry));
  co_return web::reply(view_of(std::move(*added)), 201);
}

web::Answer remove_device(const Services& services, const web::Request& request) {
  const RemovedDevice answer{.id = request.param("id")};
  const auto removed = co_await services.notices.push().remove(request.caller.user_id, answer.id);
  if (!removed) co_return removed.error();
  auto entry = audit::of_request(request, "push device removed", answer.id);
  co_await services.audit.note(std::move(entry));
  co_return web::reply(answer, 200);
}

web::Answer test_notifications(const Services& services, const web::Request& request) {
  auto sent = co_await services.notices.send_test(request.caller.user_id);
  const TestedWays answer{.sentBy = std::move(sent.ways)};
  co_return web::reply(answer, 202);
}

web::Answer send_notice(const Services& services, const web::Request& request, NoticeRequest body) {
  if (says_nothing(body.text)) {
    const NoticeAnswer silent{.messageId = {}, .waitsUntil = {}, .silent = true};
    co_return web::reply(silent, 200);
  }
  Notice notice{.agent = request.caller.agent, .subject = {}, .text = std::move(body.text)};
  if (body.subject) notice.subject = std::move(*body.subject);
  auto sent = co_await services.notices.send(request.caller.user_id, std::move(notice));
  if (!sent) co_return sent.error();
  const NoticeAnswer answer{.messageId = std::move(sent->message),
                            .mailed = sent->is_mailed,
                            .accounts = std::int64_t(sent->accounts),
                            .devices = std::int64_t(sent->devices),
                            .waitsUntil = sent->at};
  co_return web::reply(answer, 201);
}

const web::RateLimit notifications_rate{.group = "notifications", .limit = 60};
const web::RateLimit test_rate{.group = "notification-tests", .limit = 5};

constexpr auto about_notice =
    "The text appears in the owner's conversation with the agent, and leaves the box by the ways that the owner has "
    "chosen: to accounts linked to the agent's channels (`accounts`: how many), to the verified address if the box has "
    "a mail server, and to browsers with push (`devices`). `waitsUntil`: the owner has quiet hours or a digest. "
    "\"Nothing to report\" alone is sent nowhere (`silent`). 429 with limit and resetsAt beyond 20 a day (UTC).";
constexpr auto about_show =
    "How the user gets notices: of agents, questions of the gate, of the watchdog and about limits. Every notice is in "
    "`recent` for 30 days, newest first, at most 50. `ways` in order; with `firstOnly` only the first that reaches the "
    "user is taken. `quietFrom`, `quietUntil` and `digestAt` are times of day in `timeZone`; null: none. `emailReady`: "
    "there is a mail server and a verified address. `pushKey` is the applicationServerKey for PushManager.subscribe; a "
    "device's id is \"pd_\" and the first 24 hex digits of the SHA-256 of its endpoint.";
constexpr auto about_set =
    "Replaces all of it; what is missing is off, except `timeZone`: the box's. In quiet hours nothing is sent; with "
    "`urgentWhenQuiet` questions, limits and agents that were given up still are. With `digestAt` notices that are not "
    "urgent are sent together once a day. Notices that wait follow the new choice at once.";
constexpr auto about_device =
    "A subscription of this browser, as PushSubscription.toJSON has it. The name is the browser's. 409 beyond 20. The "
    "box removes it once the push service says that it is gone, and when all sessions of the user end.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/notifications", session, &notifications_rate,
       web::plain(on(show_notifications)).returns<NotificationsView>().describe(about_show),
       "How the user gets notices, and the recent ones"},
      {web::PUT, "/api/notifications", session, &notifications_rate,
       web::body<PreferencesRequest>(on(set_notifications)).returns<NotificationsView>().describe(about_set),
       "Choose how to get notices"},
      {web::POST, "/api/notifications/test", session, &test_rate,
       web::plain(on(test_notifications)).returns<TestedWays>(202), "Send a test notice by all chosen ways"},
      {web::POST, "/api/notifications/devices", session, &notifications_rate,
       web::body<SubscriptionRequest>(on(add_device))
           .returns<DeviceView>(201)
           .describe(about_device)
           .fails({web::Kind::conflict}),
       "Show notices on this browser (Web Push)"},
      {web::DELETE, "/api/notifications/devices/:id", session, &notifications_rate,
       web::plain(on(remove_device)).returns<RemovedDevice>().fails({web::Kind::not_found}),
       "Stop showing notices on a browser"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/agent-notices", guards.agent_token, nullptr,
       web::body<NoticeRequest>(on(send_notice))
           .returns<NoticeAnswer>(201)
           .describe(about_notice)
           .fails({web::Kind::too_many}),
       "Tell the calling agent's owner something"},
  };
}

}  // namespace notices
