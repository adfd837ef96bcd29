#include "store/postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>

#include "store/engine.h"
#include "store/postgres/activity.h"

namespace store::postgres {
namespace {

constexpr int oldest_server = 150'000;
constexpr std::uint32_t bytea_type = 17, bigint_type = 20;

template <class Number>
void append_number(std::string& to, Number number) {
  std::array<char, sizeof(Number)> bytes{};
  boost::endian::endian_store<Number, sizeof(Number), boost::endian::order::big>(
      reinterpret_cast<unsigned char*>(bytes.data()), number);
  to.append(bytes.data(), bytes.size());
}

// One dimension, no nulls.
void append_array_head(std::string& to, std::uint32_t type, std::size_t items) {
  append_number<std::int32_t>(to, items == 0 ? 0 : 1);
  append_number<std::int32_t>(to, 0);
  append_number<std::uint32_t>(to, type);
  if (items == 0) return;
  append_number<std::int32_t>(to, static_cast<std::int32_t>(items));
  append_number<std::int32_t>(to, 1);  // first index
}

// "28P01: password authentication failed ...", without the end of line.
std::string one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// The server shuts down, starts, has become a standby, or ended the connection.
bool ends_connection(std::string_view sqlstate) {
  return sqlstate.starts_with("57P") || sqlstate.starts_with("08") || sqlstate == "25006";
}

}  // namespace

Activity& activity() {
  static Activity all;
  return all;
}

std::string& Parameters::own() { return owned_.emplace_back(); }

Parameters& Parameters::bytes(std::string_view value) {
  values_.push_back({value.data() ? value.data() : "", static_cast<int>(value.size())});
  return *this;
}
Parameters& Parameters::none() {
  values_.push_back({nullptr, 0});
  return *this;
}
Parameters& Parameters::number(std::int64_t number) {
  auto& text = own();
  append_number(text, number);
  return bytes(text);
}
Parameters& Parameters::array(const std::vector<std::string_view>& items) {
  auto& text = own();
  std::size_t size = 20;
  for (const auto& item : items) size += item.size() + 4;
  text.reserve(size);
  append_array_head(text, bytea_type, items.size());
  for (const auto& item : items) {
    append_number<std::int32_t>(text, static_cast<std::int32_t>(item.size()));
    text.append(item);
  }
  return bytes(text);
}

Parameters& Parameters::array(const std::vector<std::int64_t>& items) {
  auto& text = own();
  text.reserve(20 + items.size() * 12);
  append_array_head(text, bigint_type, items.size());
  for (const auto item : items) {
    append_number<std::int32_t>(text, sizeof item);
    append_number<std::int64_t>(text, item);
  }
  return bytes(text);
}

void Result::Clear::operator()(PGresult* result) const { libpq().PQclear(result); }
int Result::rows() const { return libpq().PQntuples(result_.get()); }
bool Result::is_null(int row, int column) const { return libpq().PQgetisnull(result_.get(), row, column) != 0; }
std::string_view Result::bytes(int row, int column) const {
  const auto& pq = libpq();
  return {pq.PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(pq.PQgetlength(result_.get(), row, column))};
}
std::int64_t Result::number(int row, int column) const {
  const auto value = bytes(row, column);
  const auto* const data = reinterpret_cast<const unsigned char*>(value.data());
  if (value.size() == sizeof(std::int64_t)) return boost::endian::load_big_s64(data);
  if (value.size() == sizeof(std::int32_t)) return boost::endian::load_big_s32(data);
  throw std::logic_error("store: a column is no number");
}
bool Result::truth(int row, int column) const { return bytes(row, column) == std::string_view("\1", 1); }

Connection::Connection(const Server& server, std::chrono::milliseconds statement_timeout, Clock::time_point deadline) {
  const auto& pq = libpq();
  std::vector<const char*> keywords, values;
  for (const auto& [keyword, value] : server.parameters) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = pq.PQconnectStartParams(keywords.data(), values.data(), 0);
  if (!connection_) throw Lost("libpq has no memory for a connection", false);
  auto& counts = activity();
  ++counts.connects;
  ++counts.open;
  try {
    connect(deadline);
    if (pq.PQserverVersion(connection_) < oldest_server)
      throw Unavailable("The server " + server.shown + " is older than PostgreSQL 15.");
    pq.PQsetNoticeProcessor(
        connection_, [](void*, const char*) {}, nullptr);
    if (pq.PQsetnonblocking(connection_, 1) != 0 || pq.PQenterPipelineMode(connection_) != 1) lose(reason());
    const Statement set{"", "SELECT set_config('statement_timeout', $1::text, false), set_config('jit', 'off', false)"};
    const auto limit = std::to_string(statement_timeout.count());
    Call call{&set};
    call.parameters.bytes(limit);
    run(call, deadline);
  } catch (...) {
    pq.PQfinish(connection_);
    --counts.open;
    throw;
  }
}

Connection::~Connection() {
  libpq().PQfinish(connection_);
  --activity().open;
}

int Connection::server_version() const { return libpq().PQserverVersion(connection_); }

void Connection::connect(Clock::time_point deadline) {
  const auto& pq = libpq();
  if (pq.PQstatus(connection_) == connection_bad) lose(reason());
  for (int state = poll_writing; state != poll_ok; state = pq.PQconnectPoll(connection_)) {
    if (state == poll_failed) lose(reason());
    wait(state == poll_writing, deadline);
  }
}

void Connection::wait(bool for_writing, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) lose("it does not answer in time", true);
    const auto events = static_cast<short>(for_writing ? POLLOUT : POLLIN);
    pollfd ready{.fd = libpq().PQsocket(connection_), .events = events, .revents = 0};
    const int found = ::poll(&ready, 1, static_cast<int>(left));
    if (found > 0) return;
    if (found < 0 && errno != EINTR) lose("poll failed");
  }
}

