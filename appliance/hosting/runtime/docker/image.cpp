#include "appliance/hosting/runtime/docker/image.h"

#include "appliance/hosting/runtime/docker/container.h"

namespace runtime::docker {

using web::Result;
using web::Task;

Task<Result<Image>> find_image(Api& api, std::string name) {
  const auto found = co_await api.call("GET", "/images/" + name + "/json");
  if (!found) co_return found.error();
  if (found->status == 404)
    co_return web::internal("The image " + name + " is not on this box: make it with ./dev image, or load or pull it.");
  if (found->status != 200) co_return refusal("describe the image " + name, *found);
  Image image;
  boost::system::error_code absent;
  if (const auto* labels = found->body.find_pointer("/Config/Labels", absent); labels && labels->is_object())
    if (const auto* boot = labels->get_object().if_contains(label::image_reads_boot))
      image.reads_boot = *boot == "file";
  co_return image;
}

}  // namespace runtime::docker
