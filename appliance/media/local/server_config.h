// The configuration of nginx as the box's stream server.
#pragma once

#include <string>

namespace local {

struct ServerConfig {
  std::string module;        // path of the RTMP module
  std::string listen;        // address:port
  std::string callback_url;  // without the name of the event
  bool records = false;
};

// Folders and files are relative to the folder in which the server runs.
inline constexpr std::string_view hls_folder = "hls", recordings_folder = "recordings", application = "live";

std::string write_server_config(const ServerConfig&);

}  // namespace local
