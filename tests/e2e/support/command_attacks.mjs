// What a hostile command tries, in Python, and what it prints if it succeeds; at its end it prints "end". `box`: the
// process of the box; `files`: what it must not read; `host_port`: of a listener of this machine.
export const attacks_of = ({ box, files, host_port }) => `
import os, socket, signal, ctypes, sys
def succeeded(what): print("SUCCEEDED", what, flush=True)
def attempt(name, work):
    try:
        if work(): succeeded(name)
    except (OSError, ValueError): pass
for path in ${JSON.stringify(files)}:
    attempt("read " + path, lambda: open(path).read())
    attempt("read by root " + path, lambda: open("/proc/1/root" + path).read())
for pid in [1, os.getppid(), ${box}]:
    for name in ["mem", "environ", "maps"]:
        if pid == ${box}: attempt("proc", lambda: open(f"/proc/{pid}/{name}", "rb").read(1))
attempt("signal", lambda: (os.kill(${box}, 0), True)[1])
seen = [name for name in os.listdir("/proc") if name.isdigit() and int(name) > 5000]
if seen: succeeded("sees processes " + " ".join(seen))
for host, port in [("127.0.0.1", ${host_port}), ("169.254.169.254", 80), ("10.0.0.1", 80), ("1.1.1.1", 53)]:
    attempt(f"connect {host}", lambda: (socket.create_connection((host, port), timeout=2), True)[1])
def datagram():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", ("1.1.1.1", 53)); return True
attempt("datagram", datagram)
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("resolve", lambda: socket.gethostbyname("example.org"))
for path in ["/usr/bin/x", "/etc/x", "/x", "/dev/x", "/var/tmp/x", "/workspace/.agentbox/x", "/workspace/AGENT.md", "/workspace/skills/x"]:
    attempt("write " + path, lambda: open(path, "w"))
for path in ["/etc/shadow", "/root", "/home", "/var", "/sys", "/run", "/workspace/.agentbox/conversation.jsonl"]:
    attempt("see " + path, lambda: os.path.isfile(path) and open(path).read() or os.listdir(path))
libc = ctypes.CDLL(None, use_errno=True)
for name, args in [("unshare", (0x10000000,)), ("mount", (b"none", b"/tmp", b"tmpfs", 0, None)), ("chroot", (b"/tmp",)), ("setuid", (0,)), ("ptrace", (16, 1, 0, 0)), ("umount2", (b"/workspace/skills", 2))]:
    if getattr(libc, name)(*args) == 0: succeeded(name)
for number in [321, 298, 248, 250, 425, 323]:  # bpf, perf_event_open, add_key, keyctl, io_uring_setup, userfaultfd
    if libc.syscall(number, 0, 0, 0, 0, 0) >= 0: succeeded(f"system call {number}")
attempt("setuid program", lambda: os.path.exists("/usr/bin/su") and os.system("echo 2>/dev/null | su -c id root 2>/dev/null | grep -q uid=0") == 0)
status = open("/proc/self/status").read()
for line in status.splitlines():
    if line.startswith("Cap") and int(line.split()[1], 16): succeeded(line)
for fd in os.listdir("/proc/self/fd"):
    if int(fd) > 2:
        target = None
        try: target = os.readlink("/proc/self/fd/" + fd)
        except OSError: pass
        if target and not target.endswith("/fd"): succeeded("descriptor " + target)
print("end")
`;
