#include "appliance/runtime/docker/image.h"

#include <string_view>

#include "appliance/foundation/byte_size.h"
#include "appliance/runtime/docker/container.h"

namespace runtime::docker {

using web::Result;
using web::Task;

namespace {

// The label's value; nothing if it is missing or not text.
std::optional<std::string_view> value_of(const boost::json::value& labels, std::string_view name) {
  const auto* object = labels.if_object();
  const auto* found = object ? object->if_contains(name) : nullptr;
  if (!found || !found->is_string()) return std::nullopt;
  return std::string_view(found->get_string());
}

web::Error bad_label(std::string_view name, std::string_view expected) {
  return web::invalid("its label " + std::string(name) + " must be " + std::string(expected) + ".");
}

// Rounded up: a minimum must not read as if it were available.
std::string mebibytes(std::uint64_t bytes) { return std::to_string((bytes + (1u << 20) - 1) >> 20) + " MiB"; }

}  // namespace

Result<Image> image_with(const boost::json::value& labels) {
  Image image;
  image.reads_boot = value_of(labels, label::image_reads_boot) == "file";
  if (image.reads_boot) image.gateway = {};
  for (const auto& [name, trait] : {std::pair(label::image_forwarded, &GatewayTraits::takes_forwarded),
                                    std::pair(label::image_history, &GatewayTraits::wants_history)}) {
    const auto value = value_of(labels, name);
    if (!value) continue;
    if (value != "on" && value != "off") return bad_label(name, "on or off");
    image.gateway.*trait = value == "on";
  }
  if (const auto memory_min = value_of(labels, label::image_memory_min)) {
    image.memory_min = agentbox::parse_byte_size(*memory_min);
    if (!image.memory_min) return bad_label(label::image_memory_min, "a number of bytes, such as 1G");
  }
  return image;
}

Task<Result<Image>> find_image(Api& api, std::string name) {
  const auto found = co_await api.call("GET", "/images/" + name + "/json");
  if (!found) co_return found.error();
  if (found->status == 404)
    co_return web::internal("The image " + name +
                            " is not on this box: load the images of the release (docker load -i "
                            "agentbox-VERSION-image.tar.gz), or pull it.");
  if (found->status != 200) co_return refusal("describe the image " + name, *found);
  boost::system::error_code absent;
  const auto* labels = found->body.find_pointer("/Config/Labels", absent);
  auto image = image_with(labels ? *labels : boost::json::value());
  const auto* check = found->body.find_pointer("/Config/Healthcheck/Test", absent);
  if (image) image->has_check = check && check->is_array() && !check->get_array().empty();
  if (!image) image.error().message = "The image " + name + " cannot be used: " + image.error().message;
  co_return image;
}

Result<void> has_memory_for(const std::string& image, std::optional<std::uint64_t> memory_min,
                            std::uint64_t available) {
  if (!memory_min || *memory_min <= available) return {};
  auto refused =
      web::conflict("The image " + image + " needs " + mebibytes(*memory_min) +
                    " of memory, and the plan gives an agent " + mebibytes(available) + ": choose a larger plan.");
  refused.code = "PLAN_TOO_SMALL";
  return refused;
}

}  // namespace runtime::docker
