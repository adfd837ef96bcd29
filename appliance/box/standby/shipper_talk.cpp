// The conversations of a shipper with standbys, on its thread.
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>

#include "appliance/box/crash_record.h"
#include "appliance/box/standby/invitation.h"
#include "appliance/box/standby/shipper_session.h"
#include "appliance/foundation/crypto/random.h"
#include "web/log.h"

namespace standby {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;
using State = Status::State;

constexpr std::size_t max_log_bytes = 1u << 20;  // read from the log at a time
constexpr std::chrono::minutes base_silence_limit{5};
constexpr auto folders_interval = 60s;

std::string shipping_failure(const std::exception& error) {
  if (const auto* system = dynamic_cast<const boost::system::system_error*>(&error)) return system->code().message();
  return error.what();
}

}  // namespace

web::Task<> Shipper::listen() {
  for (;;) {
    boost::system::error_code failed;
    Connection::Socket socket(io_.get_executor());
    co_await acceptor_.async_accept(socket, boost::asio::redirect_error(web::use_task, failed));
    if (failed)
      co_await web::sleep_for(100ms);
    else
      boost::asio::co_spawn(io_, serve(std::move(socket)), boost::asio::detached);
  }
}

web::Task<> Shipper::serve(Connection::Socket socket) {
  std::string problem;
  bool was_standby = false;
  try {
    // Read at each connection: an invitation counts at once.
    const auto context = tls_of_box(platform_.folder);
    if (!context) {
      web::log::warning("standby_refused", {{"reason", "no invitation was made: agentbox standby-invite"}});
      co_return;
    }
    boost::system::error_code unknown;
    const auto address = socket.remote_endpoint(unknown).address().to_string();
    Session session(std::move(socket), *context);
    session.address = address;
    co_await converse(session);
    *session.is_alive = false;
    was_standby = session_ == &session;
    if (was_standby) session_ = nullptr;
    problem = session.problem;
    web::log::info("standby_disconnected", {{"address", address}, {"reason", problem}});
  } catch (const std::exception& error) {
    problem = shipping_failure(error);
  }
  if (was_standby) note_end(problem);
}

void Shipper::note_end(const std::string& problem) {
  const std::lock_guard lock(mutex_);
  is_collecting_ = false;
  recent_.clear();
  recent_bytes_ = 0;
  status_.state = State::waiting;
  status_.address.clear();
  status_.problem = problem.empty() ? "The standby has disconnected." : problem;
}

// Ends the connection with the work, so that what else uses it ends, too.
web::Task<> Shipper::guarded(Session& session, web::Task<> work) {
  try {
    co_await std::move(work);
  } catch (const std::exception& error) {
    if (session.problem.empty()) session.problem = shipping_failure(error);
  }
  session.connection.close();
}

web::Task<> Shipper::converse(Session& session) {
  using namespace boost::asio::experimental::awaitable_operators;
  co_await (guarded(session, talk(session)) || guarded(session, watch(session)));
}

web::Task<> Shipper::talk(Session& session) {
  using namespace boost::asio::experimental::awaitable_operators;
  const auto hello = co_await greet(session);
  const bool is_served = co_await begin(session, hello);
  if (is_served) co_await (guarded(session, feed(session)) || guarded(session, hear(session)));
}

web::Task<> Shipper::watch(Session& session) {
  for (;;) {
    co_await web::sleep_for(250ms);
    if (session.connection.silence() < (session.is_in_base ? base_silence_limit : silence_limit)) continue;
    session.problem = "The standby has been silent for too long.";
    co_return;
  }
}

web::Task<Shipper::Hello> Shipper::greet(Session& session) {
  co_await session.connection.accept();
  const auto first = co_await session.connection.receive();
  if (first.kind != Kind::hello) throw std::runtime_error("the standby does not speak this protocol");
  const auto said = json::parse(first.content).as_object();
  Hello hello;
  hello.purpose = said.at("purpose").as_string();
  hello.epoch = said.at("epoch").to_number<std::uint64_t>();
  if (hello.purpose != "follow") co_return hello;
  hello.standing = {std::string(said.at("run").as_string()), said.at("position").to_number<std::uint64_t>()};
  for (const auto& [name, id] : said.at("families").as_object())
    hello.families.emplace(std::string(name), id.to_number<std::uint32_t>());
  for (;;) {
    const auto frame = co_await session.connection.receive();
    if (frame.kind == Kind::listing_end) co_return hello;
    if (frame.kind != Kind::listing) throw std::runtime_error("the standby does not speak this protocol");
    hello.tree.insert(decode_entry(frame.content));
  }
}

