// Every setting, declared once: flag, environment variable and key of the config file are the same name in three spellings.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace agentbox {

struct Settings {
  std::filesystem::path data = "./agentbox-data";
  std::string web_listen = "127.0.0.1:3000", backend_listen = "127.0.0.1:3001", summarizer_listen = "127.0.0.1:3100";
  std::string base_url;  // public web address, for redirects and links; empty: from web_listen
  std::string tls_cert, tls_key;
  std::string internal_api_key;            // secret
  std::vector<std::string> admin_emails;   // lower case
  std::string master_key;                  // secret; hex, 64 digits; empty: data/master.key
  std::vector<std::string> trusted_proxies;
  bool rate_limits = true;
  unsigned threads = 0;                    // network threads; 0: one a core
  std::chrono::seconds idle_timeout{60};   // keep-alive connections

  std::string agent_runtime = "auto";      // auto, docker, process
  std::string agent_image = "agentbox/agent:latest";
  std::string docker_host = "unix:///var/run/docker.sock";
  std::string agent_domain = "localhost";
  std::uint16_t agent_port_first = 20000, agent_port_last = 20999;
  bool provisioning_enabled = true;

  std::string local_model_url, local_api_key, local_model;  // any OpenAI-compatible server; model: empty picks its first
  std::string openrouter_api_key, openrouter_base_url = "https://openrouter.ai/api/v1", openrouter_model = "openrouter/auto";
  bool ai_builtin = true;
  std::chrono::milliseconds ai_model_timeout{30'000};

  bool summarizer_allow_private = false;
  std::string summarizer_user_agent = "agentbox-summarizer/1.0";
  std::string log_level = "info";
};

}  // namespace agentbox
