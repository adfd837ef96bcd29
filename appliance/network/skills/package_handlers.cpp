#include "appliance/network/skills/package_handlers.h"

namespace skills {

namespace {

using web::Request;

std::optional<std::string> optional_member(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

PackageItem item_of(const Installer& installer, Package package) {
  const auto installation = installer.find(package.owner, package.skill, package.agent);
  PackageItem item{.skill = std::move(package.skill),
                   .agentId = std::move(package.agent),
                   .version = {},
                   .url = optional_member(std::move(package.url)),
                   .digest = std::move(package.digest),
                   .updateAvailable = !package.available.empty(),
                   .isComplete = installation && installation->is_complete,
                   .problem = optional_member(std::move(package.problem)),
                   .installedAt = {},
                   .checkedAt = package.checked_at};
  if (installation) {
    item.version = installation->version;
    item.installedAt = installation->installed_at;
  }
  return item;
}

}  // namespace

web::Task<web::Result<PackageSource>> read_source(std::optional<PackageUrl> url, web::BodyStream& body) {
  PackageSource source;
  if (url) source.url = std::move(*url);
  for (;;) {
    const auto piece = co_await body.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) break;
    source.archive.append(*piece);
  }
  co_return source;
}

web::Answer list_packages(const Services& services, const Request& request, ListQuery query) {
  const auto agent = query.agentId ? std::string(std::move(*query.agentId)) : std::string();
  PackageList answer;
  for (auto& one : services.packages.list(request.caller.user_id, agent))
    answer.packages.push_back(item_of(services.installer, std::move(one)));
  answer.count = std::int64_t(answer.packages.size());
  co_return web::reply(answer, 200);
}

web::Answer review_package(const Services& services, const Request& request, AgentReviewQuery query,
                           web::BodyStream& body) {
  auto source = co_await read_source(std::move(query.url), body);
  if (!source) co_return source.error();
  const auto review =
      co_await services.packages.review(request.caller.user_id, std::move(query.agentId), std::move(*source));
  if (!review) co_return review.error();
  co_return web::reply(*review, 200);
}

web::Answer install_package(const Services& services, const Request& request, PackageQuery query,
                            web::BodyStream& body) {
  auto source = co_await read_source(std::move(query.url), body);
  if (!source) co_return source.error();
  const auto from = source->url.empty() ? std::string("a file") : source->url;
  auto done = co_await services.packages.install(request.caller, std::move(query.agentId), std::move(*source),
                                                 std::move(query.digest));
  auto entry = audit::of_request(request, "skill installed from elsewhere", from);
  if (!done) entry.outcome = done.error().message;
  co_await services.audit.note(std::move(entry));
  if (!done) co_return done.error();
  auto item = view(std::move(done->installation), nullptr);
  item.isCurrent = true;
  co_return web::reply(item, done->is_new ? 201 : 200);
}

web::Answer check_package(const Services& services, const Request& request, CheckRequest body) {
  auto checked =
      co_await services.packages.check(request.caller.user_id, std::move(body.agentId), std::move(body.skill));
  if (!checked) co_return checked.error();
  co_return web::reply(item_of(services.installer, std::move(*checked)), 200);
}

}  // namespace skills
