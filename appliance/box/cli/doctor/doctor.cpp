#include "appliance/box/cli/doctor/doctor.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iomanip>
#include <iostream>
#include <memory>

#include "appliance/box/cli/box_client.h"
#include "appliance/box/cli/doctor/bundle.h"
#include "appliance/box/cli/doctor/checks.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/cli/version.h"

namespace agentbox::cli {

namespace {

using doctor::Finding, doctor::Findings, doctor::Level;

struct DoctorOptions {
  bool as_json = false;
  std::filesystem::path bundle;
};

std::string_view level_name(Level level) {
  switch (level) {
    case Level::ok:
      return "ok";
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
    case Level::problem:
      return "problem";
  }
  return "";
}

Findings examine(const Settings& settings) {
  auto findings = doctor::check_data_folder(settings);
  const auto add = [&findings](Findings more) { findings.insert(findings.end(), more.begin(), more.end()); };
  const BoxClient client(settings);
  add(doctor::check_listeners(settings, client.is_running()));
  add(doctor::check_access(settings, client));
  add(doctor::check_machine(settings));
  add(doctor::check_certificates(settings));
  add(doctor::check_store(settings));
  add(doctor::check_runtime(settings));
  add(doctor::check_outside(settings));
  add(doctor::check_programs(settings));
  return findings;
}

std::size_t count_findings(const Findings& findings, Level level) {
  return static_cast<std::size_t>(std::ranges::count(findings, level, &Finding::level));
}

std::string to_json(const Findings& findings) {
  boost::json::array list;
  for (const auto& one : findings)
    list.push_back(boost::json::object{
        {"check", one.check}, {"level", level_name(one.level)}, {"found", one.found}, {"advice", one.advice}});
  const boost::json::object all{{"problems", count_findings(findings, Level::problem)},
                                {"warnings", count_findings(findings, Level::warning)},
                                {"findings", std::move(list)}};
  return boost::json::serialize(all) + "\n";
}

void print_findings(const Findings& findings) {
  for (const auto& one : findings) {
    std::cout << std::left << std::setw(9) << level_name(one.level) << std::setw(21) << one.check << one.found << '\n';
    if (!one.advice.empty()) std::cout << std::string(30, ' ') << "-> " << one.advice << '\n';
  }
  const auto problems = count_findings(findings, Level::problem), warnings = count_findings(findings, Level::warning);
  std::cout << '\n'
            << problems << (problems == 1 ? " problem, " : " problems, ") << warnings
            << (warnings == 1 ? " warning\n" : " warnings\n");
}

struct Examined {
  Settings settings;
  Findings findings;
};

Examined examine(const SettingFlags& flags) {
  try {
    auto settings = flags.resolve();
    auto findings = examine(settings);
    return {std::move(settings), std::move(findings)};
  } catch (const UsageError& error) {
    auto settings = flags.only_data();
    Findings findings{{"settings", Level::problem, error.what(),
                       "correct this first: what the settings name is checked once they can be read"}};
    for (auto more : {doctor::check_machine(settings), doctor::check_programs(settings)})
      findings.insert(findings.end(), more.begin(), more.end());
    return {std::move(settings), std::move(findings)};
  }
}

int run_doctor(const SettingFlags& flags, const DoctorOptions& options, const BuildFacts& facts) {
  const auto [settings, findings] = examine(flags);
  if (options.as_json)
    std::cout << to_json(findings);
  else
    print_findings(findings);
  if (!options.bundle.empty()) {
    doctor::write_bundle(options.bundle, doctor::bundle_files(settings, {{"doctor.json", to_json(findings)},
                                                                         {"version.json", version_json(facts)}}));
    std::cerr << "wrote " << options.bundle.string() << ": look through it before you send it; secrets are left out\n";
  }
  return count_findings(findings, Level::problem) > 0 ? 1 : 0;
}

}  // namespace

void add_doctor(CLI::App& app, std::function<int()>& run, const BuildFacts& facts) {
  auto* command = app.add_subcommand("doctor",
                                     "Check the machine, the data folder and what the settings name, and say what to "
                                     "do. Exit code 1: there is a problem");
  const auto options = std::make_shared<DoctorOptions>();
  command->add_flag("--json", options->as_json, "as JSON");
  command->add_option("--bundle", options->bundle, "also write an archive for support (tar), without secrets")
      ->type_name("FILE");
  const SettingFlags flags(*command);
  command->callback(
      [&run, flags, options, facts] { run = [flags, options, facts] { return run_doctor(flags, *options, facts); }; });
}

}  // namespace agentbox::cli
