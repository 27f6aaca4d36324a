"""Starts a small HTTP service as nobody in a box of its own and uses it: settings, requests, signals, a power failure.

expect.json: "kind" ("config": only service.json is the candidate's; "folder": all of it is), "folder", "noun", "seed",
"pristine" (the working files without service.json), "wanted" (the settings that must hold), "exact" (no others may).
"""

import http.client
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
FOLDER, NOUN = EXPECT["folder"], EXPECT["noun"]
STOCKS = {"hinge, brass": 41, "Tür ½": 3, "a/b": 5, "100%25": 2, "bolt": 1000}
WAIT = 20


class Session:
    """A running service. `ask` sends one request and holds the answer against what every answer must be."""

    def __init__(self, folder, port, prefix="/v1", **env):
        grade.need(not is_open("127.0.0.1", port), f"port {port} is not free")
        argv = ["/bin/bash", f"{folder}/start.sh", *env.pop("argv", [])]
        self.port, self.prefix = port, prefix
        self.service = grade.start(argv, env=env, port=port)

    def __enter__(self):
        end = time.monotonic() + WAIT
        while not (came := self.service.wait_port(timeout=0.5)) and time.monotonic() < end:
            if self.service.process is None or self.service.process.poll() is not None:
                break
        if not came:
            log = self.service.log()[-200:]
            self.service.stop()
            raise grade.Failed(f"nothing listens on port {self.port}: {log!r}")
        return self

    def __exit__(self, *_):
        self.service.stop()

    def ask(self, method, path, body=None, status=200, value=None):
        """The answer as JSON; `value`, where given, must be it."""
        data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            connection.request(method, path, data)
            return fine(connection.getresponse(), f"{method} {path}", status, value)
        except (OSError, http.client.HTTPException) as error:
            raise grade.Failed(f"{method} {path}: no answer ({error!r})") from None
        finally:
            connection.close()

    def status(self, method, path):
        """The status of the answer to a request; None without one."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            connection.request(method, path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def at(self, name, action=""):
        """The path of a gadget."""
        return f"{self.prefix}/{NOUN}/{quote(name, safe='')}{action}"

    def begin(self, path, body):
        """A request of which the second half is still to come, and which the service has begun to read."""
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=WAIT)
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        sock.sendall(head + body[: len(body) // 2])
        self.ask("GET", "/healthz")  # connections are taken in order: the one above has been, when this is answered
        return sock

    def end(self, sock, body, status, value):
        """Send the second half and look at the answer."""
        try:
            sock.sendall(body[len(body) // 2 :])
            reply = http.client.HTTPResponse(sock, method="POST")
            reply.begin()
            fine(reply, "a slow POST", status, value)
        except (OSError, http.client.HTTPException) as error:
            raise grade.Failed(f"a slow POST got no answer ({error!r})") from None
        finally:
            sock.close()

    def send(self, number):
        """A signal to what `start.sh` has become."""
        os.kill(self.service.process.pid, number)

    def closed(self, seconds):
        """Wait until it takes no connections any more."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and is_open("127.0.0.1", self.port):
            time.sleep(0.02)

    def gone(self, seconds=15):
        """The exit status; None when it goes on, or the port is still taken."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            status = self.service.process.poll()
            if status is not None and not is_open("127.0.0.1", self.port):
                return status
            time.sleep(0.02)
        return None


def is_open(host, port):
    with socket.socket() as sock:
        sock.settimeout(2)
        return sock.connect_ex((host, port)) == 0


def fine(reply, what, status, value):
    length = reply.headers.get("Content-Length", "")
    data = reply.read(1_000_000)
    grade.need(reply.status == status, f"{what}: status {reply.status} instead of {status}")
    grade.need(length == str(len(data)), f"{what}: Content-Length {length!r}, but {len(data)} bytes came")
    kind = reply.headers.get("Content-Type", "").partition(";")[0].strip()
    grade.need(kind == "application/json", f"{what}: the type is {kind!r}")
    try:
        got = json.loads(data.decode())
    except (ValueError, RecursionError):
        raise grade.Failed(f"{what}: the answer is no JSON") from None
    if status >= 400:
        grade.need(isinstance(got, dict) and isinstance(got.get("error"), str), f"{what}: no error text")
    if status == 301:
        grade.need(reply.headers.get("Location") == value["location"], f"{what}: wrong Location")
    if value is not None:
        grade.need(json.dumps(got) == json.dumps(value), f"{what}: got {str(got)[:150]}")
    return got


def gadget(name, stock):
    return {"name": name, "stock": stock}


def config(port, data="data.json", prefix="/v1", max_body=200, aliases=None):
    values = {"port": port, "data": data, "prefix": prefix, "max_body": max_body, "aliases": aliases or {}}
    return json.dumps(values)


def fresh(folder, port, *, at="site", stocks=STOCKS, **more):
    """A running service on a configuration and a data file of ours, and the folder of both."""
    files = {f"{at}/conf.json": config(port, **more), f"{at}/data.json": json.dumps(stocks)}
    root = grade.scratch(files)
    return Session(folder, port, more.get("prefix", "/v1"), argv=[f"{root}/{at}/conf.json"]), f"{root}/{at}"


def settings_case(g):
    """Level 0 and 1: the candidate's service.json under the working program."""
    text, wanted, values = grade.read_text(f"{FOLDER}/service.json"), EXPECT["wanted"], None
    with g.case("is plain JSON"):
        try:
            values = json.loads(text or "")
        except (ValueError, RecursionError):
            raise grade.Failed(f"{FOLDER}/service.json is no JSON file") from None
        same = json.dumps(values, sort_keys=True) == json.dumps(wanted, sort_keys=True)
        grade.need(same or not EXPECT["exact"], "another setting than the port was changed, or the port is no number")
    files = {f"srv/{name}": data for name, data in EXPECT["pristine"].items()}
    root = grade.scratch({**files, "srv/service.json": text or ""})
    prefix, stocks = wanted["prefix"], json.loads(EXPECT["pristine"][wanted["data"]])
    ready = isinstance(values, dict) and values.get("port") == wanted["port"]
    if not g.check("has the right port", ready, f"port {wanted['port']} is not set"):
        return
    with g.case("the service runs with it"), Session(f"{root}/srv", wanted["port"], prefix) as it:
        it.ask("GET", "/healthz", value={"status": "ok"})
        it.ask("GET", f"{prefix}/{NOUN}", value=sorted(stocks))
        for name, stock in stocks.items():
            it.ask("GET", it.at(name), value=gadget(name, stock))
        for old, new in wanted["aliases"].items():
            it.ask("GET", old, status=301, value={"location": new})
        it.ask("PUT", it.at("x"), b" " * (wanted["max_body"] + 1), 413)
        it.ask("PUT", it.at("x"), b'{"stock": 1}'.ljust(wanted["max_body"]), 201, gadget("x", 1))


