#include "appliance/runtime/docker/image.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "appliance/foundation/byte_size.h"
#include "appliance/runtime/docker/container.h"
#include "appliance/runtime/docker/docker_engine.h"
#include "web/ascii.h"

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

// A path that a shell and a URL take as it is.
bool is_plain_path(std::string_view path) {
  constexpr std::string_view taken = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  return path.starts_with('/') && path.size() <= 200 && path.find_first_not_of(taken) == path.npos;
}

bool is_variable_name(std::string_view name) {
  constexpr std::string_view taken = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return !name.empty() && name.size() <= 100 && !web::is_digit(name.front()) &&
         name.find_first_not_of(taken) == name.npos;
}

bool is_volume_name(std::string_view name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || web::is_digit(c) || c == '-'; };
  return !name.empty() && name.size() <= 40 && std::ranges::all_of(name, allowed);
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// A folder of the image's own, which is not what the box or the kernel puts into every container.
bool is_volume_path(std::string_view path) {
  if (!is_plain_path(path) || path.ends_with('/')) return false;
  for (auto rest = path.substr(1); !rest.empty();) {
    const auto part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  const auto is_taken = [&](std::string_view taken) { return is_below(path, taken) || is_below(taken, path); };
  return std::ranges::none_of(std::array{workspace_path, std::string_view("/run"), std::string_view("/proc"),
                                         std::string_view("/sys"), std::string_view("/dev"), std::string_view("/tmp")},
                              is_taken);
}

web::Result<void> read_volume(std::string_view label, std::string_view name, std::string_view path, Image& image) {
  constexpr std::size_t max_volumes = 10;
  if (!is_volume_name(name))
    return bad_label(label, "agentbox.volume. and a name of at most 40 lower-case letters, digits and hyphens");
  if (!is_volume_path(path))
    return bad_label(label, "an absolute path outside of /workspace, /tmp, /run, /dev, /proc and /sys, such as /data");
  for (const auto& [other, taken] : image.volumes)
    if (is_below(path, taken) || is_below(taken, path))
      return bad_label(label, "a path that neither is in the volume " + other + " nor holds it");
  if (image.volumes.size() == max_volumes) return bad_label(label, "one of at most 10 volumes");
  image.volumes.emplace_back(std::string(name), std::string(path));
  return {};
}

web::Result<void> read_gateway(const boost::json::value& labels, Image& image) {
  if (const auto port = value_of(labels, label::image_port)) {
    const auto [end, failed] = std::from_chars(port->data(), port->data() + port->size(), image.port);
    if (failed != std::errc() || end != port->data() + port->size() || image.port == 0)
      return bad_label(label::image_port, "a port, such as 8080");
  }
  if (const auto probe = value_of(labels, label::image_probe)) {
    if (!is_plain_path(*probe)) return bad_label(label::image_probe, "a path, such as /health");
    image.gateway.probe_path = *probe;
  }
  const auto* object = labels.if_object();
  if (!object || image.reads_boot) return {};
  for (const auto& label : *object) {
    if (!label.value().is_string()) continue;
    if (label.key().starts_with(label::image_volume)) {
      const auto volume = label.key().substr(label::image_volume.size());
      if (const auto good = read_volume(label.key(), volume, label.value().get_string(), image); !good)
        return good.error();
    }
    if (!label.key().starts_with(label::image_environment)) continue;
    const auto name = label.key().substr(label::image_environment.size());
    if (!is_variable_name(name)) return bad_label(label.key(), "agentbox.env. and the name of a variable");
    image.environment.emplace_back(std::string(name), std::string(label.value().get_string()));
  }
  return {};
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
  if (const auto good = read_gateway(labels, image); !good) return good.error();
  if (const auto memory_min = value_of(labels, label::image_memory_min)) {
    image.memory_min = agentbox::parse_byte_size(*memory_min);
    if (!image.memory_min) return bad_label(label::image_memory_min, "a number of bytes, such as 1G");
  }
  return image;
}

Task<Result<Image>> find_image(Api& api, std::string name, boost::json::object labels) {
  const auto found = co_await api.call("GET", "/images/" + name + "/json");
  if (!found) co_return found.error();
  if (found->status == 404)
    co_return web::internal("The image " + name +
                            " is not on this box: load the images of the release (docker load -i "
                            "agentbox-VERSION-image.tar.gz), or pull it.");
  if (found->status != 200) co_return refusal("describe the image " + name, *found);
  boost::system::error_code absent;
  const auto* own = found->body.find_pointer("/Config/Labels", absent);
  if (own && own->is_object())
    for (const auto& label : own->get_object()) labels.emplace(label.key(), label.value());  // unless it is there
  auto image = image_with(labels);
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

namespace runtime {

web::Task<web::Result<void>> docker_is_usable(std::string host, std::string image) {
  docker::Api api(host);
  const auto found = co_await docker::find_image(api, std::move(image));
  if (!found) co_return found.error();
  co_return web::Result<void>();
}

}  // namespace runtime
