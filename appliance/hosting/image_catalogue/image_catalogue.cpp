#include "appliance/hosting/image_catalogue/image_catalogue.h"

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "appliance/foundation/byte_size.h"
#include "appliance/runtime/docker/docker_engine.h"
#include "appliance/runtime/docker/image.h"
#include "store/transact.h"
#include "web/ascii.h"
#include "web/json.h"

namespace image_catalogue {

namespace json = boost::json;

namespace {

constexpr std::size_t max_images = 100, max_name_bytes = 40;
const store::CounterName image_count{"catalogue_images"};

bool is_entry_name(std::string_view name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || web::is_digit(c) || c == '-'; };
  return !name.empty() && name.size() <= max_name_bytes && std::ranges::all_of(name, allowed);
}

std::optional<std::string> optional_text(const json::object& entry, std::string_view member) {
  const auto* value = entry.if_contains(member);
  return value && value->is_string() ? std::optional(std::string(value->get_string())) : std::nullopt;
}

std::optional<bool> optional_flag(const json::object& entry, std::string_view member) {
  const auto* value = entry.if_contains(member);
  return value && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
}

// The file is part of the binary: what is wrong with it throws.
std::vector<CatalogueImage> read_shipped() {
  std::vector<CatalogueImage> images;
  const auto catalogue = json::parse(shipped_json());
  for (const auto& value : catalogue.as_array()) {
    const auto& entry = value.as_object();
    CatalogueImage image{.name = json::value_to<std::string>(entry.at("name")),
                         .title = json::value_to<std::string>(entry.at("title")),
                         .description = web::string_member(entry, "description"),
                         .homepage = web::string_member(entry, "homepage"),
                         .image = json::value_to<std::string>(entry.at("image")),
                         .port = {},
                         .probe = optional_text(entry, "probe"),
                         .memory_min = optional_text(entry, "memoryMin"),
                         .takes_forwarded = optional_flag(entry, "forwarded"),
                         .wants_history = optional_flag(entry, "history"),
                         .environment = {},
                         .volumes = {},
                         .is_shipped = true};
    if (const auto* port = entry.if_contains("port")) image.port = port->as_int64();
    if (const auto* environment = entry.if_contains("environment"))
      for (const auto& variable : environment->as_object())
        image.environment.push_back({std::string(variable.key()), std::string(variable.value().as_string())});
    images.push_back(std::move(image));
  }
  return images;
}

const std::vector<CatalogueImage>& shipped_images() {
  static const auto images = read_shipped();
  return images;
}

std::vector<CatalogueImage> all_images(const store::System& system) {
  std::vector<CatalogueImage> images;
  std::set<std::string> names;
  system.each(table, [&](const CatalogueImage& image) {
    names.insert(image.name);
    images.push_back(image);
    return true;
  });
  for (const auto& image : shipped_images())
    if (!names.contains(image.name)) images.push_back(image);
  std::ranges::sort(images, {}, &CatalogueImage::title);
  return images;
}

json::object labels_of(const CatalogueImage& image) {
  const auto on_or_off = [](bool is_on) { return is_on ? "on" : "off"; };
  json::object labels;
  if (image.port) labels["agentbox.port"] = std::to_string(*image.port);
  if (image.probe) labels["agentbox.probe"] = *image.probe;
  if (image.memory_min) labels["agentbox.memory-min"] = *image.memory_min;
  if (image.takes_forwarded) labels["agentbox.forwarded"] = on_or_off(*image.takes_forwarded);
  if (image.wants_history) labels["agentbox.history"] = on_or_off(*image.wants_history);
  for (const auto& [name, value] : image.environment) labels["agentbox.env." + name] = value;
  for (const auto& [name, path] : image.volumes) labels["agentbox.volume." + name] = path;
  return labels;
}

web::Error has_no_images() {
  return {.kind = web::Kind::conflict,
          .message = "Agents of this box are processes of its own program: images need the Docker Engine.",
          .code = "IMAGE_MISSING"};
}

// The largest tier that the caller's subscription includes; empty: none.
std::string largest_tier(const billing::Subscriptions& subscriptions, const web::Caller& caller) {
  const auto held = subscriptions.active(caller.user_id);
  for (const auto* tier : {"enterprise", "pro", "starter"}) {
    const auto plan = billing::plan_of_tier(tier);
    if (plan && (caller.admin || (held && billing::covers(held->plan, *plan)))) return tier;
  }
  return {};
}

// conflict with PLAN_TOO_SMALL, before there is an agent that could not start.
web::Result<void> check_memory(const CatalogueImage& image, const std::string& tier) {
  const auto needed = image.memory_min ? agentbox::parse_byte_size(*image.memory_min) : std::nullopt;
  const auto plan = billing::plan_of_tier(tier).value_or(billing::Plan::label);
  return runtime::docker::has_memory_for(image.image, needed, billing::agent_resources(plan).memory_bytes);
}

}  // namespace