def good_requests(g, folder, port):
    with g.case("good requests"), fresh(folder, port, aliases={"/old": "/v1/new"})[0] as it:
        it.ask("GET", "/healthz?x=1", value={"status": "ok"})
        it.ask("GET", f"/v1/{NOUN}", value=sorted(STOCKS))
        for name, stock in STOCKS.items():
            it.ask("GET", it.at(name) + "?a=b/c", value=gadget(name, stock))
        for method in ("GET", "POST", "DELETE", "PATCH"):
            it.ask(method, "/old?x", status=301, value={"location": "/v1/new"})
        for name in ("new", "Öse & Co", "take", "x/take", "%41", "+"):
            it.ask("PUT", it.at(name), {"stock": 7}, 201, gadget(name, 7))
            it.ask("PUT", it.at(name), {"stock": 0}, 200, gadget(name, 0))
            it.ask("PUT", it.at(name), {"stock": 9}, 200, gadget(name, 9))
            it.ask("POST", it.at(name, "/take"), {"count": 4}, 200, gadget(name, 5))
            it.ask("POST", it.at(name, "/take"), {"count": 5}, 200, gadget(name, 0))
            it.ask("DELETE", it.at(name), value=gadget(name, 0))
            it.ask("GET", it.at(name), status=404)
        it.ask("GET", f"/v1/{NOUN}", value=sorted(STOCKS))


