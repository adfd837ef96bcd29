#include "appliance/box/cli/version.h"

#include <gnu/libc-version.h>
#include <openssl/crypto.h>

#include <boost/json.hpp>
#include <iostream>

#include "appliance/foundation/version.h"

namespace agentbox::cli {

namespace {

void print_version(const BuildFacts& facts) {
  std::cout << "agentbox " << version << '\n';
  if (!facts.commit.empty())
    std::cout << "commit    " << facts.commit << (facts.is_modified ? ", with uncommitted changes" : "") << '\n';
  std::cout << "compiler  " << facts.compiler << ", " << facts.type << '\n'
            << "flags     " << facts.flags << '\n'
            << "runs with " << OpenSSL_version(OPENSSL_VERSION) << ", glibc " << gnu_get_libc_version() << '\n';
}

}  // namespace

std::string version_json(const BuildFacts& facts) {
  boost::json::object built_from;
  for (const auto& [package, its_version] : facts.libraries) built_from[package] = its_version;
  const boost::json::object all{
      {"version", version},
      {"commit", facts.commit.empty() ? boost::json::value() : boost::json::value(facts.commit)},
      {"modified", facts.is_modified},
      {"compiler", facts.compiler},
      {"type", facts.type},
      {"flags", facts.flags},
      {"builtFrom", std::move(built_from)},
      {"runsWith", {{"openssl", OpenSSL_version(OPENSSL_VERSION)}, {"glibc", gnu_get_libc_version()}}}};
  return boost::json::serialize(all) + "\n";
}

void add_version(CLI::App& app, std::function<int()>& run, const BuildFacts& facts) {
  auto* command = app.add_subcommand("version", "Print the version and how the binary was built");
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "as JSON, with the Debian packages that it was built from");
  command->callback([&run, as_json, facts] {
    run = [as_json, facts] {
      if (*as_json)
        std::cout << version_json(facts);
      else
        print_version(facts);
      return 0;
    };
  });
}

}  // namespace agentbox::cli
