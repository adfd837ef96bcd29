#include "appliance/identity/accounts/handlers.h"
#include "web/routes/reply.h"

namespace accounts {

namespace {

constexpr std::size_t default_page = 100;

UserView view(const Services& services, const User& user) {
  UserView shown{.id = std::to_string(user.id),
                 .email = user.email,
                 .name = user.name,
                 .isAdmin = services.accounts.is_admin(user),
                 .isSupport = user.is_support,
                 .isDisabled = user.is_disabled,
                 .emailVerified = user.email_verified,
                 .secondFactor = services.administration.has_second_factor(user.id),
                 .secondFactorDue = services.second_factor_due(user),
                 .plan = std::nullopt,
                 .subscriptionId = std::nullopt,
                 .credits = services.plans.credits(user.id),
                 .createdAt = user.created_at};
  if (auto held = services.plans.held(user.id)) {
    shown.plan = std::move(held->plan);
    shown.subscriptionId = std::move(held->subscription_id);
  }
  return shown;
}

std::optional<User> named(const Services& services, const web::Request& request) {
  return services.administration.find(request.param("user"));
}

web::Error no_such_user() { return web::not_found("No such user"); }

}  // namespace

web::Answer list_users(const Services& services, const web::Request&, UserQuery query) {
  UserFilter filter{.text = query.search.value_or(""),
                    .is_admin = query.admin,
                    .is_disabled = query.disabled,
                    .after = query.after ? query.after->value : 0,
                    .limit = query.limit ? static_cast<std::size_t>(query.limit->value) : default_page};
  auto read = [services, filter = std::move(filter)] {
    UserPage page;
    const auto found = services.administration.search(filter);
    for (const User& user : found) page.users.push_back(view(services, user));
    if (found.size() == filter.limit) page.next = std::to_string(found.back().id);
    return page;
  };
  const auto page = co_await web::offload(services.blocking, std::move(read));
  co_return web::reply(page, 200);
}

web::Answer show_user(const Services& services, const web::Request& request) {
  const auto user = named(services, request);
  if (!user) co_return no_such_user();
  co_return web::reply(view(services, *user), 200);
}

web::Answer create_user(const Services& services, const web::Request& request, CreateUser form) {
  AdminNewUser given{.account = {.email = std::move(form.email),
                                 .password = {},
                                 .name = {},
                                 .is_admin = form.isAdmin.value_or(false),
                                 .is_email_verified = form.emailVerified.value_or(false)},
                     .plan = {}};
  if (form.password) given.account.password = std::move(*form.password);
  if (form.name) given.account.name = std::move(*form.name);
  if (form.plan) given.plan = std::move(*form.plan);
  auto actor = audit::actor_of(request);
  const auto user = co_await services.administration.create(std::move(actor), std::move(given), services.plans);
  if (!user) co_return user.error();
  co_return web::reply(view(services, *user), 201);
}

web::Answer edit_user(const Services& services, const web::Request& request, EditUser form) {
  if (!form.password && !form.isAdmin && !form.isSupport && !form.isDisabled && !form.plan)
    co_return web::invalid("password, isAdmin, isSupport, isDisabled or plan is required");
  auto user = named(services, request);
  if (!user) co_return no_such_user();
  AdminEdit edit{.account = {.password = {},
                             .is_admin = form.isAdmin,
                             .is_disabled = form.isDisabled,
                             .is_support = form.isSupport},
                 .plan = {}};
  if (form.password) edit.account.password = std::move(*form.password);
  if (form.plan) edit.plan = std::move(*form.plan);
  auto actor = audit::actor_of(request);
  const auto edited =
      co_await services.administration.edit(std::move(actor), std::move(*user), std::move(edit), services.plans);
  if (!edited) co_return edited.error();
  co_return web::reply(view(services, *edited), 200);
}

web::Answer list_user_sessions(const Services& services, const web::Request& request) {
  const auto user = named(services, request);
  if (!user) co_return no_such_user();
  const auto answer = sessions_of(services, user->id, request.caller.credential);
  co_return web::reply(answer, 200);
}

web::Answer end_user_session(const Services& services, const web::Request& request) {
  auto user = named(services, request);
  if (!user) co_return no_such_user();
  auto actor = audit::actor_of(request);
  const auto ended =
      co_await services.administration.end_session(std::move(actor), std::move(*user), request.param("id"));
  if (!ended) co_return ended.error();
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

web::Answer end_user_sessions(const Services& services, const web::Request& request) {
  auto user = named(services, request);
  if (!user) co_return no_such_user();
  auto actor = audit::actor_of(request);
  co_await services.administration.end_sessions(std::move(actor), std::move(*user));
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

web::Answer unlock(const Services& services, const web::Request& request) {
  auto user = named(services, request);
  if (!user) co_return no_such_user();
  auto actor = audit::actor_of(request);
  co_await services.administration.unlock(std::move(actor), std::move(*user));
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

web::Answer remove_second_factor(const Services& services, const web::Request& request) {
  auto user = named(services, request);
  if (!user) co_return no_such_user();
  auto actor = audit::actor_of(request);
  co_await services.administration.remove_second_factor(std::move(actor), std::move(*user));
  const web::Succeeded answer;
  co_return web::reply(answer, 200);
}

}  // namespace accounts
