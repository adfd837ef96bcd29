// A real store in a folder of its own, and the small tables the tests write to.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <filesystem>
#include <list>
#include <mutex>
#include <string>

#include "store/store.h"
#include "tests/support/temporary_folder.h"

namespace store_test {

BOOST_DEFINE_ENUM_CLASS(Mood, calm, busy)

struct Note {
  std::int64_t owner = 0;
  std::string id;
  std::string title;  // unique
  std::string tag;    // scoped index
  std::int64_t rank = 0;
  Mood mood = Mood::calm;
  std::optional<store::Time> due;
  store::Sealed secret;
  bool operator==(const Note&) const = default;
};
BOOST_DESCRIBE_STRUCT(Note, (), (owner, id, title, tag, rank, mood, due, secret))

inline const store::Owned<Note> notes{
    {.family = "notes", .number = 200},
    &Note::owner,
    &Note::id,
    {store::unique<Note>(1, "title", &Note::title), store::scoped<Note>(2, "tag", &Note::tag),
     store::index<Note>(3, "rank", &Note::rank), store::index<Note>(4, "due", &Note::due)}};

struct Person {
  std::int64_t id = 0;
  std::string email;
  std::vector<std::string> roles;
};
BOOST_DESCRIBE_STRUCT(Person, (), (id, email, roles))

inline const store::Global<Person, std::int64_t> people{
    {.family = "people", .number = 201}, &Person::id, {store::unique<Person>(1, "email", &Person::email)}};

class Folder {
 public:
  std::filesystem::path path(std::string_view name = "store") const { return folder_.path() / name; }

 private:
  test_support::TemporaryFolder folder_;
};

inline store::Options options(const std::filesystem::path& folder) {
  return {.folder = folder,
          .master_key = std::string(32, 'k'),
          .tables = {store::describe(notes), store::describe(people)}};
}

// This thread's, kept until the program ends: the writer may still be leaving one when its result is there already.
inline boost::asio::io_context& thread_context() {
  static std::mutex mutex;
  static std::list<boost::asio::io_context> contexts;
  thread_local auto& context = []() -> boost::asio::io_context& {
    const std::lock_guard lock(mutex);
    return contexts.emplace_back();
  }();
  return context;
}

// Runs a coroutine to its end on this thread; what it throws is thrown.
template <class T>
T run(store::Task<T> task) {
  auto& context = thread_context();
  context.restart();
  std::optional<T> result;
  std::exception_ptr failure;
  boost::asio::co_spawn(context, std::move(task), [&](std::exception_ptr error, T value) {
    failure = error;
    result = std::move(value);
  });
  context.run();
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

class StoreTest : public testing::Test {
 protected:
  void open() { store_ = store::Store::open(options(folder_.path())); }
  void close() { store_.reset(); }
  void reopen() {
    close();
    open();
  }
  void SetUp() override { open(); }

  store::System system() const { return store_->system(); }
  store::Tenant tenant(std::int64_t owner) const { return system().tenant(owner); }
  store::Outcome insert(const Note& note) {
    auto change = tenant(note.owner).change();
    change.insert(notes, note);
    return change.commit_blocking();
  }

  Folder folder_;
  std::unique_ptr<store::Store> store_;
};

}  // namespace store_test
