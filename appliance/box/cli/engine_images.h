// Images of the Docker Engine as files, for machines without a registry.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "appliance/foundation/settings/settings.h"

namespace agentbox::cli {

inline constexpr auto agents_image_name = "agents.tar";  // in the folder `images`

// Writes the image to a file, as `docker save` does. Throws UsageError.
void save_image(const Settings&, const std::string& image, const std::filesystem::path& file);

// The command `agentbox images load`.
void add_images(CLI::App&, std::function<int()>& run);

}  // namespace agentbox::cli
