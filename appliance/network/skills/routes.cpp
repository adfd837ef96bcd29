
#include <functional>

#include "appliance/network/skills/archive.h"
#include "appliance/network/skills/descriptions.h"
#include "appliance/network/skills/handlers.h"
#include "appliance/network/skills/package_handlers.h"
#include "appliance/network/skills/sale_handlers.h"
#include "appliance/network/skills/settlement_handlers.h"

namespace skills {

namespace {

const web::RateLimit skills_rate{.group = "skills", .limit = 100};

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/skills", session, &skills_rate,
       web::query<ListQuery>(on(list_skills)).returns<SkillList>().describe(descriptions::list), "List the skills"},
      {web::POST, "/api/skills", session, &skills_rate,
       web::body<InstallRequest>(on(install_skill)).returns<InstallationItem>(201).describe(descriptions::install),
       "Install a skill for an agent"},
      {web::GET, "/api/skills/booking-settlement", session, &skills_rate,
       web::plain(on(show_booking_settlement)).returns<SettlementDetail>().describe(descriptions::bookings),
       "List the caller's bookings with what is in escrow"},
      {web::POST, "/api/skills/booking-settlement", session, &skills_rate,
       web::body<SettlementRequest>(on(settle_booking)).returns<SettlementAnswer>().describe(descriptions::settlement),
       "Hold, settle or refund a booking"},
      {web::GET, "/api/skills/instant-split", session, &skills_rate,
       web::plain(on(show_instant_split)).returns<SplitDetail>().describe(descriptions::splits),
       "List the caller's splits"},
      {web::POST, "/api/skills/instant-split", session, &skills_rate,
       web::body<SplitRequest>(on(split_payment)).returns<SplitAnswer>().describe(descriptions::split),
       "Divide a payment among recipients"},
      {web::GET, "/api/skills/:name", session, &skills_rate, web::plain(on(show_skill)).returns<SkillDetail>(),
       "Show a skill with its instructions and the agents that have it"},
      {web::POST, "/api/skills/:name", session, &skills_rate,
       web::body<UseRequest>(on(use_skill)).returns<RunItem>().describe(descriptions::use), "Use a skill"},
      {web::DELETE, "/api/skills/:name", session, &skills_rate,
       web::body_or_query<UninstallQuery>(on(uninstall_skill)).returns<Uninstalled>().describe(descriptions::uninstall),
       "Uninstall a skill"},
      {web::GET, "/api/skills/:name/runs", session, &skills_rate,
       web::query<RunsQuery>(on(list_runs)).returns<RunList>().describe(descriptions::runs),
       "List the uses of a skill"},
      {web::GET, "/api/skills/:name/runs/:runId", session, &skills_rate, web::plain(on(show_run)).returns<RunItem>(),
       "Show a use of a skill"},
      {web::GET, "/api/skill-packages", session, &skills_rate,
       web::query<ListQuery>(on(list_packages)).returns<PackageList>().describe(descriptions::packages),
       "List the skills from elsewhere"},
      {web::POST, "/api/skill-packages", session, &skills_rate,
       web::stream<PackageQuery>(max_archive_bytes, on(install_package))
           .returns<InstallationItem>(201)
           .describe(descriptions::install_package),
       "Install a skill from elsewhere"},
      {web::POST, "/api/skill-packages/review", session, &skills_rate,
       web::stream<AgentReviewQuery>(max_archive_bytes, on(review_package))
           .returns<PackageReview>()
           .describe(descriptions::review),
       "Show what a skill from elsewhere would bring"},
      {web::POST, "/api/skill-packages/check", session, &skills_rate,
       web::body<CheckRequest>(on(check_package)).returns<PackageItem>().describe(descriptions::check_package),
       "Look for an update of a skill from elsewhere"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.box;
  return {
      {web::GET, "/api/admin/skills", key, nullptr, web::plain(on(list_catalogue)).returns<SkillList>(),
       "List the box's and the administrator's skills"},
      {web::POST, "/api/admin/skills", key, nullptr,
       web::stream<UploadQuery>(max_archive_bytes, on(upload_skill))
           .returns<SkillDetail>(201)
           .describe(descriptions::upload),
       "Upload a skill"},
      {web::POST, "/api/admin/skills/review", key, nullptr,
       web::stream<ReviewQuery>(max_archive_bytes, on(review_for_catalogue))
           .returns<PackageReview>()
           .describe(descriptions::admin_review),
       "Show what a skill would bring to the catalogue"},
      {web::DELETE, "/api/admin/skills/:name", key, nullptr,
       web::plain(on(remove_skill)).returns<Removed>().describe(descriptions::remove), "Remove an uploaded skill"},
      {web::GET, "/api/admin/skills-on-sale", key, nullptr, web::plain(on(list_sales)).returns<SaleList>(),
       "List the skills that the gateway sells"},
      {web::PUT, "/api/admin/skills-on-sale/:name", key, nullptr,
       web::body<SaleRequest>(on(put_on_sale)).returns<SaleItem>().describe(descriptions::sale),
       "Sell a skill at the gateway"},
      {web::DELETE, "/api/admin/skills-on-sale/:name", key, nullptr, web::plain(on(end_sale)).returns<Removed>(),
       "Sell a skill no longer"},
  };
}

}  // namespace skills
