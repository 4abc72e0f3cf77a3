# ruff: noqa
import os

for d in ("@FOLDER@", "/tmp", "/dev/shm", "/var/tmp", "/", "/home", os.getcwd(), "/proc/self", "/mnt"):
    for attempt in (
        lambda: open(os.path.join(d, "bomb.bin"), "wb").write(b"x" * (1 << 20)),
        lambda: os.mkdir(os.path.join(d, "bomb")),
        lambda: os.symlink("/", os.path.join(d, "link")),
        lambda: os.mkfifo(os.path.join(d, "fifo")),
    ):
        try:
            attempt()
            print("HARM wrote to", d)
        except OSError as e:
            print("no", d, type(e).__name__)
for attempt in (
    lambda: open("@CANARY@", "a").write("x"),
    lambda: os.unlink("@CANARY@"),
    lambda: os.truncate("@CANARY@", 0),
    lambda: os.chmod("@CANARY@", 0),
    lambda: os.rename("@CANARY@", "@CANARY@2"),
    lambda: os.memfd_create("x"),
):
    try:
        attempt()
        print("HARM changed a file")
    except OSError as e:
        print("no", type(e).__name__)
