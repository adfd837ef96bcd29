#include <ostream>

#include "appliance/box/cli/commands.h"
#include "appliance/box/open_store.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/foundation/email.h"
#include "appliance/foundation/settings/toml.h"
#include "appliance/identity/accounts/accounts.h"
#include "appliance/identity/site.h"

namespace agentbox::cli {

namespace {

std::string config_text(const std::string& internal_api_key) {
  return "# Settings of this box: `agentbox settings` lists them all. A flag or an environment variable of the same "
         "name "
         "wins.\n\n"
         "# What backend clients send as Authorization: Bearer ...\n"
         "internal_api_key = " +
         toml_string(internal_api_key) +
         "\n\n"
         "# web_listen = \"127.0.0.1:3000\"\n"
         "# base_url = \"https://box.example.com\"\n"
         "# local_model_url = \"http://127.0.0.1:11434/v1\"\n";
}

// Creates the account, or sets the password of the one that an interrupted init has created.
void make_admin(store::System system, const std::string& email, const std::string& password) {
  const accounts::PasswordHasher hasher;
  const std::string hash = hasher.hash_blocking(password);
  for (;;) {
    auto change = system.change();
    if (auto row = system.find_unique(accounts::users, "email", email)) {
      row->value.password_hash = hash;
      row->value.is_admin = true;
      change.update(accounts::users, *row);
    } else {
      const accounts::User admin{.id = system.next_id_blocking("users"),
                                 .email = email,
                                 .name = email,
                                 .password_hash = hash,
                                 .is_admin = true,
                                 .referral_code = crypto::random_id(accounts::referral_code_length),
                                 .created_at = store::now(),
                                 .email_verified = true};
      change.insert(accounts::users, admin);
    }
    if (change.commit_blocking().ok()) return;
  }
}

// Where this machine finds the web listener of these settings.
std::string listener_url(const Settings& settings) {
  const bool has_tls = !settings.tls_cert.empty() || !settings.acme_directory.empty();
  auto listen = settings.web_listen;
  for (const std::string any : {"0.0.0.0:", "[::]:"})
    if (listen.starts_with(any)) listen = "localhost:" + listen.substr(any.size());
  return (has_tls ? "https://" : "http://") + listen;
}

}  // namespace

int init(const Settings& settings, const InitOptions& options, std::ostream& out) {
  const DataFolder folder(std::filesystem::absolute(settings.data).lexically_normal());
  if (std::filesystem::exists(folder.config_file())) {
    throw UsageError(folder.path().string() + " has been set up already: start it with agentbox serve --data " +
                     folder.path().string());
  }
  const auto email = agentbox::normalised_email(options.email);
  if (!email) throw UsageError("--email must be a valid e-mail address");
  if (agentbox::is_reserved_email(*email))
    throw UsageError("--email must not end in @wallet.app: such addresses are reserved for wallets, name another one");
  const std::string password = options.password.empty() ? crypto::random_token(12) : options.password;
  if (const auto refused = accounts::Accounts::refuse_password(password, *email))
    throw UsageError("--password: " + refused->message);

  folder.prepare();
  {
    const auto store = open_store(settings);
    make_admin(store->system(), *email, password);
  }
  // Last: a folder with this file is complete.
  write_private_file(folder.config_file(), config_text(crypto::random_token(32)));

  out << "agentbox is set up in " << folder.path().string() << "\n\n  admin     " << *email << "\n  password  "
      << (options.password.empty() ? password + "   (shown this once)" : "as given") << '\n';
  if (options.says_next) {
    agentbox::Site site(settings.base_url);
    site.set_listener(listener_url(settings));
    out << "\nNext:\n  agentbox serve --data " << folder.path().string() << "\n  then open " << site.page_url("/login")
        << '\n';
  }
  return 0;
}

}  // namespace agentbox::cli
