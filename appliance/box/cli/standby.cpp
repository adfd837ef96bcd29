#include "appliance/box/cli/subcommands.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <iostream>
#include <memory>
#include <thread>

#include "appliance/box/cli/folder_owner.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/open_store.h"
#include "appliance/box/standby/follower.h"
#include "appliance/box/standby/invitation.h"
#include "appliance/box/standby/timeline.h"
#include "appliance/box/start_banner.h"
#include "appliance/foundation/crypto/random.h"
#include "store/replica.h"
#include "web/log.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto box_answer_limit = 4s, follower_stop_limit = 15s;

fs::path invitation_file(const DataFolder& folder) { return standby::folder_of(folder) / "invitation.json"; }
fs::path process_file(const DataFolder& folder) { return standby::folder_of(folder) / "process"; }

struct InviteOptions {
  fs::path to;
};

int invite_standby(const Settings& settings, const InviteOptions& options) {
  const DataFolder folder(settings.data);
  folder.require_box();
  refuse_on_server(settings, "A standby of agentbox");
  standby::refuse_unless_box(folder);
  // A key from the environment is not written to any file.
  const auto key = folder.master_key(settings);
  const RestoreOwner kept(folder);
  const auto invitation = standby::invite(folder, fs::exists(folder.key_file()) ? key : std::string());
  standby::write_invitation(options.to, invitation);
  std::cout << "wrote " << options.to.string()
            << ": it opens all secrets of the box. Earlier invitations are no longer "
            << "accepted. On the second machine:\n\n  agentbox standby --of https://THIS-MACHINE:PORT --invitation "
            << options.to.filename().string() << " --data D\n\n"
            << "with the port of STANDBY_LISTEN (" << settings.standby_listen << ")\n";
  if (invitation.masterKey.empty())
    std::cout << "the master key is not in it: set AGENTBOX_MASTER_KEY on the second machine, too\n";
  if (settings.standby == "off") std::cout << "STANDBY is off: set it to async or sync, and start the box again\n";
  return 0;
}

struct StandbyOptions {
  std::string of;
  fs::path invitation;
};

int follow_box(const Settings& settings, const StandbyOptions& options) {
  const DataFolder folder(fs::absolute(settings.data).lexically_normal());
  folder.prepare();
  auto timeline = standby::read_timeline(folder);
  const bool is_box =
      fs::exists(folder.store()) && (!timeline || (timeline->role == "box" && timeline->fenced_by == 0));
  if (is_box)
    throw UsageError(folder.path().string() + " holds a box: name an empty folder with --data, or one of a standby");
  const auto known = invitation_file(folder);
  const auto invitation = standby::read_invitation(options.invitation.empty() ? known : options.invitation);
  const auto of = options.of.empty() && timeline ? timeline->of : options.of;
  if (of.empty()) throw UsageError("name the box with --of https://HOST:PORT");
  standby::Address::parse(of);
  if (!timeline) timeline.emplace();
  timeline->role = "standby";
  timeline->of = of;
  standby::write_timeline(folder, *timeline);
  standby::write_invitation(known, invitation);
  write_private_file(process_file(folder), std::to_string(::getpid()) + "\n");
  signal(SIGPIPE, SIG_IGN);
  web::log::set_format(log_format(settings));
  const auto code = standby::follow(folder, of, invitation);
  std::error_code ignored;
  fs::remove(process_file(folder), ignored);
  return code;
}

struct PromoteOptions {
  bool is_forced = false;
};

// Ends the standby that runs on this folder, if one does.
void stop_follower(const DataFolder& folder) {
  const auto text = read_folder_file(process_file(folder));
  pid_t process = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), process).ec != std::errc() || process <= 1)
    return;
  std::error_code gone;
  const auto binary = fs::read_symlink("/proc/" + std::to_string(process) + "/exe", gone);
  if (gone || binary != fs::read_symlink("/proc/self/exe")) return;
  ::kill(process, SIGTERM);
  for (auto end = std::chrono::steady_clock::now() + follower_stop_limit; ::kill(process, 0) == 0;) {
    if (std::chrono::steady_clock::now() > end)
      throw UsageError("agentbox standby (process " + std::to_string(process) + ") does not end: end it first");
    std::this_thread::sleep_for(20ms);
  }
}

