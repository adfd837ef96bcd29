// The file explorer: the operator's folder and the agents' workspaces. Blocking work runs on its own threads.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "appliance/files/explorer/browse.h"
#include "appliance/files/explorer/raw.h"
#include "appliance/files/explorer/repositories.h"
#include "appliance/files/explorer/search.h"
#include "appliance/files/explorer/watch.h"
#include "web/result.h"
#include "web/task.h"

namespace explorer {

struct Options {
  std::filesystem::path root;  // for requests that name no agent
  git::Identity author;
  FindCredential find_credential;                 // the box's accounts at git hosts
  std::chrono::milliseconds remote_time{60'000};  // time limit of one push
  files::IsReserved hides = nullptr;              // see Place::hides; for workspaces
  bool makes_workspaces = false;                  // missing workspaces are made, not errors
};

// The path of an agent's workspace, which may not exist yet; nullopt for an unknown agent.
using FindWorkspace = std::function<std::optional<std::filesystem::path>(std::string_view agent)>;

// Thread-safe. In addition to the errors of browse.h and repositories.h: not_found for an unknown agent and, unless
// workspaces are made, for one without a workspace; too_many when too many requests are in progress.
class Explorer {
 public:
  using Agent = std::optional<std::string>;

  Explorer(Options, FindWorkspace);
  ~Explorer();  // waits for requests in progress; pushes are cancelled

  web::Task<web::Result<Tree>> tree(Agent, std::string path, int depth);
  web::Task<web::Result<File>> read(Agent, std::string path);
  web::Task<web::Result<std::string>> write(Agent, std::string path, std::string content);
  web::Task<web::Result<Moved>> move(Agent, std::string from, std::string to, bool overwrite);
  web::Task<web::Result<std::string>> remove(Agent, std::string path);
  web::Task<web::Result<std::string>> make_folder(Agent, std::string path);
  web::Task<web::Result<SearchResult>> search(Agent, TextQuery);
  web::Task<web::Result<Raw>> open_raw(Agent, std::string path);
  // See read_piece.
  web::Task<std::string> piece(const files::Descriptor&, std::uint64_t offset, std::size_t size);

  // A watch, counted towards the limit for as long as it lives.
  struct CountedWatch {
    explicit CountedWatch(Watch opened, std::shared_ptr<std::atomic<std::size_t>> all)
        : watch(std::move(opened)), count(std::move(all)) {}
    CountedWatch(const CountedWatch&) = delete;
    ~CountedWatch() { count->fetch_sub(1, std::memory_order_relaxed); }

    Watch watch;
    std::shared_ptr<std::atomic<std::size_t>> count;
  };
  // Kind::too_many beyond 32 watches.
  web::Task<web::Result<std::shared_ptr<CountedWatch>>> watch(Agent, std::string path);
  web::Task<Changes> take(Watch&);

  web::Task<web::Result<std::optional<Status>>> status(Agent);
  web::Task<web::Result<Diffs>> diff(Agent, std::string path);
  web::Task<web::Result<std::vector<git::Commit>>> log(Agent, std::size_t limit);
  web::Task<web::Result<git::ShownCommit>> show(Agent, std::string revision, std::string path);
  web::Task<web::Result<SyncResult>> sync(Agent, std::string message);
  web::Task<web::Result<CommitResult>> commit(Agent, std::string message, git::Identity author);

 private:
  web::Result<Place> place_of(const Agent&) const;
  // `work` takes (const Place&) and returns a Result.
  template <class Work>
  web::Task<std::invoke_result_t<Work, const Place&>> at(const Agent&, Work work);

  const std::filesystem::path root_;
  const files::IsReserved hides_;
  const bool makes_workspaces_;
  const FindWorkspace find_workspace_;
  Repositories repositories_;
  std::shared_ptr<std::atomic<std::size_t>> in_progress_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::shared_ptr<std::atomic<std::size_t>> watching_ = std::make_shared<std::atomic<std::size_t>>(0);
  boost::asio::thread_pool threads_;  // last: its work uses the others
};

}  // namespace explorer