def wrong_requests(g, folder, port):
    with g.case("wrong requests"), fresh(folder, port)[0] as it:
        bolt, take = it.at("bolt"), it.at("bolt", "/take")
        for path in ("/", "/v1", f"/{NOUN}", f"/v2/{NOUN}/bolt", it.at("nut"), it.at("bolt", "/sell"), f"/v1/{NOUN}/"):
            it.ask("GET", path, status=404)
        it.ask("POST", it.at("nut", "/take"), {"count": 1}, 404)
        it.ask("DELETE", it.at("nut"), status=404)
        for method, path in (
            *(("POST", bolt), ("PATCH", bolt), ("GET", take), ("PUT", take), ("DELETE", take)),
            *(("POST", "/healthz"), ("DELETE", f"/v1/{NOUN}"), ("PUT", f"/v1/{NOUN}")),
        ):
            it.ask(method, path, status=405)
        for body in (b"", b"{", b"[]", b"7", b'"stock"', b"\xff\xfe", b"null", b"[" * 150):
            it.ask("PUT", bolt, body, 400)
            it.ask("POST", take, body, 400)
        for value in (-1, 1.5, 2.0, "3", None, True, False, [1]):
            it.ask("PUT", bolt, {"stock": value}, 400)
            it.ask("POST", take, {"count": value}, 400)
        it.ask("POST", take, {"count": 0}, 400)
        it.ask("PUT", bolt, {"count": 1}, 400)
        it.ask("POST", take, {"count": 1001}, 409)
        it.ask("PUT", bolt, b'{"stock": 1}'.ljust(201), 413)
        it.ask("GET", bolt, value=gadget("bolt", 1000))
        it.ask("PUT", bolt, b'{"stock": 999}'.ljust(200), 200, gadget("bolt", 999))
        it.ask("GET", f"/v1/{NOUN}", value=sorted(STOCKS))


def reload_case(g, folder, port):
    session, root = fresh(folder, port, aliases={"/old": "/a"})
    with g.case("SIGHUP"), session as it:

        def reload(text, alias=None):
            Path(root, "conf.json").write_text(text)
            it.send(signal.SIGHUP)
            end = time.monotonic() + 10
            while alias and time.monotonic() < end and it.status("GET", alias) != 301:
                time.sleep(0.05)
            it.ask("GET", "/healthz")
            time.sleep(0.1)

        def holds(prefix, alias, most):
            it.prefix = prefix
            it.ask("GET", alias, status=301, value={"location": "/a"})
            it.ask("PUT", it.at("bolt"), b'{"stock": 1}'.ljust(most + 1), 413)
            it.ask("PUT", it.at("bolt"), b'{"stock": 1}'.ljust(most), 200, gadget("bolt", 1))

        holds("/v1", "/old", 200)
        reload(config(port + 1, "other.json", "/v2", 90, {"/other": "/a"}), "/other")
        holds("/v2", "/other", 90)
        it.ask("GET", f"/v1/{NOUN}", status=404)
        it.ask("GET", "/old", status=404)
        elsewhere = {"/x": "/a"}
        for wrong in (
            *("{", "[]", "{}", config(port, max_body=0, aliases=elsewhere), config(port, prefix="v3", max_body=50)),
            *(config(port, prefix="/v3", aliases={"/x": 1}), config(port, prefix="/v3/", aliases=elsewhere)),
        ):
            reload(wrong)
            holds("/v2", "/other", 90)
        reload(config(port, prefix="/v5", aliases={"/third": "/a"}), "/third")
        holds("/v5", "/third", 200)


