// The administrator's part of the catalogue.
#include "appliance/network/skills/archive.h"
#include "appliance/network/skills/handlers.h"

namespace skills {

namespace {

using web::Request;

web::Result<Catalogue::Put> store_archive(Catalogue& catalogue, std::string_view archive) {
  auto files = unpack(archive);
  if (!files) return files.error();
  auto skill = read_package(std::move(*files), Source::admin);
  if (!skill) return skill.error();
  return catalogue.put(std::move(*skill));
}

}  // namespace

web::Answer list_catalogue(const Services& services, const Request&) {
  SkillList answer;
  for (const auto& skill : services.catalogue.list()) answer.skills.push_back(view(*skill, {}));
  answer.count = std::int64_t(answer.skills.size());
  co_return web::reply(answer, 200);
}

web::Answer upload_skill(const Services& services, const Request& request, web::BodyStream& body) {
  std::string archive;
  for (;;) {
    const auto piece = co_await body.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) break;
    archive.append(*piece);
  }
  if (archive.empty()) co_return web::invalid("The body must be a zip archive with a SKILL.md");
  const auto work = [&] { return store_archive(services.catalogue, archive); };
  const auto stored = co_await web::offload(services.uploads, work);
  auto entry = audit::of_request(request, "skill set by admin", stored ? stored->skill->name : std::string());
  if (!stored) entry.outcome = stored.error().message;
  co_await services.audit.note(std::move(entry));
  if (!stored) co_return stored.error();
  co_return web::reply(detail(*stored->skill, {}), stored->is_new ? 201 : 200);
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