// Answers the hello. Whether a standby is to be served.
web::Task<bool> Shipper::begin(Session& session, const Hello& hello) {
  if (hello.epoch > timeline_.epoch && hello.purpose == "fence") {
    co_await fence(session, hello.epoch);
    co_return false;
  }
  std::string refusal;
  if (hello.epoch > timeline_.epoch)
    refusal = "The standby has seen epoch " + std::to_string(hello.epoch) + ", and this box is of epoch " +
              std::to_string(timeline_.epoch) + ".";
  else if (hello.purpose != "follow")
    refusal = "This box is alive.";
  else if (session_)
    refusal = "Another standby is connected.";
  if (!refusal.empty()) {
    co_await session.connection.send(Kind::refusal, refusal);
    session.problem = std::move(refusal);
    co_return false;
  }
  session_ = &session;
  session.known = hello.tree;
  if (!timeline_.had_standby) {
    timeline_.had_standby = true;
    write_timeline(platform_.folder, timeline_);
  }
  store::Position newest = 0;
  {
    const std::lock_guard lock(mutex_);
    was_contacted_ = true;
    is_collecting_ = true;
    acknowledged_ = 0;
    status_.problem.clear();
    status_.address = session.address;
    newest = newest_;
  }
  changed_.notify_all();
  const auto& position = hello.standing.position;
  bool goes_on = may_continue(timeline_, hello.standing, newest) && hello.families == source_.families();
  if (goes_on && position < newest) {
    bool is_in_log = false;
    source_.read_log(position, [&is_in_log](auto, auto, auto) {
      is_in_log = true;
      return false;
    });
    goes_on = is_in_log;
  }
  json::array runs;
  for (const auto& run : timeline_.runs) runs.push_back(json::object{{"id", run.id}, {"after", run.after}});
  const json::object welcome{{"epoch", timeline_.epoch},
                             {"runs", std::move(runs)},
                             {"mode", platform_.settings.standby},
                             {"start", goes_on ? "log" : "base"}};
  const auto answer = json::serialize(welcome);
  co_await session.connection.send(Kind::welcome, answer);
  web::log::info("standby_connected", {{"position", static_cast<std::int64_t>(position)}, {"base", !goes_on}});
  if (goes_on) {
    session.sent = position;
    acknowledge(position);
  } else {
    set_state(State::base);
    session.is_in_base = true;
    co_await send_base(session);
    session.is_in_base = false;
  }
  set_state(State::catching_up);
  co_return true;
}

// This box acknowledges nothing any more, and ends. An orderly stop would write.
web::Task<> Shipper::fence(Session& session, std::uint64_t epoch) {
  {
    const std::lock_guard lock(mutex_);
    is_fenced_ = true;
  }
  timeline_.fenced_by = epoch;
  write_timeline(platform_.folder, timeline_);
  web::log::error("fenced", {{"epoch", static_cast<std::int64_t>(epoch)},
                             {"reason", "this box was replaced by its standby, and ends"}});
  const auto answer = json::serialize(json::object{{"fenced", true}});
  co_await session.connection.send(Kind::welcome, answer);
  co_await web::sleep_for(100ms);  // for the log and the answer
  agentbox::CrashRecord::expect_end();
  std::_Exit(2);
}

web::Task<> Shipper::send_base(Session& session) {
  const auto folder = folder_of(platform_.folder) / ("base-" + crypto::random_hex(8));
  struct Remover {
    const fs::path& folder;
    ~Remover() {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
  } const remover{folder};
  auto copy = [this, folder] { source_.checkpoint(folder); };
  co_await web::offload(listing_, std::move(copy));
  std::vector<fs::path> files;
  std::uint64_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.push_back(entry.path());
    total += entry.file_size();
  }
  const auto size = json::serialize(json::object{{"bytes", total}});
  co_await session.connection.send(Kind::base_begin, size);
  std::string piece(piece_size, '\0');
  for (const auto& file : files) {
    const auto name = file.filename().string();
    co_await session.connection.send(Kind::base_file, name);
    std::ifstream input(file, std::ios::binary);
    for (std::uint64_t at = 0; input; at += static_cast<std::uint64_t>(input.gcount())) {
      input.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      const auto count = static_cast<std::size_t>(input.gcount());
      if (count > 0)
        co_await session.connection.send(Kind::piece, number(at), std::string_view(piece).substr(0, count));
    }
    if (input.bad()) throw std::runtime_error("the copy of the store cannot be read");
    co_await session.connection.send(Kind::piece, number(0));
  }
  co_await session.connection.send(Kind::base_end, "");
  for (;;) {  // it says where the copy ends
    const auto frame = co_await session.connection.receive();
    if (frame.kind == Kind::problem) throw std::runtime_error("The standby: " + frame.content);
    if (frame.kind != Kind::acknowledged) throw std::runtime_error("the standby does not speak this protocol");
    session.sent = read_number(frame.content);
    if (session.sent > 0) break;
  }
  {
    const std::lock_guard lock(mutex_);
    ++status_.bases;
  }
  acknowledge(session.sent);
}