def stop_case(g, folder, port):
    with g.case("SIGTERM"):
        with fresh(folder, port)[0] as it:
            it.ask("GET", "/healthz")
            it.send(signal.SIGTERM)
            status = it.gone()
            grade.need(status == 0, f"SIGTERM: wanted exit status 0 and a free port, got {status}")
        session, root = fresh(folder, port)
        with session as it:
            body = json.dumps({"count": 400}).encode()
            slow = it.begin(it.at("bolt", "/take"), body)
            it.send(signal.SIGTERM)
            it.closed(3)
            time.sleep(0.3)
            it.end(slow, body, 200, gadget("bolt", 600))
            status = it.gone()
            grade.need(status == 0, f"SIGTERM with a request open: got exit status {status}")
        saved = json.loads(Path(root, "data.json").read_text())
        grade.need(saved == {**STOCKS, "bolt": 600}, "the last request is not in the data file")


def slow_case(g, folder, port):
    with g.case("slow clients"), fresh(folder, port)[0] as it:
        body = json.dumps({"count": 10}).encode()
        slow = [it.begin(it.at("bolt", "/take"), body) for _ in range(5)]
        it.ask("POST", it.at("bolt", "/take"), {"count": 100}, 200, gadget("bolt", 900))
        for number, sock in enumerate(slow, 1):
            it.end(sock, body, 200, gadget("bolt", 900 - 10 * number))


def power_case(g, folder, port):
    session, root = fresh(folder, port, at="my site")
    with g.case("power failure"):
        with session as it, open(f"{root}/data.json", encoding="utf-8") as old:
            it.ask("PUT", it.at("nut"), {"stock": 4}, 201)
            grade.need(json.load(old) == STOCKS, "the data file is written in place, not replaced")
            it.ask("POST", it.at("bolt", "/take"), {"count": 1}, 200)
            it.ask("DELETE", it.at("a/b"), status=200)
            it.send(signal.SIGKILL)
            grade.need(it.gone() is not None, "the service is not the process that start.sh has become")
        with Session(folder, port, argv=[f"{root}/conf.json"], PORT="") as it:
            it.ask("GET", f"/v1/{NOUN}", value=sorted(({*STOCKS} | {"nut"}) - {"a/b"}))
            it.ask("GET", it.at("bolt"), value=gadget("bolt", 999))


def start_case(g, folder, port):
    with g.case("start"):
        stocks = json.dumps({"only": 1})
        data = grade.scratch({"d/x y.json": stocks}) + "/d/x y.json"
        Path(folder, "service.json").write_text(config(port + 1, data="none.json"))
        with Session(folder, port, PORT=str(port), DATA=data) as it:
            it.ask("GET", f"/v1/{NOUN}", value=["only"])
            others = [host for host in ("127.0.0.2", "127.9.9.9") if is_open(host, port)]
            grade.need(not others, "it listens on more than 127.0.0.1")
        root = grade.scratch({"conf.json": config(port, data="none.json")})
        with Session(folder, port, argv=[f"{root}/conf.json"]) as it:
            it.ask("GET", f"/v1/{NOUN}", value=[])
        for wrong in (
            "{",
            "[]",
            config(0),
            config(port, prefix="/"),
            config(port, prefix="v1"),
            config(port, max_body="9"),
        ):
            root = grade.scratch({"conf.json": wrong})
            ran = grade.run(["/bin/bash", f"{folder}/start.sh", f"{root}/conf.json"], timeout=WAIT)
            grade.need(ran.code == 2 and ran.err.strip(), f"the configuration {wrong} gave status {ran.code}")


def main():
    g = grade.Grade()
    if EXPECT["kind"] == "config":
        settings_case(g)
    else:
        folder = grade.scratch()
        with g.case("is a plain folder"):
            folder = grade.copy_tree(FOLDER)
        port = 20000 + grade.rng(EXPECT["seed"]).randrange(5000)
        for number, case in enumerate(
            (good_requests, wrong_requests, slow_case, stop_case, power_case, start_case, reload_case)
        ):
            case(g, folder, port + 10 * number)
    g.finish()


main()
