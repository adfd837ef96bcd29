#include "appliance/network/skills/packages.h"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <set>

#include "appliance/foundation/version.h"
#include "appliance/hosting/plan_egress/plan_egress.h"
#include "appliance/network/skills/archive.h"
#include "appliance/network/skills/workspace_copy.h"
#include "web/ascii.h"
#include "web/uri.h"

namespace skills {

namespace {

using namespace std::chrono_literals;

constexpr auto archive_fetch_time = 20s;
constexpr auto check_pause = 24h;
constexpr std::size_t max_packages = 10'000;

web::Error no_agent_of_packages() { return web::not_found("No such agent"); }

web::Error is_of_the_catalogue(const std::string& name) {
  return web::conflict("The box's catalogue has a skill named " + name + ": install it from there");
}

web::Error has_changed() {
  return {.kind = web::Kind::conflict,
          .message = "The skill is not the one that was reviewed: review it again",
          .code = "PACKAGE_CHANGED"};
}

web::Result<void> check_egress(const agents::Egress& egress, const std::string& url) {
  if (egress.kind == agents::Egress::Kind::web) return {};
  const auto parsed = web::parse_uri(url);
  if (!parsed) return web::invalid("url must be an address such as https://example.org/skill.zip");
  const agents::Egress host{.kind = agents::Egress::Kind::list,
                            .hosts = {web::lower_case(std::string(parsed->encoded_host()))}};
  if (egress.kind == agents::Egress::Kind::list && agents::covers(egress, host)) return {};
  return web::forbidden("url: this agent may not reach " + host.hosts.front() +
                        ": its config or its plan limits its egress");
}

web::Result<Skill> read_archive(std::string_view archive) {
  if (archive.empty()) return web::invalid("The body must be a zip archive with a SKILL.md, or url must name one");
  auto files = unpack(archive);
  if (!files) return files.error();
  return read_package(std::move(*files), Source::admin);
}

std::vector<std::string> paths_of_both(const Skill& skill, const std::optional<Installation>& installed) {
  std::set<std::string> paths;
  for (const auto& file : skill.files) paths.insert(file.path);
  if (installed) paths.insert(installed->files.begin(), installed->files.end());
  return {paths.begin(), paths.end()};
}

}  // namespace

web::Task<web::Result<std::string>> Packages::fetch_archive(const agents::Agent* agent, std::string url) const {
  const auto egress = agent ? plan_egress::egress_of(system_, *agent) : agents::Egress();
  if (const auto allowed = check_egress(egress, url); !allowed) co_return allowed.error();
  web::FetchRequest request{.url = std::move(url)};
  request.headers = {{"Accept", "application/zip, application/octet-stream;q=0.9, */*;q=0.1"},
                     {"User-Agent", std::string("agentbox/") + agentbox::version}};
  request.origin.part = "skills";
  if (agent) request.origin = {.part = "skills", .user = agent->owner, .agent = agent->id};
  request.reach = reach_;
  // A redirect could lead out of a list of hosts.
  request.max_redirects = egress.kind == agents::Egress::Kind::web ? 5 : 0;
  request.timeout = archive_fetch_time;
  request.max_bytes = max_archive_bytes;
  auto response = co_await web::fetch(std::move(request));
  if (!response) {
    auto error = response.error();
    error.message = "url: " + error.message;
    co_return error;
  }
  if (response->status >= 300 && response->status < 400)
    co_return web::invalid("url redirects, which this agent's egress list does not admit: give the final address");
  if (response->status != 200)
    co_return web::invalid("url: the server answered with status " + std::to_string(response->status));
  co_return std::move(response->body);
}

web::Task<web::Result<Skill>> Packages::read(const agents::Agent* agent, PackageSource source) {
  if (!source.url.empty()) {
    if (!source.archive.empty()) co_return web::invalid("url: send an archive or its address, not both");
    auto fetched = co_await fetch_archive(agent, std::move(source.url));
    if (!fetched) co_return fetched.error();
    source.archive = std::move(*fetched);
  }
  const auto work = [&] { return read_archive(source.archive); };
  co_return co_await web::offload(files_, work);
}

web::Task<web::Result<PackageReview>> Packages::review(store::UserId user, std::string agent_id, PackageSource source) {
  const auto agent = system_.tenant(user).get(agents::records, agent_id);
  if (!agent || agent->value.status == agents::Status::deleting) co_return no_agent_of_packages();
  const auto skill = co_await read(&agent->value, std::move(source));
  if (!skill) co_return skill.error();
  if (catalogue_.find(skill->name)) co_return is_of_the_catalogue(skill->name);
  const auto paths = paths_of_both(*skill, installer_.find(user, skill->name, agent_id));
  const auto work = [&] { return review_of(*skill, read_copy(folder_ / agent_id / "workspace", skill->name, paths)); };
  co_return co_await web::offload(files_, work);
}

web::Task<web::Result<Installer::Installed>> Packages::install(web::Caller caller, std::string agent_id,
                                                               PackageSource source, std::string digest) {
  const auto agent = system_.tenant(caller.user_id).get(agents::records, agent_id);
  if (!agent || agent->value.status == agents::Status::deleting) co_return no_agent_of_packages();
  Package origin{.url = source.url, .digest = digest};
  auto skill = co_await read(&agent->value, std::move(source));
  if (!skill) co_return skill.error();
  if (catalogue_.find(skill->name)) co_return is_of_the_catalogue(skill->name);
  if (content_digest(*skill) != digest) co_return has_changed();
  if (!origin.url.empty()) {
    origin.checked_at = store::now();
    origin.next_check_at = store::now() + check_pause;
  }
  auto read_skill = std::make_shared<const Skill>(std::move(*skill));
  co_return co_await installer_.install_package(std::move(caller), std::move(read_skill), std::move(agent_id),
                                                std::move(origin));
}

web::Task<web::Result<PackageReview>> Packages::review_for_catalogue(PackageSource source) {
  const auto skill = co_await read(nullptr, std::move(source));
  if (!skill) co_return skill.error();
  FileContents present;
  if (const auto before = catalogue_.find(skill->name)) {
    if (before->source == Source::box)
      co_return web::conflict("The skill " + skill->name +
                              " is the box's own and cannot be changed: choose another name");
    for (const auto& file : before->files) present[file.path] = file.content;
  }
  const auto work = [&] { return review_of(*skill, present); };
  co_return co_await web::offload(files_, work);
}

web::Task<web::Result<Skill>> Packages::read_for_catalogue(PackageSource source, std::string digest) {
  auto skill = co_await read(nullptr, std::move(source));
  if (skill && !digest.empty() && content_digest(*skill) != digest) co_return has_changed();
  co_return skill;
}

std::vector<Package> Packages::list(store::UserId user, const std::string& agent) const {
  const auto tenant = system_.tenant(user);
  return agent.empty() ? tenant.list(packages, store::Page{.limit = max_packages})
                       : tenant.find(packages, "agent", agent, max_packages);
}

web::Task<std::optional<Package>> Packages::look(Package package) {
  const auto agent = system_.tenant(package.owner).get(agents::records, package.agent);
  if (!agent) co_return std::nullopt;
  PackageSource source{.url = package.url, .archive = {}};
  const auto skill = co_await read(&agent->value, std::move(source));
  const auto digest = skill ? content_digest(*skill) : std::string();
  const auto problem = skill ? std::string() : skill.error().message;
  const auto now = store::now();
  auto note = [&](Package& one) {
    one.checked_at = now;
    one.next_check_at = now + check_pause;
    one.problem = problem;
    if (problem.empty()) one.available = digest == one.digest ? std::string() : digest;
  };
  co_return co_await system_.tenant(package.owner).modify(packages, package.id, std::move(note));
}

web::Task<web::Result<Package>> Packages::check(store::UserId user, std::string agent, std::string skill) {
  auto row = system_.tenant(user).get(packages, installation_id(agent, skill));
  if (!row) co_return web::not_found("This agent does not have the skill from elsewhere");
  if (row->value.url.empty()) co_return web::invalid("skill was installed from a file: there is no address to look at");
  auto looked_at = co_await look(std::move(row->value));
  if (!looked_at) co_return web::not_found("This agent does not have the skill from elsewhere");
  co_return std::move(*looked_at);
}

web::Task<> Packages::check_due() {
  for (auto& package : system_.find_range(packages, "next_check_at", store::Time{}, store::now()))
    co_await look(std::move(package));
}

}  // namespace skills
