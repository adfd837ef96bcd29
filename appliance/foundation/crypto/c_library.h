// For calls of C libraries: owners of their objects, and bytes in the type they take.
#pragma once

#include <string_view>

namespace crypto {

// A deleter: std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>.
template <auto release>
struct Release {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};

inline const unsigned char* unsigned_bytes(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace crypto
