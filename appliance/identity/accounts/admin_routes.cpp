#include "appliance/foundation/email.h"
#include "appliance/identity/accounts/routes.h"
#include "appliance/identity/accounts/user_id.h"
#include "web/endpoint.h"

namespace accounts {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

struct PageQuery {
  std::optional<web::Integer<1, 1000>> limit;
  std::optional<web::Integer<0, std::numeric_limits<std::int64_t>::max()>> after;
};
BOOST_DESCRIBE_STRUCT(PageQuery, (), (limit, after))

struct AdminView {
  std::string id, email, name;
  bool isAdmin = false, isDisabled = false;
  std::optional<std::string> plan, subscriptionId;
  std::int64_t credits = 0;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(AdminView, (), (id, email, name, isAdmin, isDisabled, plan, subscriptionId, credits, createdAt))

struct AdminPage {
  std::vector<AdminView> users;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(AdminPage, (), (users, next))

struct EditUser {
  std::optional<web::Text<8, 256>> password;
  std::optional<bool> isAdmin, isDisabled;
  std::optional<web::Text<1, 20>> plan;
};
BOOST_DESCRIBE_STRUCT(EditUser, (), (password, isAdmin, isDisabled, plan))

struct Succeeded {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(Succeeded, (), (success))

AdminView view(const RouteServices& services, const User& user) {
  AdminView shown{.id = std::to_string(user.id),
                  .email = user.email,
                  .name = user.name,
                  .isAdmin = services.accounts.is_admin(user),
                  .isDisabled = user.is_disabled,
                  .plan = std::nullopt,
                  .subscriptionId = std::nullopt,
                  .credits = services.accounts.credits_of(user.id),
                  .createdAt = user.created_at};
  if (auto held = services.plans.held(user.id)) {
    shown.plan = std::move(held->plan);
    shown.subscriptionId = std::move(held->subscription_id);
  }
  return shown;
}

// The path names a user by id or by e-mail.
std::optional<User> named(const RouteServices& services, const web::Request& request) {
  const std::string& name = request.param("user");
  if (const auto id = parse_user_id(name)) return services.accounts.find(*id);
  if (const auto email = agentbox::normalised_email(name)) return services.accounts.find_by_email(*email);
  return std::nullopt;
}

web::Error no_such_user() { return web::not_found("No such user"); }

Answer list_users(RouteServices services, PageQuery query) {
  const auto limit = static_cast<std::size_t>(query.limit ? query.limit->value : 100);
  const std::int64_t after = query.after ? query.after->value : 0;
  auto read = [services, after, limit] {
    AdminPage page;
    const auto found = services.accounts.list(after, limit);
    for (const User& user : found) page.users.push_back(view(services, user));
    if (found.size() == limit) page.next = std::to_string(found.back().id);
    return page;
  };
  const auto page = co_await web::offload(services.blocking, std::move(read));
  co_return web::reply(page, 200);
}

Answer show_user(RouteServices services, web::Request& request) {
  const auto user = named(services, request);
  if (!user) co_return no_such_user();
  co_return web::reply(view(services, *user), 200);
}

// What the record of acts says of an administrator's change.
std::string changes_in_words(const EditUser& form) {
  std::string words = "changed by admin:";
  if (form.password) words += " password";
  if (form.isAdmin) words += *form.isAdmin ? " granted" : " revoked";
  if (form.isDisabled) words += *form.isDisabled ? " disabled" : " enabled";
  if (form.plan) words += " plan " + *form.plan;
  return words;
}

Answer edit_user(RouteServices services, web::Request& request, EditUser form) {
  if (!form.password && !form.isAdmin && !form.isDisabled && !form.plan)
    co_return web::invalid("password, isAdmin, isDisabled or plan is required");
  const auto user = named(services, request);
  if (!user) co_return no_such_user();
  if (form.plan) {
    const auto valid = services.plans.check(*form.plan);
    if (!valid) co_return valid.error();
  }
  AdminChange wanted{.password = {}, .is_admin = form.isAdmin, .is_disabled = form.isDisabled};
  if (form.password) wanted.password = std::move(*form.password);
  auto edited = co_await services.accounts.change_as_admin(user->id, std::move(wanted));
  if (edited && form.plan) {
    const auto assigned = co_await services.plans.assign(user->id, *form.plan);
    if (!assigned) edited = assigned.error();
  }
  auto entry = audit::of_request(request, changes_in_words(form), user->email);
  entry.user_id = user->id;
  if (!edited) entry.outcome = edited.error().message;
  co_await services.audit.note(std::move(entry));
  if (!edited) co_return edited.error();
  co_return web::reply(view(services, *edited), 200);
}

Answer end_sessions(RouteServices services, web::Request& request) {
  const auto user = named(services, request);
  if (!user) co_return no_such_user();
  co_await services.sessions.end_all(user->id);
  auto entry = audit::of_request(request, "signed out by admin", user->email);
  entry.user_id = user->id;
  co_await services.audit.note(std::move(entry));
  const Succeeded answer;
  co_return web::reply(answer, 200);
}

// For who has lost phone, passkeys and recovery codes.
Answer remove_second_factor(RouteServices services, web::Request& request) {
  const auto user = named(services, request);
  if (!user) co_return no_such_user();
  co_await services.second_factor.remove(user->id);
  auto entry = audit::of_request(request, "second factor removed by admin", user->email);
  entry.user_id = user->id;
  co_await services.audit.note(std::move(entry));
  const Succeeded answer;
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> admin_routes(RouteServices services) {
  const auto& key = services.guards.internal_key;
  auto list = [services](web::Request&, PageQuery query) { return list_users(services, query); };
  auto show = [services](web::Request& request) { return show_user(services, request); };
  auto edit = [services](web::Request& request, EditUser form) {
    return edit_user(services, request, std::move(form));
  };
  auto end = [services](web::Request& request) { return end_sessions(services, request); };
  auto remove = [services](web::Request& request) { return remove_second_factor(services, request); };
  return {
      {web::GET, "/api/admin/users", key, nullptr,
       web::query<PageQuery>(list).returns<AdminPage>().describe(
           "In the order of their ids; `next` is the `after` of the following page."),
       "List users"},
      {web::GET, "/api/admin/users/:user", key, nullptr,
       web::plain(show).returns<AdminView>().describe("`user` is an id or an e-mail."), "One user"},
      {web::PATCH, "/api/admin/users/:user", key, nullptr,
       web::body<EditUser>(edit).returns<AdminView>().describe(
           "Only the given fields change. `plan` is one of label, solo, collective, network, or none to cancel. A new "
           "password, and disabling, end all sessions."),
       "Change a user's rights, plan or password"},
      {web::DELETE, "/api/admin/users/:user/sessions", key, nullptr, web::plain(end).returns<Succeeded>(),
       "Sign a user out everywhere"},
      {web::DELETE, "/api/admin/users/:user/second-factor", key, nullptr,
       web::plain(remove).returns<Succeeded>().describe("App, passkeys and recovery codes of the user go."),
       "Remove a user's second factor"},
  };
}

}  // namespace accounts