// Whether there was one.
web::Task<bool> Shipper::send_next_writes(Session& session) {
  if (const auto write = next_write(session.sent)) {
    co_await session.connection.send(Kind::write, number(write->first), write->bytes);
    session.sent = write->last;
    co_return true;
  }
  {
    const std::lock_guard lock(mutex_);
    if (session.sent >= newest_) co_return false;
  }
  std::vector<std::shared_ptr<const Written>> writes;
  std::size_t size = 0;
  source_.read_log(session.sent, [&](store::Position first, store::Position last, std::string_view bytes) {
    writes.push_back(std::make_shared<const Written>(Written{first, last, std::string(bytes), {}}));
    size += bytes.size();
    return size < max_log_bytes;
  });
  if (writes.empty()) throw std::runtime_error("The log no longer has what the standby needs: it begins anew.");
  for (const auto& write : writes) {
    co_await session.connection.send(Kind::write, number(write->first), write->bytes);
    session.sent = write->last;
  }
  co_return true;
}

web::Task<> Shipper::send_beat(Session& session) {
  std::optional<store::Census> census;
  store::Position newest = 0;
  {
    const std::lock_guard lock(mutex_);
    newest = newest_;
    if (census_ && session.sent >= census_->position) census.swap(census_);  // the standby has what was counted
  }
  session.next_beat = Clock::now() + beat_interval;
  co_await session.connection.send(Kind::beat, number(newest));
  if (!census) co_return;
  json::object counts;
  const auto families = store_.tables().families();
  for (std::size_t at = 0; at < census->counts.size(); ++at) counts[families[at].name] = census->counts[at];
  json::array samples;
  for (const auto& sample : census->samples)
    samples.push_back(json::array{families[sample.family].name, crypto::hex(sample.key), crypto::hex(sample.digest)});
  const json::object request{
      {"position", census->position}, {"counts", std::move(counts)}, {"samples", std::move(samples)}};
  const auto text = json::serialize(request);
  co_await session.connection.send(Kind::prove, text);
}

// Lists the folders on another thread, and sends what differs.
void Shipper::plan_folders(Session& session) {
  session.is_listing = true;
  session.next_folders = Clock::now() + folders_interval;
  auto list = [this, is_alive = session.is_alive, &session]() -> web::Task<> {
    auto read = [this] { return list_tree(platform_.folder); };
    auto tree = co_await web::offload(listing_, std::move(read));
    if (!*is_alive) co_return;
    session.folders = std::make_unique<TreeSender>(platform_.folder, session.known, std::move(tree));
    session.is_listing = false;
    wake_.cancel();
  };
  boost::asio::co_spawn(io_, std::move(list), boost::asio::detached);
}

web::Task<> Shipper::feed(Session& session) {
  for (;;) {
    if (Clock::now() >= session.next_beat) co_await send_beat(session);
    if (co_await send_next_writes(session)) continue;
    if (!session.folders && !session.is_listing && Clock::now() >= session.next_folders) plan_folders(session);
    if (session.folders) {
      if (const auto frame = session.folders->next()) {
        co_await session.connection.send(frame->kind, frame->content);
        continue;
      }
      session.known = session.folders->wanted();
      session.folders.reset();
      const std::lock_guard lock(mutex_);
      status_.folders_at = store::now();
      continue;
    }
    boost::system::error_code woken;
    wake_.expires_at(session.next_beat);
    co_await wake_.async_wait(boost::asio::redirect_error(web::use_task, woken));
  }
}

web::Task<> Shipper::hear(Session& session) {
  for (;;) {
    const auto frame = co_await session.connection.receive();
    if (frame.kind == Kind::acknowledged)
      acknowledge(read_number(frame.content));
    else if (frame.kind == Kind::proof)
      note_proof(frame.content);
    else if (frame.kind == Kind::problem)
      throw std::runtime_error("The standby: " + frame.content.substr(0, 1'000));
    else
      throw std::runtime_error("the standby does not speak this protocol");
  }
}

void Shipper::note_proof(const std::string& content) {
  const auto said = json::parse(content).as_object();
  Proof proof{.at = store::now(),
              .records = said.at("records").to_number<std::int64_t>(),
              .compared = said.at("compared").to_number<std::int64_t>(),
              .problem = std::string(said.at("problem").as_string())};
  web::log::info("standby_proof", {{"records", proof.records}, {"problem", proof.problem}});
  const std::lock_guard lock(mutex_);
  status_.proof = std::move(proof);
}

}  // namespace standby
