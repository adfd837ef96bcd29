#include "appliance/foundation/settings/settings_table.h"

#include "appliance/foundation/email.h"
#include "web/admission/trusted_proxies.h"

namespace agentbox {

namespace {

// An address, "@example.org" for all addresses of a domain, or "*" for everybody.
std::optional<std::string> allowed_sender(const std::string& item) {
  if (item == "*") return item;
  if (!item.starts_with('@')) return normalised_email(item);
  const auto whole = normalised_email("anybody" + item);
  return whole ? std::optional(whole->substr(whole->find('@'))) : std::nullopt;
}

std::optional<std::string> program_problem(const std::string& value) {
  if (value == "auto" || value == "off" || value.starts_with('/')) return {};
  return "must be auto, off or an absolute path";
}

std::vector<Setting> make_table() {
  using namespace std::chrono_literals;
  using namespace setting_types;
  using S = Settings;
  const auto as_is = [](const std::string& item) { return std::optional(item); };
  const auto network = [](const std::string& item) {
    return web::TrustedProxies::is_network(item) ? std::optional(item) : std::nullopt;
  };
  return {
      data_folder("the data folder: everything the box stores"),
      address("WEB_LISTEN", &S::web_listen, "address of the web listener, for browsers and users' API clients"),
      address("BACKEND_LISTEN", &S::backend_listen, "address of the backend API"),
      address("SUMMARIZER_LISTEN", &S::summarizer_listen, "address of the web summarizer"),
      url("BASE_URL", &S::base_url, "public web address, for redirects and links; unset: from WEB_LISTEN"),
      hosts("ALLOWED_HOSTS", &S::allowed_hosts,
            "further host names of the web listener; with BASE_URL set, requests for other hosts get 421"),
      text("TLS_CERT", &S::tls_cert, "certificate chain of the web listener; reloaded on SIGHUP", "PEM file"),
      text("TLS_KEY", &S::tls_key, "private key of that certificate", "PEM file"),
      text("TLS_CA", &S::tls_ca, "certificate of its authority, which is offered at /ca.crt; unset: none", "PEM file"),
      https_url(
          "ACME_DIRECTORY", &S::acme_directory,
          "directory of a certificate authority (ACME, RFC 8555), from which the box gets and renews the certificate "
          "of "
          "the web listener; setting it accepts the authority's terms"),
      email("ACME_EMAIL", &S::acme_email, "address that the authority may write to"),
      hosts("ACME_NAMES", &S::acme_names, "host names of that certificate; unset: the host of BASE_URL"),
      text("ACME_CA", &S::acme_ca, "certificate that the directory's own is checked with; unset: the system's",
           "PEM file"),
      secret("INTERNAL_API_KEY", &S::internal_api_key,
             "bearer key of the backend API; unset: every request to it gets 500"),
      secret("INTERNAL_API_KEY_NEXT", &S::internal_api_key_next,
             "second bearer key that is as valid as INTERNAL_API_KEY, while callers change from one to the other"),
      boolean("ADMIN_REQUIRED", &S::admin_required,
              "requests to /api/admin on the backend must name an admin in x-user-email"),
      list("ADMIN_EMAILS", &S::admin_emails, "e-mail,...",
           "accounts with these addresses are admins once the address is verified, by mail or by a provider",
           normalised_email, "is not an e-mail address"),
      boolean("ADMIN_SECOND_FACTOR", &S::admin_second_factor,
              "require a second factor of admins; those without one can only set it up"),
      boolean("SECOND_FACTOR_REQUIRED", &S::second_factor_required,
              "require a second factor of all users; after SECOND_FACTOR_GRACE those without one can only set it up"),
      time_span("SECOND_FACTOR_GRACE", &S::second_factor_grace, 0s, std::chrono::days{365},
                "time that users have for that, from their registration or, if it is later, from the first start with "
                "SECOND_FACTOR_REQUIRED"),
      choice("SIGN_IN", &S::sign_in, {"all", "provider"},
             "ways of signing in: all that are configured, or only the identity provider of IDP_ISSUER"),
      email("BREAK_GLASS_ADMIN", &S::break_glass_admin,
            "admin who may sign in with password and second factor although SIGN_IN is provider; each use is audited "
            "and mailed to all admins"),
      text("BREACHED_PASSWORDS", &S::breached_passwords,
           "list of passwords that are refused: SHA-1 hashes in hex, one a line, sorted, as Have I Been Pwned "
           "publishes them",
           "file"),
      choice("REFERRAL_CREDIT", &S::referral_credit, {"payment", "approval", "registration"},
             "when a referral gives both users credits: once the new user's address is verified and a payment was made "
             "or an admin approves; verified and approved; or at once"),
      list("ADMIN_NETWORKS", &S::admin_networks, "address or CIDR,...",
           "clients that may use the backend API and, on the web listener, the rows for admins; unset: all", network,
           "is not an address or a network, such as 10.0.0.0/8"),
      audit_stream("AUDIT_STREAM", &S::audit_stream,
                   "collector that receives the audit log: syslog+tls://host[:port], syslog+tcp://, syslog+udp://, or "
                   "https:// and http:// for JSON lines by POST; unset: none"),
      secret("AUDIT_STREAM_TOKEN", &S::audit_stream_token, "bearer token for the collector of https:// or http://"),
      text("AUDIT_STREAM_CA", &S::audit_stream_ca,
           "certificate of the authority that the collector's own is checked with; unset: the system's", "PEM file"),
      count("AUDIT_KEEP", &S::audit_keep, 1, 36'500, "days that entries of the audit log are kept"),
      choice("REGISTRATION", &S::registration, {"open", "invite", "closed"},
             "who may create an account: anybody, holders of an invitation, or only admins"),
      choice("DEFAULT_PLAN", &S::default_plan, {"none", "label", "solo", "collective", "network"},
             "plan of new users; with REGISTRATION=invite their invitation decides"),
      time_span("SESSION_IDLE", &S::session_idle, 1s, std::chrono::days{30},
                "sign users out after this time without a request"),
      contacts("SECURITY_CONTACT", &S::security_contact,
               "where to report vulnerabilities; published at /.well-known/security.txt"),
      point_in_time("SECURITY_EXPIRES", &S::security_expires,
                    "when security.txt becomes stale; unset: always half a year ahead"),
      https_url("SECURITY_POLICY", &S::security_policy, "disclosure policy, for security.txt"),
      https_url("SECURITY_ENCRYPTION", &S::security_encryption, "key for encrypted reports, for security.txt"),
      https_url("SECURITY_ACKNOWLEDGMENTS", &S::security_acknowledgments,
                "page that credits reporters, for security.txt"),
      language_tags("SECURITY_LANGUAGES", &S::security_languages, "preferred languages of reports, for security.txt"),
      master_key_file("file with the master key, instead of AGENTBOX_MASTER_KEY, which comes first"),
      master_key("64 hex digits that encrypt secrets at rest; unset: read from systemd's credential master.key, else "
                 "from master.key in the data folder"),
      list("TRUSTED_PROXIES", &S::trusted_proxies, "address or CIDR,...",
           "reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted", network,
           "is not an address or a network, such as 10.0.0.0/8"),
      origins("MCP_ORIGINS", &S::mcp_origins,
              "sites whose pages may call /mcp, and get its tokens, from the users' browsers; unset: none"),
      boolean("RATE_LIMITS", &S::rate_limits,
              "limit the rate of requests; turn off only for benchmarks and in trusted networks"),
      boolean("LOGIN_LIMITS", &S::login_limits,
              "limit guesses at passwords, codes and tokens, whatever RATE_LIMITS says; turn off only for benchmarks"),
      disk_space("DISK_RESERVE", &S::disk_reserve,
                 "free disk space that agents, uploads and backups leave to the store; auto: 1G or 5 percent, less on "
                 "small disks"),
      choice("EGRESS", &S::egress, {"allow", "deny"},
             "outbound connections: all that other settings ask for, or only those to EGRESS_ALLOW"),
      destinations("EGRESS_ALLOW", &S::egress_allow, "destinations that EGRESS=deny leaves open"),
      text("BACKUP_SCHEDULE", &S::backup_schedule, "when to back up into backups/ of the data folder; unset: never",
           "cron, UTC"),
      count("BACKUP_KEEP", &S::backup_keep, 1, 1'000, "backups of that schedule that are kept"),
      time_span("RESTORE_PROOF_AGE", &S::restore_proof_age, 1s, std::chrono::days{365},
                "mail admins when no scheduled backup could be restored for this long"),
      choice("STANDBY", &S::standby, {"off", "async", "sync"},
             "copy every change to a standby: async, at most a second later; sync, before it is acknowledged"),
      store_url("STORE_URL", &S::store_url,
                "PostgreSQL database of the store, postgres://user:password@host:port/name; unset: the data folder"),
      address("STANDBY_LISTEN", &S::standby_listen, "address where the standby connects, with STANDBY"),
      url("STANDBY_S3_ENDPOINT", &S::standby_s3_endpoint,
          "object store with the API of S3 that gets every change, encrypted; unset: none"),
      text("STANDBY_S3_BUCKET", &S::standby_s3_bucket, "its bucket", "name"),
      text("STANDBY_S3_FOLDER", &S::standby_s3_folder, "folder of this box in that bucket", "name"),
      text("STANDBY_S3_REGION", &S::standby_s3_region, "region of that bucket", "name"),
      text("STANDBY_S3_ACCESS_KEY_ID", &S::standby_s3_access_key_id, "id of the access key for that bucket", "id"),
      secret("STANDBY_S3_SECRET_ACCESS_KEY", &S::standby_s3_secret_access_key, "that access key"),
      time_span("STANDBY_S3_KEEP", &S::standby_s3_keep, 1s, std::chrono::days{3'650},
                "how far back the bucket restores"),
      time_span("STANDBY_S3_BASE_INTERVAL", &S::standby_s3_base_interval, 1s, std::chrono::days{30},
                "how often the bucket gets a whole copy, from which a restore begins"),
      optional_address("HTTP_REDIRECT_LISTEN", &S::http_redirect_listen,
                       "address that redirects plain HTTP to the web listener with TLS; unset: none"),
      boolean("STATUS_PAGE", &S::status_page, "show the state of the box to everybody at /status"),
      count("NETWORK_THREADS", &S::threads, 0, 256, "threads that serve requests; 0: one per core"),
      seconds("IDLE_TIMEOUT", &S::idle_timeout, 1, 86'400, "how long an idle connection is kept open"),
      count("STREAMS_PER_USER", &S::streams_per_user, 1, 1'000'000,
            "live logs that one user may read at once, and event streams"),
      count("STREAMS_TOTAL", &S::streams_total, 1, 1'000'000, "live logs of all users together, and event streams"),

      choice("AGENT_RUNTIME", &S::agent_runtime, {"auto", "docker", "process"},
             "where agents run; auto: in containers if the Docker Engine answers, else as processes"),
      text("AGENT_IMAGE", &S::agent_image, "container image of new agents", "image"),
      disk_space("AGENT_MEMORY_MIN", &S::agent_memory_min,
                 "memory that an agent of AGENT_IMAGE needs; plans with less are refused; auto: what the image's label "
                 "agentbox.memory-min says"),
      text("DOCKER_HOST", &S::docker_host, "socket of the Docker Engine", "unix:///path"),
      domain("AGENT_DOMAIN", &S::agent_domain, "agents are reached at <subdomain>.<this domain> on the web listener"),
      port_range("ports on the host for agents"),
      choice("ISOLATION", &S::isolation, {"any", "required"},
             "required: refuse to run agents that are not isolated from one another and from the box"),
      text("RUN_AS", &S::run_as, "user that a box started by root becomes; unset: it stays root", "user"),
      text("AGENT_TOOLS", &S::agent_tools,
           "what agents' commands see: system (this machine's /usr, /bin, /lib and certificates; for agents in "
           "containers the image agentbox/agent-tools:latest), a folder with a tree of its own, or for agents in "
           "containers an image; off: agents run no commands",
           "system, off, folder or image"),
      text("COMMAND_HELPER", &S::command_helper,
           "socket of the service that starts agents' commands for a box that is not root, as the Debian package's "
           "units set it; without the socket the box starts them itself",
           "path"),
      checked(text("BROWSER", &S::browser,
                   "program of agents' browsers, a Chromium, where AGENT_TOOLS has it; auto: looked for in the usual "
                   "places; off: agents have none",
                   "auto, off or path"),
              program_problem),
      seconds("BROWSER_IDLE", &S::browser_idle, 5, 86'400, "how long an agent's browser runs on without being used"),
      choice("ISOLATION_FOR_COMMANDS", &S::isolation_for_commands, {"strong", "namespaces"},
             "what agents' commands require: the isolation level strong, or only namespaces of their own, for kernels "
             "before 6.7"),
      time_span("TERMINAL_IDLE_TIME", &S::terminal_idle_time, 1s, 24h,
                "time without input after which a user's terminal in an agent's workspace ends"),
      boolean("CONTAINER_LAN", &S::container_lan,
              "let agents in containers reach private, link-local and metadata addresses"),
      boolean("PROVISIONING_ENABLED", &S::provisioning_enabled, "allow new agents; off: requests for one get 503"),
      boolean("CONVERSATION_TITLES", &S::conversation_titles,
              "agents' models title their owners' new conversations; an agent's config may say otherwise"),
      time_span("WATCHDOG_CHECK_INTERVAL", &S::watchdog_check_interval, 100ms, 24h,
                "interval between health checks of a running agent"),
      time_span("WATCHDOG_DEGRADED_CHECK_INTERVAL", &S::watchdog_degraded_check_interval, 100ms, 24h,
                "interval between health checks of an agent that is starting or degraded"),
      count("WATCHDOG_STARTUP_FAILURE_THRESHOLD", &S::watchdog_startup_failure_threshold, 1, 1'000,
            "consecutive failed checks after which a starting agent is degraded"),
      count("WATCHDOG_MAX_REPAIR_ATTEMPTS", &S::watchdog_max_repair_attempts, 1, 100,
            "failed repairs after which an agent is given up"),
      time_span("WATCHDOG_CRASH_LOOP_WINDOW", &S::watchdog_crash_loop_window, 1s, 24h,
                "time in which crashes count as a crash loop"),
      count("WATCHDOG_CRASH_LOOP_THRESHOLD", &S::watchdog_crash_loop_threshold, 1, 1'000,
            "crashes within that time after which an agent is given up"),
      boolean("WATCHDOG_AUTO_REPAIR", &S::watchdog_auto_repair,
              "repair agents that do not answer and restart those that ended; off: only report them"),
      time_span(
          "INSTALLATION_HEARTBEAT_INTERVAL", &S::installation_heartbeat_interval, 1s, 24h,
          "interval of the heartbeats of registered installations; one is inactive after three missed heartbeats"),
      secret("NOTIFY_BOT_TOKEN", &S::notify_bot_token,
             "token of the messaging bot that reports state changes of agents"),
      text("NOTIFY_CHAT_ID", &S::notify_chat_id, "chat that the bot reports to", "id"),
      url("NOTIFY_BOT_API_URL", &S::notify_bot_api_url,
          "API of the bot, compatible with Telegram's <URL>/bot<token>/sendMessage"),
      secret_url("NOTIFY_WEBHOOK_URL", &S::notify_webhook_url, "chat webhook that receives the same reports"),
      secret_url(
          "OTEL_EXPORTER_OTLP_ENDPOINT", &S::otel_exporter_otlp_endpoint,
          "OpenTelemetry collector that receives the box's spans at <URL>/v1/traces; unset: they stay on the box"),
      otlp_headers("OTEL_EXPORTER_OTLP_HEADERS", &S::otel_exporter_otlp_headers,
                   "headers for it: name=value,..., values percent-encoded"),

      url("LOCAL_MODEL_URL", &S::local_model_url,
          "local model server with an OpenAI-compatible API: Ollama, llama.cpp, vLLM"),
      provider_key("LOCAL_API_KEY", &S::local_api_key, "API key of the local model server, if it needs one"),
      text("LOCAL_MODEL", &S::local_model, "model of the local server; unset: the first it lists", "model"),
      text("LOCAL_FALLBACK_MODEL", &S::local_fallback_model,
           "model of the local server that answers if the first fails before its answer begins", "model"),
      provider_key("OPENROUTER_API_KEY", &S::openrouter_api_key, "API key of OpenRouter"),
      url("OPENROUTER_BASE_URL", &S::openrouter_base_url, "address of OpenRouter's API"),
      text("OPENROUTER_MODEL", &S::openrouter_model,
           "OpenRouter model of requests that name none; unset: by the tiers of the catalogue", "model"),
      provider_key("ANTHROPIC_API_KEY", &S::anthropic_api_key,
                   "API key of Anthropic, which is then used before OpenRouter"),
      url("ANTHROPIC_BASE_URL", &S::anthropic_base_url, "address of Anthropic's API"),
      provider_key("OPENAI_API_KEY", &S::openai_api_key, "API key of OpenAI, which is then used before OpenRouter"),
      url("OPENAI_BASE_URL", &S::openai_base_url, "address of OpenAI's API"),
      provider_key("GOOGLE_API_KEY", &S::google_api_key,
                   "API key of Google Gemini, which is then used before OpenRouter"),
      url("GOOGLE_BASE_URL", &S::google_base_url, "address of the Gemini API"),
      count("AI_MAX_TOKENS", &S::ai_max_tokens, 16, 1'000'000,
            "most tokens of an answer when the request sets no limit"),
      boolean("DEMO_CHAT", &S::demo_chat, "offer the public demo, which needs no account"),
      count("DEMO_DAILY_TOKENS", &S::demo_daily_tokens, 0, 2'000'000'000,
            "daily token budget of the public demo (UTC); one visitor may use a quarter; 0 turns it off"),
      dollars("DEMO_DAILY_USD", &S::demo_daily_usd,
              "most that the public demo may cost in a day (UTC), in US dollars; 0 turns it off"),
      boolean("AI_BUILTIN", &S::ai_builtin,
              "answer with the built-in extractive model when no other model is configured"),
      milliseconds("AI_MODEL_TIMEOUT_MS", &S::ai_model_timeout, 100, 600'000, "timeout of one attempt to call a model"),

      folder("BROWSE_ROOT", &S::browse_root,
             "folder that the file explorer shows when no agent is named; unset: agents/ in the data folder"),
      git_name("GIT_AUTHOR_NAME", &S::git_author_name, "author of the box's commits"),
      git_name("GIT_AUTHOR_EMAIL", &S::git_author_email, "author's e-mail address of the box's commits"),
      seconds("GIT_REMOTE_TIMEOUT", &S::git_remote_timeout, 1, 600, "timeout of a push"),

      boolean("SUMMARIZER_ALLOW_PRIVATE", &S::summarizer_allow_private,
              "allow private and loopback addresses to the summarizer, to videos of screenshots, to agents' MCP "
              "servers, to agents' webhooks and to addresses of their channels"),
      count("SUMMARIZER_CACHE_MB", &S::summarizer_cache_mb, 0, 512,
            "size of the summarizer's page cache in megabytes; 0 turns it off"),
      url("SEARCH_URL", &S::search_url,
          "SearXNG server that agents' web searches are sent to; its search.formats must include json"),
      secret("BRAVE_API_KEY", &S::brave_api_key, "key of the Brave Search API, used without SEARCH_URL"),
      url("BRAVE_BASE_URL", &S::brave_base_url, "address of the Brave Search API"),
      secret("TAVILY_API_KEY", &S::tavily_api_key, "key of the Tavily API, used without the two above"),
      url("TAVILY_BASE_URL", &S::tavily_base_url, "address of the Tavily API"),
      text("SUMMARIZER_USER_AGENT", &S::summarizer_user_agent, "User-Agent header of the summarizer's requests"),

      url("TELEGRAM_API_URL", &S::telegram_api_url,
          "Bot API that agents' Telegram channels use: Telegram's, or a server of your own"),
      url("SLACK_API_URL", &S::slack_api_url, "Web API that agents' Slack channels use"),
      url("DISCORD_API_URL", &S::discord_api_url, "API that agents' Discord channels use, with its version"),
      url("WHATSAPP_API_URL", &S::whatsapp_api_url, "Graph API that agents' WhatsApp channels use, with its version"),
      boolean("FEEDS_ALLOW_PRIVATE", &S::feeds_allow_private, "let data feeds have private and loopback addresses"),
      secret("EMAIL_WEBHOOK_SECRET", &S::email_webhook_secret,
             "signing secret of the e-mail webhook: whsec_ and base64, or any text; unset: every mail is refused"),
      list("EMAIL_ALLOWED_SENDERS", &S::email_allowed_senders, "e-mail or @domain,...",
           "senders whose mail reaches agents; * allows all; unset: none", allowed_sender,
           "is neither an e-mail address nor @ and a domain"),

      secret_url("L2_RPC_URL", &S::l2_rpc_url,
                 "JSON-RPC of the chain of smart wallets, gating tokens and USDC transfers; unset: the first two are "
                 "unavailable, and USDC is that of the box's own ledger"),
      chain_id("L2_CHAIN_ID", &S::l2_chain_id, "id of that chain; sign-in messages must name it"),
      secret_url("TESTNET_RPC_URL", &S::testnet_rpc_url, "JSON-RPC of the chain of users' test wallets"),
      chain_id("TESTNET_CHAIN_ID", &S::testnet_chain_id, "id of that chain"),
      chain_address("USDC_ADDRESS", &S::usdc_address,
                    "contract of USDC on the chain of L2_CHAIN_ID; unset: the known one of that chain"),
      chain_address("TESTNET_USDC_ADDRESS", &S::testnet_usdc_address,
                    "contract of USDC on the chain of TESTNET_CHAIN_ID; unset: the known one of that chain"),
      count("TRANSFER_CONFIRMATIONS", &S::transfer_confirmations, 1, 1'000,
            "number of blocks, with the transaction's own, after which a transfer counts as confirmed"),
      time_span("TRANSFER_STUCK_AFTER", &S::transfer_stuck_after, 500ms, 24h,
                "time after which a transfer that is in no block is sent again with a higher fee"),
      count("TRANSFER_MAX_GWEI", &S::transfer_max_gwei, 1, 1'000'000,
            "highest price of gas, in gwei, that transfers offer; they wait while the chain asks more"),
      url("CDP_API_URL", &S::cdp_api_url, "API of Coinbase's developer platform"),
      text("CDP_PROJECT_ID", &S::cdp_project_id, "project at Coinbase's developer platform that makes wallets", "id"),
      text("CDP_API_KEY_ID", &S::cdp_api_key_id, "id of that project's API key", "id"),
      secret("CDP_API_KEY_SECRET", &S::cdp_api_key_secret,
             "the API key: 64 bytes of Ed25519 in base64, or an EC key on P-256 in PEM"),
      secret("CDP_WALLET_SECRET", &S::cdp_wallet_secret,
             "that project's wallet secret (base64), which signs the creation of wallets"),
      secret_url("PAYMENT_RPC_URL", &S::payment_rpc_url,
                 "JSON-RPC of the chain on which clones are paid; unset: see CLONE_PAYMENTS"),
      chain_address("PAYMENT_RECEIVER", &S::payment_receiver, "account that receives payments"),
      chain_address("PAYMENT_TOKEN_ADDRESS", &S::payment_token_address, "contract of the payment token (pathUSD)"),
      choice("CLONE_PAYER", &S::clone_payer, {"any", "linked"},
             "whose payments pay for a clone: anybody's, or only those from a wallet linked to the caller's account"),
      choice("CLONE_PAYMENTS", &S::clone_payments, {"free", "off"},
             "without PAYMENT_RPC_URL, where no payment can be verified: clones are free within the plan's limits, or "
             "there are none"),

      price("GATEWAY_PRICE_SUMMARIZE", &S::gateway_price_summarize, "price of a summary at the paid gateway"),
      price("GATEWAY_PRICE_EXTRACT", &S::gateway_price_extract, "price of an extraction at the paid gateway"),
      price("GATEWAY_PRICE_MODELS", &S::gateway_price_models,
            "price of a model call at the paid gateway, to which the catalogue's price of its tokens is added"),
      challenge_secret("MPP_SECRET", &S::mpp_secret,
                       "binds the challenges of MPP, for several boxes that accept each other's; unset: a key of the "
                       "box's own"),
      url("X402_FACILITATOR_URL", &S::x402_facilitator_url,
          "facilitator of x402 that settles payments; unset: the box sends the transfers from its own wallet"),
      secret("X402_FACILITATOR_KEY", &S::x402_facilitator_key, "bearer key at that facilitator"),
      price("GATEWAY_SETTLE_FIRST", &S::gateway_settle_first,
            "price from which the paid gateway settles a signed payment before it serves, instead of after"),
      price("X402_SETTLE_MINIMUM", &S::x402_settle_minimum,
            "least amount that POST /x402/settle sends, since the box pays for the gas"),
      choice("X402_SETTLE_PLAN", &S::x402_settle_plan, {"none", "label", "solo", "collective", "network"},
             "least plan of users who may settle payments at POST /x402/settle; none: every user"),
      count("X402_SETTLE_DAILY", &S::x402_settle_daily, 0, 1'000'000,
            "payments that one user may settle in a day (UTC) at POST /x402/settle"),

      secret("STRIPE_SECRET_KEY", &S::stripe_secret_key,
             "API key at Stripe, for payments by card; unset: requests to pay get 503"),
      secret("STRIPE_WEBHOOK_SECRET", &S::stripe_webhook_secret,
             "signing secret of the webhook endpoint <BASE_URL>/api/webhooks/stripe; unset: its events get 503"),
      url("STRIPE_API_URL", &S::stripe_api_url, "address of Stripe's API"),
      list(
          "STRIPE_PRICES", &S::stripe_prices, "name=price,...",
          "what is sold: a plan, credits.<number> or storage.<GB>, with its price at Stripe and, if it is to be shown, "
          "the amount: solo=price_1,credits.1000=price_2@9.00GBP",
          as_is, ""),

      url("IDP_ISSUER", &S::idp_issuer, "issuer of the OpenID identity provider, which also sends security events"),
      list("IDP_CLIENT_ID", &S::idp_client_id, "id,...",
           "client id at the identity provider; further ids are accepted as audiences of security events", as_is, ""),
      secret("IDP_CLIENT_SECRET", &S::idp_client_secret, "client secret at the identity provider"),
      text("CODEHOST_CLIENT_ID", &S::codehost_client_id, "OAuth client id at the code host", "id"),
      secret("CODEHOST_CLIENT_SECRET", &S::codehost_client_secret, "OAuth client secret at the code host"),
      url("CODEHOST_BASE_URL", &S::codehost_base_url, "address of the code host: GitHub, GitHub Enterprise or Gitea"),
      url("CODEHOST_API_URL", &S::codehost_api_url, "API of the code host; for Gitea https://<host>/api/v1"),
      smtp_url("SMTP_URL", &S::smtp_url,
               "mail server: smtp://[user:password@]host[:port], or smtps://; unset: mails wait in "
               "`agentbox admin outbox`"),
      email("SMTP_FROM", &S::smtp_from, "sender of the box's mails"),
      url("SOCIAL_ID_ISSUER", &S::social_id_issuer, "OpenID issuer whose ID tokens are accepted as social identities"),
      text("SOCIAL_ID_CLIENT_ID", &S::social_id_client_id, "required audience of those tokens", "id"),
      secret("SOCIAL_ID_CLIENT_SECRET", &S::social_id_client_secret,
             "client secret at the social issuer, if it needs one"),
      chain_address("GATING_TOKEN_ADDRESS", &S::gating_token_address,
                    "contract of the token that unlocks gated features"),
      token_amount("GATING_TOKEN_MINIMUM", &S::gating_token_minimum, "amount of the token that unlocks them"),

      choice("STREAM_PROVIDER", &S::stream_provider, {"auto", "mux", "local"},
             "where live streams run: Mux, or a server on this box; auto: Mux if its token is set, else none"),
      boolean("STREAM_LOCAL", &S::stream_local, "short for STREAM_PROVIDER=local: live streams without the internet"),
      url("STREAM_API_URL", &S::stream_api_url, "API of the hosted stream provider (Mux)"),
      text("STREAM_TOKEN_ID", &S::stream_token_id, "id of the access token at that provider", "id"),
      secret("STREAM_TOKEN_SECRET", &S::stream_token_secret, "secret of that access token"),
      secret("STREAM_SIGNING_SECRET", &S::stream_signing_secret,
             "signs the provider's webhooks; without it and STREAM_WEBHOOK_SECRET they are all refused"),
      secret("STREAM_WEBHOOK_SECRET", &S::stream_webhook_secret, "the same, used if STREAM_SIGNING_SECRET is unset"),
      address("STREAM_RTMP_LISTEN", &S::stream_rtmp_listen, "address at which the box's own stream server takes RTMP"),
      rtmp_url("STREAM_RTMP_URL", &S::stream_rtmp_url,
               "RTMP address that broadcasters are given; unset: the provider's own"),
      boolean("STREAM_TOKEN_GATING", &S::stream_token_gating,
              "creating a radio stream needs the gating tokens; turn off only on networks you trust"),
      boolean("STREAM_REQUIRE_PROOF", &S::stream_require_proof,
              "creating a radio stream needs a message signed by the wallet, as at wallet sign-in"),
      boolean("STREAM_RECORD", &S::stream_record, "record streams of the box's own server"),
      count("STREAM_HLS_MB", &S::stream_hls_mb, 16, 1'000'000,
            "most disk space of the segments of the box's own stream server, in megabytes"),
      count("VIDEO_STORAGE_MB", &S::video_storage_mb, 1, 10'000'000,
            "most disk space of one user's generated videos, in megabytes"),
      time_span("VIDEO_URL_LIFETIME", &S::video_url_lifetime, 1min, std::chrono::days{30},
                "how long the address of a generated video is valid"),
      url("VIDEO_S3_ENDPOINT", &S::video_s3_endpoint,
          "object store with the API of S3 that keeps generated videos; unset: the data folder"),
      text("VIDEO_S3_BUCKET", &S::video_s3_bucket, "bucket of generated videos", "name"),
      text("VIDEO_S3_REGION", &S::video_s3_region, "region of that bucket", "name"),
      text("VIDEO_S3_ACCESS_KEY_ID", &S::video_s3_access_key_id, "id of the access key for that bucket", "id"),
      secret("VIDEO_S3_SECRET_ACCESS_KEY", &S::video_s3_secret_access_key, "that access key"),

      choice("LOG_LEVEL", &S::log_level, {"debug", "info", "warning", "error"}, "lowest level of the log on stderr"),
      choice("LOG_FORMAT", &S::log_format, {"auto", "json", "text"},
             "form of the log on stderr; auto: text on a terminal, else JSON"),
  };
}

std::string markdown_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

const std::vector<Setting>& settings_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

std::string settings_markdown() {
  const Settings defaults;
  std::string page = "| setting | flag | value | default | meaning |\n|---|---|---|---|---|\n";
  for (const auto& setting : settings_table()) {
    const std::string value = setting.show(defaults);
    page += "| `" + setting.name + "` | `--" + setting.flag + "` | " + markdown_cell(setting.type) + " | " +
            (value.empty() ? "none" : "`" + value + "`") + " | " + markdown_cell(setting.help) + " |\n";
  }
  return page;
}

}  // namespace agentbox