void Connection::lose(const std::string& why, bool is_time_out) {
  is_lost_ = true;
  if (is_time_out) ++activity().time_outs;
  throw Lost(why, is_time_out);
}

std::string Connection::reason() const { return one_line(libpq().PQerrorMessage(connection_)); }

void Connection::send(const Statement& statement, const Parameters& parameters) {
  const auto& pq = libpq();
  std::vector<const char*> values;
  std::vector<int> lengths, formats(parameters.values_.size(), 1);
  for (const auto& value : parameters.values_) {
    values.push_back(value.data);
    lengths.push_back(value.length);
  }
  const auto count = static_cast<int>(values.size());
  const int sent = statement.name.empty() ? pq.PQsendQueryParams(connection_, statement.sql.c_str(), count, nullptr,
                                                                 values.data(), lengths.data(), formats.data(), 1)
                                          : pq.PQsendQueryPrepared(connection_, statement.name.c_str(), count,
                                                                   values.data(), lengths.data(), formats.data(), 1);
  if (sent != 1) lose(reason());
}

// Null at the end of what one statement returned.
PGresult* Connection::next(Clock::time_point deadline) {
  const auto& pq = libpq();
  while (pq.PQisBusy(connection_) != 0) {
    const int unsent = pq.PQflush(connection_);
    if (unsent < 0) lose(reason());
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) lose("it does not answer in time", true);
    pollfd ready{.fd = pq.PQsocket(connection_),
                 .events = static_cast<short>(unsent != 0 ? POLLIN | POLLOUT : POLLIN),
                 .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(left)) < 0 && errno != EINTR) lose("poll failed");
    if (ready.revents != 0 && pq.PQconsumeInput(connection_) != 1) lose(reason());
  }
  return pq.PQgetResult(connection_);
}

std::vector<Result> Connection::run(std::span<const Call> calls, Clock::time_point deadline) {
  const auto& pq = libpq();
  if (is_lost_) throw Lost("the connection was lost before", false);
  struct Expected {
    const std::string* prepares;  // null: the result of a call
  };
  std::vector<Expected> expected;
  std::set<std::string_view> sent;
  for (const auto& call : calls) {
    const auto& statement = *call.statement;
    if (!statement.name.empty() && !prepared_.contains(statement.name) && sent.insert(statement.name).second) {
      if (pq.PQsendPrepare(connection_, statement.name.c_str(), statement.sql.c_str(), 0, nullptr) != 1) lose(reason());
      expected.push_back({&statement.name});
    }
    send(statement, call.parameters);
    expected.push_back({nullptr});
  }
  if (pq.PQpipelineSync(connection_) != 1) lose(reason());
  if (pq.PQflush(connection_) < 0) lose(reason());
  ++activity().round_trips;
  std::vector<Result> results;
  results.reserve(calls.size());
  std::optional<Refused> refused;
  for (const auto& [prepares] : expected) {
    auto* const raw = next(deadline);
    if (!raw) lose(reason());
    Result result(raw);
    const auto state = pq.PQresultStatus(raw);
    if (state == command_ok || state == tuples_ok) {
      if (prepares)
        prepared_.insert(*prepares);
      else
        results.push_back(std::move(result));
    } else if (!refused) {
      const auto* const sqlstate = pq.PQresultErrorField(raw, field_sqlstate);
      const auto* const message = pq.PQresultErrorField(raw, field_message);
      if (!sqlstate || !message || ends_connection(sqlstate)) lose(message ? one_line(message) : reason());
      refused.emplace(one_line(message), sqlstate);
    }
    if (auto* const more = next(deadline)) {
      pq.PQclear(more);
      lose("the server's answer is not understood");
    }
  }
  const Result end(next(deadline));  // of the synchronization
  if (refused) throw Refused(*refused);
  return results;
}

}  // namespace store::postgres
