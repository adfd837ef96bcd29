// The administrator's part of the catalogue.
#include "appliance/network/skills/package_handlers.h"

namespace skills {

using web::Request;

namespace {

web::Task<web::Result<Catalogue::Put>> store_skill(const Services& services, PackageSource source, std::string digest) {
  auto skill = co_await services.packages.read_for_catalogue(std::move(source), std::move(digest));
  if (!skill) co_return skill.error();
  const auto put = [&] { return services.catalogue.put(std::move(*skill)); };
  co_return co_await web::offload(services.uploads, put);
}

}  // namespace

web::Answer list_catalogue(const Services& services, const Request&) {
  SkillList answer;
  for (const auto& skill : services.catalogue.list()) answer.skills.push_back(view(*skill, {}));
  answer.count = std::int64_t(answer.skills.size());
  co_return web::reply(answer, 200);
}

web::Answer upload_skill(const Services& services, const Request& request, UploadQuery query, web::BodyStream& body) {
  auto source = co_await read_source(std::move(query.url), body);
  if (!source) co_return source.error();
  std::string digest;
  if (query.digest) digest = std::move(*query.digest);
  auto stored = co_await store_skill(services, std::move(*source), std::move(digest));
  auto entry = audit::of_request(request, "skill set by admin", stored ? stored->skill->name : std::string());
  if (!stored) entry.outcome = stored.error().message;
  co_await services.audit.note(std::move(entry));
  if (!stored) co_return stored.error();
  co_return web::reply(detail(*stored->skill, {}), stored->is_new ? 201 : 200);
}

web::Answer review_for_catalogue(const Services& services, const Request&, ReviewQuery query, web::BodyStream& body) {
  auto source = co_await read_source(std::move(query.url), body);
  if (!source) co_return source.error();
  const auto review = co_await services.packages.review_for_catalogue(std::move(*source));
  if (!review) co_return review.error();
  co_return web::reply(*review, 200);
}

web::Answer remove_skill(const Services& services, const Request& request) {
  const Removed answer{.skill = request.param("name")};
  const auto work = [&] { return services.catalogue.remove(answer.skill); };
  const auto removed = co_await web::offload(services.uploads, work);
  auto entry = audit::of_request(request, "skill removed by admin", answer.skill);
  if (!removed) entry.outcome = removed.error().message;
  co_await services.audit.note(std::move(entry));
  if (!removed) co_return removed.error();
  co_return web::reply(answer, 200);
}

}  // namespace skills
