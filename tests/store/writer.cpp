// The other process of the durability tests: one that is killed, runs out of disk, or holds the folder. It is a program
// of its own because RocksDB's threads do not survive a fork. usage: store_writer MODE FOLDER
//   endless  inserts notes until it is killed, a line on stdout for each acknowledged one
//   log      inserts 20 notes and ends without closing the store, as a killed process would
//   unsynced the same, and none of the notes is on disk for certain
//   full     inserts until the file-size limit, which stands in for a full disk, stops it; 0 when all went as it should
//   started  opens the store with no room for a byte; 0 when that was refused with a sentence
//   hold     opens the store, says so on stdout, and waits for the end of stdin
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <random>

#include "tests/store/fixture.h"

namespace store_test {
namespace {

bool add_note(const store::Store& store, std::int64_t owner, const std::string& name, std::size_t size,
              store::Durability durability = store::Durability::durable) {
  auto change = store.system().change();
  change.insert(notes, {.owner = owner, .id = name, .title = name, .tag = std::string(size, 'x')});
  change.add(1, {"notes"}, 1);
  return change.commit_blocking(durability).ok();
}

int endless(const store::Store& store) {
  using enum store::Durability;
  constexpr std::array kinds{durable, prompt, relaxed};  // the end of a process takes none of them
  const auto prefix = std::to_string(std::random_device{}()) + "." + std::to_string(getpid()) + ".";
  for (int at = 0;; ++at) {
    const auto name = prefix + std::to_string(at);
    if (!add_note(store, 1 + at % 3, name, 10, kinds[static_cast<std::size_t>(at) % 3])) return 1;
    std::cout << name << std::endl;
  }
}

int log(const store::Store& store, store::Durability durability) {
  for (int at = 0; at < 20; ++at)
    if (!add_note(store, 1, "note " + std::to_string(at), 200, durability)) return 1;
  _exit(0);
}

int full(const store::Store& store) {
  if (!add_note(store, 1, "before", 10)) return 1;
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{200'000, 200'000};
  setrlimit(RLIMIT_FSIZE, &limit);
  std::string said;
  for (int at = 0; at < 10'000 && said.empty(); ++at) {
    try {
      add_note(store, 2, "more " + std::to_string(at), 5'000);
    } catch (const store::Unavailable& error) {
      said = error.what();
    }
  }
  if (said.find("read-only") == std::string::npos) return 2;
  if (!store.read_only_reason()) return 3;
  if (store.system().tenant(1).list(notes).size() != 1) return 4;
  try {  // it stays so
    add_note(store, 2, "again", 1);
    return 5;
  } catch (const store::Unavailable&) {
    return 0;
  }
}

// RocksDB reports more than one failure on its way; none may end the process.
int started(const char* folder) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{0, 0};
  setrlimit(RLIMIT_FSIZE, &limit);
  try {
    store::Store::open(options(folder));
    return 1;
  } catch (const store::Unavailable& error) {
    return std::string(error.what()).find("cannot be") == std::string::npos ? 2 : 0;
  }
}

int hold() {
  std::cout << "held" << std::endl;
  std::cin.get();
  return 0;
}

}  // namespace
}  // namespace store_test

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  const std::string mode = argv[1];
  if (mode == "started") return store_test::started(argv[2]);
  const auto store = store::Store::open(store_test::options(argv[2]));
  if (mode == "endless") return store_test::endless(*store);
  if (mode == "log") return store_test::log(*store, store::Durability::durable);
  if (mode == "unsynced") return store_test::log(*store, store::Durability::relaxed);
  if (mode == "full") return store_test::full(*store);
  return store_test::hold();
}
