// The values of all settings. settings_table.h names them, load.h reads them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace agentbox {

// The command line, the environment or a file is invalid. The message is one sentence with what to do, without secrets.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Settings {
  std::filesystem::path data = "./agentbox-data";
  std::string web_listen = "127.0.0.1:3000", backend_listen = "127.0.0.1:3001", summarizer_listen = "127.0.0.1:3100";
  std::string base_url;                    // public web address, for redirects and links; empty: from web_listen
  std::vector<std::string> allowed_hosts;  // lower case; ".example.org": also all names under it
  std::string tls_cert, tls_key;
  std::string tls_ca;                               // certificate of their authority, offered at /ca.crt; empty: none
  std::string acme_directory, acme_email, acme_ca;  // the directory is an authority's URL; empty: no ACME
  std::vector<std::string> acme_names;              // empty: the host of base_url
  std::string internal_api_key, internal_api_key_next;  // secret
  bool admin_required = false;
  std::vector<std::string> admin_emails;  // lower case
  std::string registration = "open";      // open, invite, closed
  std::string default_plan = "none";      // of new users
  bool admin_second_factor = false, second_factor_required = false;
  std::chrono::milliseconds second_factor_grace{std::chrono::days{14}};
  std::string sign_in = "all";              // all, provider
  std::string break_glass_admin;            // lower case; empty: none
  std::string breached_passwords;           // file of SHA-1 hashes; empty: none
  std::string referral_credit = "payment";  // payment, approval, registration
  std::vector<std::string> admin_networks;  // addresses and CIDRs; empty: every address
  std::string audit_stream;                 // URL, may hold a token: secret; empty: none
  std::string audit_stream_token;           // secret
  std::string audit_stream_ca;              // PEM file; empty: the system's
  unsigned audit_keep = 400;                // days
  std::string master_key;                   // secret; hex, 64 digits; empty: data/master.key
  std::vector<std::string> trusted_proxies;
  std::vector<std::string> mcp_origins;  // lower case; of pages that may call /mcp
  std::chrono::milliseconds session_idle{std::chrono::days{7}};
  std::vector<std::string> security_contact;  // URIs
  std::string security_expires;               // RFC 3339; empty: the box chooses
  std::string security_policy, security_encryption, security_acknowledgments, security_languages;
  bool rate_limits = true, login_limits = true;
  std::string disk_reserve = "auto";      // free space that agents leave: bytes with K, M, G or T
  std::string egress = "allow";           // allow, deny
  std::vector<std::string> egress_allow;  // lower case host:port, ".example.org:443", "*:443"
  std::string backup_schedule;            // cron; empty: none
  unsigned backup_keep = 7;
  std::string http_redirect_listen;  // empty: none
  bool status_page = false;
  unsigned threads = 0;                                    // network threads; 0: one a core
  std::chrono::seconds idle_timeout{60};                   // keep-alive connections
  unsigned streams_per_user = 200, streams_total = 2'000;  // live logs

  std::string agent_runtime = "auto";  // auto, docker, process
  std::string agent_image = "agentbox/agent:latest";
  std::string agent_memory_min = "auto";  // bytes with K, M, G or T; auto: as the image's label says
  std::string docker_host = "unix:///var/run/docker.sock";
  std::string agent_domain = "localhost";
  std::uint16_t agent_port_first = 20000, agent_port_last = 20999;
  bool provisioning_enabled = true, conversation_titles = true;
  std::string isolation = "any";                  // any, required
  std::string run_as;                             // user that a box started by root becomes; empty: root
  std::string agent_tools = "system";             // a folder with a tree for commands; system, off
  std::string command_helper;                     // socket of the service that starts commands; empty: none
  std::string browser = "auto";                   // of agents: a path in that tree; auto, off
  std::chrono::seconds browser_idle{300};         // until a browser that is not used is ended
  std::string isolation_for_commands = "strong";  // strong, namespaces
  std::chrono::milliseconds terminal_idle_time{1'800'000};
  bool container_lan = false;  // containers may reach private, link-local and metadata addresses

  std::chrono::milliseconds watchdog_check_interval{120'000}, watchdog_degraded_check_interval{5'000},
      watchdog_crash_loop_window{300'000};
  unsigned watchdog_startup_failure_threshold = 3, watchdog_max_repair_attempts = 2, watchdog_crash_loop_threshold = 3;
  bool watchdog_auto_repair = true;
  std::chrono::milliseconds installation_heartbeat_interval{300'000};
  std::string notify_bot_token, notify_webhook_url;  // secret
  std::string notify_chat_id, notify_bot_api_url = "https://api.telegram.org";
  std::string otel_exporter_otlp_endpoint, otel_exporter_otlp_headers;  // both may hold a token: secret

  std::string local_model_url, local_api_key;     // any OpenAI-compatible server
  std::string local_model, local_fallback_model;  // empty: the first the server lists; none
  std::string openrouter_api_key, openrouter_base_url = "https://openrouter.ai/api/v1", openrouter_model;
  std::string anthropic_api_key, anthropic_base_url = "https://api.anthropic.com/v1";
  std::string openai_api_key, openai_base_url = "https://api.openai.com/v1";
  std::string google_api_key, google_base_url = "https://generativelanguage.googleapis.com/v1beta";
  unsigned ai_max_tokens = 4096;  // of an answer whose caller names no limit
  bool demo_chat = true;
  unsigned demo_daily_tokens = 500'000;  // of all visitors of the public demo together
  std::string demo_daily_usd = "1";      // the same in US dollars: a decimal number
  bool ai_builtin = true;
  std::chrono::milliseconds ai_model_timeout{30'000};

  std::filesystem::path browse_root;  // empty: the data folder's agents/
  std::string git_author_name = "agentbox", git_author_email = "agentbox@localhost";
  std::chrono::seconds git_remote_timeout{60};

  bool summarizer_allow_private = false;
  unsigned summarizer_cache_mb = 0;
  std::string summarizer_user_agent = "agentbox-summarizer/1.0";

  std::string search_url;                     // of a SearXNG server; empty: none
  std::string brave_api_key, tavily_api_key;  // secret
  std::string brave_base_url = "https://api.search.brave.com", tavily_base_url = "https://api.tavily.com";

  // Of the channels of agents.
  std::string telegram_api_url = "https://api.telegram.org", slack_api_url = "https://slack.com/api",
              discord_api_url = "https://discord.com/api/v10", whatsapp_api_url = "https://graph.facebook.com/v23.0";

  bool feeds_allow_private = false;
  std::string email_webhook_secret;                // secret; whsec_ and base64, or any text
  std::vector<std::string> email_allowed_senders;  // lower case: an address, "@example.org", or "*"

  std::string l2_rpc_url;  // the chain's node; may carry the provider's key: secret
  std::uint64_t l2_chain_id = 8453;

  std::string testnet_rpc_url;  // secret, as above
  std::uint64_t testnet_chain_id = 84532;
  std::string usdc_address, testnet_usdc_address;  // empty: the known contract of the chain
  unsigned transfer_confirmations = 3;
  std::chrono::milliseconds transfer_stuck_after{60'000};
  unsigned transfer_max_gwei = 500;
  std::string cdp_api_url = "https://api.cdp.coinbase.com/platform", cdp_project_id, cdp_api_key_id;
  std::string cdp_api_key_secret, cdp_wallet_secret;  // secret

  std::string payment_rpc_url;  // secret, as above
  std::string payment_receiver, payment_token_address = "0x20c0000000000000000000000000000000000000";  // pathUSD
  std::string clone_payer = "any";                                                                     // any, linked
  std::string clone_payments = "free";                                                                 // free, off

  std::string gateway_price_summarize = "0.001", gateway_price_extract = "0.001",
              gateway_price_models = "0.001";              // USDC
  std::string mpp_secret;                                  // secret; empty: derived from the master key
  std::string x402_facilitator_url, x402_facilitator_key;  // the key is secret

  std::string stripe_secret_key, stripe_webhook_secret;  // secret
  std::string stripe_api_url = "https://api.stripe.com";
  std::vector<std::string> stripe_prices;  // "solo=price_...": what is sold, and its price at Stripe

  std::string idp_issuer, idp_client_secret;
  std::vector<std::string> idp_client_id;  // the first is the box's own; security events may be for any
  std::string codehost_client_id, codehost_client_secret, codehost_base_url = "https://github.com",
                                                          codehost_api_url = "https://api.github.com";
  std::string smtp_url, smtp_from;  // the URL may hold a password: secret
  std::string social_id_issuer, social_id_client_id, social_id_client_secret;
  std::string gating_token_address, gating_token_minimum = "1250000";  // the minimum in tokens

  std::string stream_provider = "auto";  // auto, mux, local
  bool stream_local = false;             // the same as the provider local
  std::string stream_api_url = "https://api.mux.com", stream_token_id, stream_token_secret;
  std::string stream_signing_secret, stream_webhook_secret;  // the first that is set verifies webhooks
  std::string stream_rtmp_listen = "127.0.0.1:1935", stream_rtmp_url;
  bool stream_token_gating = true, stream_require_proof = false, stream_record = false;
  unsigned stream_hls_mb = 512;
  unsigned video_storage_mb = 500;  // of one user
  std::chrono::milliseconds video_url_lifetime{std::chrono::hours{24}};
  std::string video_s3_endpoint, video_s3_bucket, video_s3_region = "us-east-1";  // empty: videos stay on the box
  std::string video_s3_access_key_id, video_s3_secret_access_key;                 // the second is secret

  std::string log_level = "info";
  std::string log_format = "auto";  // auto, json, text

  std::string gateway_settle_first = "0.05", x402_settle_minimum = "0.001";  // USDC
  std::string x402_settle_plan = "label";                                    // none, or a plan
  unsigned x402_settle_daily = 200;

  std::chrono::milliseconds restore_proof_age{std::chrono::days{8}};
  std::string standby = "off";                    // off, async, sync
  std::string standby_listen = "127.0.0.1:3443";  // for the standby
  std::string store_url;                          // may hold a password: secret; empty: the embedded engine
  // The bucket that has every change; empty: none.
  std::string standby_s3_endpoint, standby_s3_bucket, standby_s3_region = "us-east-1", standby_s3_folder = "agentbox";
  std::string standby_s3_access_key_id, standby_s3_secret_access_key;  // the second is secret
  std::chrono::milliseconds standby_s3_keep{std::chrono::days{7}};
  std::chrono::milliseconds standby_s3_base_interval{std::chrono::days{1}};
};

inline constexpr std::string_view config_file_name = "agentbox.toml";

}  // namespace agentbox