json::object labels_of(const store::System& system, std::string_view image) {
  for (const auto& one : all_images(system))
    if (one.image == image) return labels_of(one);
  return {};
}

std::vector<CatalogueImage> ImageCatalogue::list(bool with_disabled) const {
  auto images = all_images(system_);
  if (!with_disabled) std::erase_if(images, [](const auto& image) { return !image.is_enabled; });
  return images;
}

std::optional<CatalogueImage> ImageCatalogue::find(std::string_view name) const {
  for (auto& image : all_images(system_))
    if (image.name == name) return std::move(image);
  return std::nullopt;
}

web::Task<std::string> ImageCatalogue::problem_of(CatalogueImage image) const {
  if (!engine_.has_images) co_return has_no_images().message;
  const auto usable = co_await runtime::docker_is_usable(engine_.host, image.image);
  if (usable) co_return std::string();
  co_return usable.error().message;
}

web::Task<web::Result<CatalogueImage>> ImageCatalogue::set(CatalogueImage image) {
  if (!is_entry_name(image.name)) co_return web::invalid("name must be 1 to 40 lower-case letters, digits and hyphens");
  if (!agents::is_image_name(image.image))
    co_return web::invalid("image must be the name of a container image, such as registry.example/agent:1.2");
  if (!image.homepage.empty() && !image.homepage.starts_with("https://"))
    co_return web::invalid("homepage must be an https URL");
  if (const auto known = runtime::docker::image_with(labels_of(image)); !known)
    co_return web::invalid("The entry cannot be used: " + known.error().message);
  // The engine knows an agent's image, not the entry that it was made of.
  for (const auto& other : all_images(system_))
    if (other.image == image.image && other.name != image.name)
      co_return web::conflict("The entry " + other.name + " has this image already: change that one");
  const auto step = [&](store::Change& change) -> web::Result<CatalogueImage> {
    if (!system_.get(table, image.name)) change.add(0, image_count, 1, max_images);
    store::put(change, system_, table, image);
    return image;
  };
  const auto refused = [](const store::Outcome& outcome) -> std::optional<web::Result<CatalogueImage>> {
    if (outcome.kind != store::Outcome::Kind::over_bound) return std::nullopt;
    return web::Error{.kind = web::Kind::too_many, .message = "The catalogue has its 100 images"};
  };
  co_return co_await store::transact(system_, step, refused);
}

web::Task<web::Result<void>> ImageCatalogue::remove(std::string name) {
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = system_.get(table, name);
    if (!row) return web::not_found("The administrator has added no such image");
    change.erase(table, *row);
    change.add(0, image_count, -1);
    return {};
  };
  co_return co_await store::transact(system_, step);
}

web::Task<web::Result<agents::Agent>> ImageCatalogue::make_agent(web::Caller caller, std::string name,
                                                                 NewImageAgent request) const {
  const auto image = find(name);
  if (!image || !image->is_enabled) co_return web::not_found("No such image");
  if (!engine_.has_images) co_return has_no_images();
  const auto usable = co_await runtime::docker_is_usable(engine_.host, image->image);
  if (!usable)
    co_return web::Error{.kind = web::Kind::conflict, .message = usable.error().message, .code = "IMAGE_MISSING"};
  if (request.tier.empty()) request.tier = largest_tier(subscriptions_, caller);
  if (const auto fits = check_memory(*image, request.tier); !fits) co_return fits.error();
  agents::NewAgent spec{.name = std::move(request.name),
                        .model = {},
                        .config = std::move(request.config),
                        .tier = std::move(request.tier),
                        .plan = {},
                        .image = image->image};
  co_return co_await provisioning_.provision(caller, std::move(spec));
}

}  // namespace image_catalogue
