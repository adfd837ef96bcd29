// What is known of a box that crashed, for the next one.
//
//   last-run       that the box runs, or how it ended: a handler of the signals of crashes writes which one it was, the
//                  requests in progress, and the stack. A box that is killed (SIGKILL) leaves that it runs.
//   crashes.json   the last ten crashes, the newest first
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <vector>

#include "appliance/foundation/data_folder.h"

namespace agentbox {

struct Crash {
  std::string at;       // UTC; of a box that was killed: its start
  std::string version;  // of the box
  std::string signal;   // "SIGSEGV"; "SIGKILL" also for whatever leaves no trace, as when memory runs out
  std::string message;  // of the exception that nobody caught
  std::string thread;
  std::string lastRequest;              // method and pattern of the route of the request that began last
  std::vector<std::string> inProgress;  // the same of those that had not ended
  std::vector<std::string> alsoBefore;  // those of inProgress that were in progress at the crash right before, too
  std::vector<std::string> stack;       // innermost first, as addr2line reads it: "agentbox(+0x1f2e3d)"
};
BOOST_DESCRIBE_STRUCT(Crash, (), (at, version, signal, message, thread, lastRequest, inProgress, alsoBefore, stack))

// The newest first; none if the file cannot be read.
std::vector<Crash> recorded_crashes(const DataFolder&);

// While a box runs; one for each process. If the last box of the folder crashed, the constructor logs it ("crashed")
// and keeps it in crashes.json. A folder that cannot be written leaves the box without a record, which
// is logged at the level debug: its start is likely to be refused with a sentence of its own.
class CrashRecord {
 public:
  explicit CrashRecord(const DataFolder&);
  ~CrashRecord();  // the box has ended by itself
  CrashRecord(const CrashRecord&) = delete;
  CrashRecord& operator=(const CrashRecord&) = delete;

  // From now on an end without a signal is not a crash: the caller that asked for the end may not have waited for it.
  static void expect_end();
};

}  // namespace agentbox
