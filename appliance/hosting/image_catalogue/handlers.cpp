#include "appliance/hosting/image_catalogue/handlers.h"

#include "appliance/hosting/rate_groups.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace image_catalogue {

namespace {

using web::Request;

struct ImageView {
  std::string name, title, description, image;
  std::optional<std::string> homepage, memoryMin;
  bool shipped = false;
  bool usable = true;
  std::optional<std::string> problem;  // why it is not usable
};
BOOST_DESCRIBE_STRUCT(ImageView, (), (name, title, description, image, homepage, memoryMin, shipped, usable, problem))

struct ImageList {
  std::vector<ImageView> images;
  std::int64_t count = 0;
  bool available = true;  // agents of this box are containers
};
BOOST_DESCRIBE_STRUCT(ImageList, (), (images, count, available))

struct AdminImageView : ImageView {
  std::optional<std::int64_t> port;
  std::optional<std::string> probe;
  std::optional<bool> forwarded, history;
  boost::json::object environment, volumes;
  bool enabled = true;
};
BOOST_DESCRIBE_STRUCT(AdminImageView, (ImageView), (port, probe, forwarded, history, environment, volumes, enabled))

struct AdminImageList {
  std::vector<AdminImageView> images;
  std::int64_t count = 0;
  bool available = true;
};
BOOST_DESCRIBE_STRUCT(AdminImageList, (), (images, count, available))

struct AgentRequest {
  web::Text<1, 100> name;
  std::optional<web::Text<1, 20>> tier;
  std::optional<boost::json::object> config;
};
BOOST_DESCRIBE_STRUCT(AgentRequest, (), (name, tier, config))

struct ImageAgent {
  bool success = true;
  std::string agentId, name, image;
};
BOOST_DESCRIBE_STRUCT(ImageAgent, (), (success, agentId, name, image))

struct ImageRequest {
  web::Text<1, 100> title;
  web::Text<1, 255> image;
  std::optional<web::Prose<0, 2'000>> description;
  std::optional<web::Text<0, 500>> homepage;
  std::optional<web::Integer<1, 65'535>> port;
  std::optional<web::Text<1, 200>> probe;
  std::optional<web::Text<1, 20>> memoryMin;
  std::optional<bool> forwarded, history, enabled;
  std::optional<boost::json::object> environment, volumes;
};
BOOST_DESCRIBE_STRUCT(ImageRequest, (),
                      (title, image, description, homepage, port, probe, memoryMin, forwarded, history, enabled,
                       environment, volumes))

struct ImageRemoved {
  bool success = true;
  std::string name;
};
BOOST_DESCRIBE_STRUCT(ImageRemoved, (), (success, name))

constexpr std::size_t max_texts = 50, max_text_bytes = 2'000;

void fill(ImageView& shown, CatalogueImage image, std::string problem) {
  shown.name = std::move(image.name);
  shown.title = std::move(image.title);
  shown.description = std::move(image.description);
  shown.image = std::move(image.image);
  if (!image.homepage.empty()) shown.homepage = std::move(image.homepage);
  shown.memoryMin = std::move(image.memory_min);
  shown.shipped = image.is_shipped;
  shown.usable = problem.empty();
  if (!problem.empty()) shown.problem = std::move(problem);
}

AdminImageView admin_view(CatalogueImage image, std::string problem) {
  AdminImageView shown;
  shown.port = image.port;
  shown.probe = image.probe;
  shown.forwarded = image.takes_forwarded;
  shown.history = image.wants_history;
  shown.enabled = image.is_enabled;
  for (const auto& [name, value] : image.environment) shown.environment[name] = value;
  for (const auto& [name, path] : image.volumes) shown.volumes[name] = path;
  fill(shown, std::move(image), std::move(problem));
  return shown;
}

// Of the field `name`. What the texts must be beyond that, the catalogue checks.
web::Result<std::vector<Variable>> read_texts(std::string_view name, const std::optional<boost::json::object>& given) {
  std::vector<Variable> texts;
  if (!given) return texts;
  if (given->size() > max_texts) return web::invalid(std::string(name) + " must have at most 50 members");
  for (const auto& member : *given) {
    const auto* value = member.value().if_string();
    if (!value || value->size() > max_text_bytes || value->find('\0') != value->npos)
      return web::invalid(std::string(name) + "." + std::string(member.key()) +
                          " must be a text of at most 2,000 bytes");
    texts.push_back({std::string(member.key()), std::string(*value)});
  }
  return texts;
}

web::Answer list_images(const Services& services, const Request&) {
  ImageList answer{.available = services.catalogue.has_images()};
  for (auto& image : services.catalogue.list(false)) {
    auto problem = co_await services.catalogue.problem_of(image);
    ImageView shown;
    fill(shown, std::move(image), std::move(problem));
    answer.images.push_back(std::move(shown));
  }
  answer.count = std::int64_t(answer.images.size());
  co_return web::reply(answer, 200);
}

web::Answer make_agent(const Services& services, const Request& request, AgentRequest body) {
  NewImageAgent wanted{.name = std::move(body.name), .tier = {}, .config = {}};
  if (body.tier) wanted.tier = std::move(*body.tier);
  if (body.config) wanted.config = std::move(*body.config);
  auto agent = co_await services.catalogue.make_agent(request.caller, request.param("image"), std::move(wanted));
  if (!agent) co_return agent.error();
  ImageAgent answer;
  answer.agentId = std::move(agent->id);
  answer.name = std::move(agent->name);
  answer.image = std::move(agent->image);
  co_return web::reply(answer, 201);
}

web::Answer list_for_admin(const Services& services, const Request&) {
  AdminImageList answer{.available = services.catalogue.has_images()};
  for (auto& image : services.catalogue.list(true)) {
    auto problem = co_await services.catalogue.problem_of(image);
    answer.images.push_back(admin_view(std::move(image), std::move(problem)));
  }
  answer.count = std::int64_t(answer.images.size());
  co_return web::reply(answer, 200);
}

CatalogueImage image_of(std::string name, ImageRequest body) {
  CatalogueImage image{.name = std::move(name),
                       .title = std::move(body.title),
                       .description = {},
                       .homepage = {},
                       .image = std::move(body.image),
                       .port = {},
                       .probe = {},
                       .memory_min = {},
                       .takes_forwarded = body.forwarded,
                       .wants_history = body.history,
                       .environment = {},
                       .volumes = {},
                       .is_enabled = body.enabled.value_or(true)};
  if (body.description) image.description = std::move(*body.description);
  if (body.homepage) image.homepage = std::move(*body.homepage);
  if (body.port) image.port = body.port->value;
  if (body.probe) image.probe = std::move(*body.probe);
  if (body.memoryMin) image.memory_min = std::move(*body.memoryMin);
  return image;
}

web::Task<web::Result<CatalogueImage>> store_image(const Services& services, std::string name, ImageRequest body) {
  auto environment = read_texts("environment", body.environment), volumes = read_texts("volumes", body.volumes);
  if (!environment) co_return environment.error();
  if (!volumes) co_return volumes.error();
  auto image = image_of(std::move(name), std::move(body));
  image.environment = std::move(*environment);
  image.volumes = std::move(*volumes);
  co_return co_await services.catalogue.set(std::move(image));
}

web::Answer set_image(const Services& services, const Request& request, ImageRequest body) {
  const auto& name = request.param("image");
  auto stored = co_await store_image(services, name, std::move(body));
  auto entry = audit::of_request(request, "catalogue image set by admin", name);
  if (!stored) entry.outcome = stored.error().message;
  co_await services.audit.note(std::move(entry));
  if (!stored) co_return stored.error();
  auto problem = co_await services.catalogue.problem_of(*stored);
  co_return web::reply(admin_view(std::move(*stored), std::move(problem)), 200);
}

web::Answer remove_image(const Services& services, const Request& request) {
  const ImageRemoved answer{.name = request.param("image")};
  const auto removed = co_await services.catalogue.remove(answer.name);
  auto entry = audit::of_request(request, "catalogue image removed by admin", answer.name);
  if (!removed) entry.outcome = removed.error().message;
  co_await services.audit.note(std::move(entry));
  if (!removed) co_return removed.error();
  co_return web::reply(answer, 200);
}

constexpr auto list_images_description =
    "Images of other makers that agents can be made of: those that the box ships an entry for and those that the "
    "administrator has added. usable is false, with the reason, while the image is not on this box. available is "
    "false where agents are processes of the box's own program.";

constexpr auto make_image_agent_description =
    "Creates and starts an agent of the image, without `tier` in the largest one that the subscription includes. The "
    "image gets the box's models and its gateway token in its environment; chat, logs, metering and limits are those "
    "of all agents. 409 with IMAGE_MISSING if the image is not on this box, or with PLAN_TOO_SMALL if the tier's "
    "agents have less memory than it needs; otherwise as POST /api/agents/provision.";

constexpr auto set_image_description =
    "Adds an entry to the catalogue, or replaces the one of this name, also one that the box ships. What is left out "
    "is as the image's labels say (docs/openclaw.md). In environment, ${OPENAI_BASE_URL}, ${OPENAI_API_KEY}, "
    "${OPENCLAW_GATEWAY_TOKEN}, ${AGENT_NAME} and ${HOME} are replaced by their values at each start. Each of volumes, "
    "such as {\"state\": \"/data\"}, is a folder that is kept with the agent's files. enabled: false "
    "hides the entry from users. 409 if another entry has the image. Running agents get a change at their next start.";

constexpr auto remove_image_description =
    "Removes what the administrator has added; an entry that the box ships is as it was shipped then. Agents that are "
    "made of it stay, without the entry's settings from their next start on.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/images", guards.session, &hosting::agents_rate,
       web::plain(on(list_images)).returns<ImageList>().describe(list_images_description),
       "List the images that agents can be made of"},
      {web::POST, "/api/images/:image/agents", guards.session, &hosting::agents_rate,
       web::body<AgentRequest>(on(make_agent)).returns<ImageAgent>(201).describe(make_image_agent_description),
       "Create an agent of an image of the catalogue"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.box;
  return {
      {web::GET, "/api/admin/images", key, nullptr, web::plain(on(list_for_admin)).returns<AdminImageList>(),
       "List the catalogue of images"},
      {web::PUT, "/api/admin/images/:image", key, nullptr,
       web::body<ImageRequest>(on(set_image)).returns<AdminImageView>().describe(set_image_description),
       "Add an image to the catalogue"},
      {web::DELETE, "/api/admin/images/:image", key, nullptr,
       web::plain(on(remove_image)).returns<ImageRemoved>().describe(remove_image_description),
       "Remove an image from the catalogue"},
  };
}

}  // namespace image_catalogue
