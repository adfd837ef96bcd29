// Files of the operating system that confined programs may read: libraries, certificates, time zones, fonts, and what
// the resolver needs. Not all of /etc, which has the secrets of other services.
#pragma once

namespace sandbox {

inline constexpr const char* system_files[] = {"/usr",
                                               "/bin",
                                               "/lib",
                                               "/lib64",
                                               "/etc/ld.so.cache",
                                               "/etc/ld.so.preload",
                                               "/etc/ssl",
                                               "/etc/ca-certificates",
                                               "/etc/pki",
                                               "/etc/crypto-policies",
                                               "/etc/resolv.conf",
                                               "/etc/hosts",
                                               "/etc/host.conf",
                                               "/etc/nsswitch.conf",
                                               "/etc/gai.conf",
                                               "/etc/services",
                                               "/etc/protocols",
                                               "/etc/localtime",
                                               "/etc/timezone",
                                               "/etc/passwd",
                                               "/etc/group",
                                               "/etc/fonts",
                                               "/etc/mime.types",
                                               "/etc/alternatives",
                                               "/var/cache/fontconfig",
                                               "/run/systemd/resolve",
                                               "/run/resolvconf",
                                               "/run/NetworkManager",
                                               "/sys/devices/system/cpu",
                                               "/proc",
                                               "/dev/urandom",
                                               "/dev/random",
                                               "/dev/zero"};
// Where programs are loaded from.
inline constexpr const char* system_loaders[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64"};

}  // namespace sandbox
