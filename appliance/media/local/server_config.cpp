#include "appliance/media/local/server_config.h"

namespace local {

// One process, which ends with the box; its workers would outlive it.
std::string write_server_config(const ServerConfig& config) {
  std::string text =
      "daemon off;\n"
      "master_process off;\n"
      "pid nginx.pid;\n"
      "error_log stderr error;\n"
      "load_module " +
      config.module +
      ";\n"
      "events { worker_connections 256; }\n"
      "rtmp {\n"
      "  access_log off;\n"
      "  timeout 20s;\n"
      "  ping 10s;\n"
      "  ping_timeout 8s;\n"
      "  max_message 4M;\n"
      "  server {\n"
      "    listen " +
      config.listen +
      ";\n"
      "    application " +
      std::string(application) +
      " {\n"
      "      live on;\n"
      "      drop_idle_publisher 8s;\n"
      "      allow publish all;\n"
      "      deny play all;\n"
      "      notify_update_timeout 2s;\n"
      "      notify_update_strict off;\n";
  for (const std::string event : {"publish", "publish_done", "update"})
    text += "      on_" + event + " " + config.callback_url + "/" + event + ";\n";
  text +=
      "      hls on;\n"
      "      hls_path " +
      std::string(hls_folder) +
      ";\n"
      "      hls_nested on;\n"
      "      hls_fragment 2s;\n"
      "      hls_playlist_length 16s;\n"
      "      hls_continuous on;\n"
      "      hls_cleanup off;\n";
  if (config.records)
    text +=
        "      record all;\n"
        "      record_path " +
        std::string(recordings_folder) +
        ";\n"
        "      record_unique on;\n"
        "      record_suffix .flv;\n"
        "      record_max_size 3000M;\n"
        "      on_record_done " +
        config.callback_url + "/record_done;\n";
  text += "    }\n  }\n}\n";
  return text;
}

}  // namespace local