int promote_standby(const Settings& settings, const PromoteOptions& options) {
  const DataFolder folder(fs::absolute(settings.data).lexically_normal());
  auto timeline = standby::read_timeline(folder);
  if (!timeline || timeline->role != "standby")
    throw UsageError(folder.path().string() + " is no standby: run agentbox promote on the folder of agentbox standby");
  if (timeline->runs.empty() || !fs::exists(folder.store() / "CURRENT"))
    throw UsageError(folder.path().string() + " does not have a whole copy of the box yet");
  const auto invitation = standby::read_invitation(invitation_file(folder));
  const auto epoch = timeline->epoch + 1;
  auto answer = standby::ask_box(timeline->of, invitation, timeline->epoch, false, box_answer_limit);
  if (answer == standby::Answer::alive && !options.is_forced)
    throw UsageError("the box at " + timeline->of + " answers: stop it first, or add --force, which ends it");
  if (answer == standby::Answer::alive) {
    answer = standby::ask_box(timeline->of, invitation, epoch, true, box_answer_limit);
    if (answer != standby::Answer::fenced)
      std::cout << "note: the box at " << timeline->of << " has not confirmed that it ends: make sure that it does\n";
  }
  stop_follower(folder);
  store::Position position = 0;
  {
    const auto replica = store::Replica::open(folder.store());
    replica->sync();
    position = replica->newest();
  }
  if (!invitation.masterKey.empty() && !fs::exists(folder.key_file()))
    write_key_file(folder.key_file(), crypto::unhex(invitation.masterKey));
  standby::begin_run(*timeline, position);
  timeline->role = "box";
  timeline->epoch = epoch;
  timeline->had_standby = false;
  timeline->has_fenced = answer == standby::Answer::fenced;
  standby::write_timeline(folder, *timeline);  // last: until then it is a standby
  std::cout << folder.path().string() << " is the box now: epoch " << epoch << ", " << position << " changes\n";
  if (!timeline->has_fenced)
    std::cout << "the box at " << timeline->of
              << " does not answer; it learns of this as soon as it does. Keep it off\n";
  std::cout << "Start it: agentbox serve --data " << folder.path().string() << '\n';
  return 0;
}

}  // namespace

void add_standby(CLI::App& app, std::function<int()>& run) {
  {
    auto* command = app.add_subcommand("standby-invite", "Make the file with which a standby follows this box");
    const auto options = std::make_shared<InviteOptions>();
    command->add_option("--to", options->to, "file to write: a secret, as master.key")->required();
    const SettingFlags flags(*command, {"AGENTBOX_DATA", "AGENTBOX_MASTER_KEY", "STANDBY", "STANDBY_LISTEN"});
    command->callback(
        [&run, flags, options] { run = [flags, options] { return invite_standby(flags.resolve(), *options); }; });
  }
  {
    auto* command = app.add_subcommand("standby", "Follow a box on another machine, to take its place when it is gone");
    const auto options = std::make_shared<StandbyOptions>();
    command->add_option("--of", options->of, "address of the box's STANDBY_LISTEN; default: the one followed before")
        ->type_name("https://HOST:PORT");
    command
        ->add_option("--invitation", options->invitation,
                     "file of agentbox standby-invite; default: the one used before")
        ->type_name("FILE");
    const SettingFlags flags(*command, {"AGENTBOX_DATA", "LOG_FORMAT", "LOG_LEVEL"});
    command->callback(
        [&run, flags, options] { run = [flags, options] { return follow_box(flags.resolve(false), *options); }; });
  }
  {
    auto* command = app.add_subcommand("promote", "Make a standby the box. Refuses while the box answers");
    const auto options = std::make_shared<PromoteOptions>();
    command->add_flag("--force", options->is_forced, "also if the box answers: it is ended, and never served again");
    const SettingFlags flags(*command, {"AGENTBOX_DATA"});
    command->callback(
        [&run, flags, options] { run = [flags, options] { return promote_standby(flags.resolve(false), *options); }; });
  }
}

}  // namespace agentbox::cli
