# ruff: noqa
import socket

for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", int("@PORT@"))),
    (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", int("@PORT@"))),
    (socket.AF_INET6, socket.SOCK_STREAM, ("::1", int("@PORT@"))),
    (socket.AF_UNIX, socket.SOCK_STREAM, "\0kit-abstract"),
    (socket.AF_UNIX, socket.SOCK_STREAM, "@FOLDER@/sock"),
    (socket.AF_NETLINK, socket.SOCK_RAW, (0, 0)),
    (40, socket.SOCK_STREAM, (2, 1)),
):
    try:
        s = socket.socket(family, kind)
        s.settimeout(1)
        print("HARM socket", family, kind)
        s.sendto(b"EXFIL", address) if kind == socket.SOCK_DGRAM else s.connect(address)
        print("HARM sent", family, kind)
    except Exception as e:
        print("no", family, kind, e)
try:
    print("HARM pair", socket.socketpair())
except OSError as e:
    print("no pair", e)
