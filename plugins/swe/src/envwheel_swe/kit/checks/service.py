"""Starts the service as nobody from a copy of its folder, and asks it over HTTP beside a model of its stock."""

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
ITEM = EXPECT["item"]
BASE = f"/{EXPECT['prefix']}/{ITEM}s"
FOLDER = "/app/service"
BAD = (OSError, http.client.HTTPException, ValueError)
BODIES = [b"", b"{", b"[]", b"1", b'"x"', b'{"name": "x"}', b'{"stock": 1}', b'{"name": "", "stock": '
                                                                             b'1}', b'{"name": 5, "stock": 1}',
          b'{"name": "x", "stock": -1}', b'{"name": "x", "stock": '
                                         b'true}', b'{"name": "x", "stock": false}', b'{"name": "x", "stock": 1.5}',
          b'{"name": "x", "stock": "1"}', b'{"name": "x", "stock": 1, "more": '
                                          b'2}', b'{"name": "x", "size": 1}', b'{"name": "\xff", "stock": 1}',
          b'{"name": "x", "stock": null}']  # fmt: skip


class Client:
    """Requests to the service, and what its stock must be."""

    def __init__(self, port, stock):
        self.port, self.stock = port, dict(stock)

    def send(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
        try:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read(1_000_000)
        except BAD as error:
            raise grade.Failed(f"{method} {path}: no answer ({error!r})"[:200]) from None
        finally:
            connection.close()

    def ask(self, status, method, path, body=None, headers=None, value=None):
        """Send a request and compare; `value` is the JSON of a good answer. Returns the headers."""
        got, head, data = self.send(method, path, body, headers)
        what = f"{method} {path} {str(body)[:40] if body else ''}"
        grade.need(got == status, f"{what}: wanted status {status}, got {got}")
        grade.need(head.get_all("X-Service") == [ITEM + "s"], f"{what}: no header X-Service: {ITEM}s")
        if status == 204:
            grade.need(data == b"", f"{what}: 204 has no body")
            return head
        kind = (head.get_content_type(), "application/json")
        grade.need(kind[0] == kind[1], f"{what}: the type is {kind[0]}")
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            raise grade.Failed(f"{what}: the answer is no JSON") from None
        if status >= 400:
            fine = isinstance(found, dict) and set(found) == {"error"} and isinstance(found["error"], str)
            grade.need(fine, f"{what}: the error is not an object with error")
        else:
            grade.need(found == value, f"{what}: got {str(found)[:120]}, wanted {str(value)[:120]}")
        return head

    def put(self, id, name, number, headers=None):
        body = json.dumps({"name": name, "stock": number}, ensure_ascii=False).encode()
        new = id not in self.stock
        version = 1 if new else self.stock[id]["version"] + 1
        self.stock[id] = {"id": id, "name": name, "stock": number, "version": version}
        self.ask(201 if new else 200, "PUT", f"{BASE}/{quote(id, safe='')}", body, headers, self.stock[id])

    def delete(self, id, headers=None):
        del self.stock[id]
        self.ask(204, "DELETE", f"{BASE}/{quote(id, safe='')}", headers=headers)

    def same(self):
        everything = [self.stock[id] for id in sorted(self.stock)]
        self.ask(200, "GET", BASE, value=everything)
        for item in everything:
            self.ask(200, "GET", f"{BASE}/{quote(item['id'], safe='')}", value=item)


def draw_stock(rng):
    names = ["A-1", "b", "B", "a b", "Zürich", "50%", "x?y", "a+b", "-", "#1", "é&ü"]
    return {
        id: {
            "name": rng.choice(["hinge", "Tür", 'a "b"']),
            "stock": rng.choice([0, 1, 5, 40]),
            "version": rng.randint(1, 9),
        }
        for id in rng.sample(names, 8)
    }


def routes(client, rng):
    status, head, body = client.send("GET", "/health")
    fine = (status, body, head.get_content_type()) == (200, b"ok\n", "text/plain")
    grade.need(fine, f"GET /health: {status} {head.get_content_type()} {body[:40]!r}")
    client.same()
    everything = [client.stock[id] for id in sorted(client.stock)]
    for least in (0, 1, 5, 6, -3):
        wanted = [item for item in everything if item["stock"] >= least]
        client.ask(200, "GET", f"{BASE}?min={least}", value=wanted)
    for path in (
        "/",
        "/nothing",
        BASE + "/",
        BASE + "/a%2Fb",
        BASE + "/x/y",
        f"/{ITEM}s",
        BASE + "x",
        BASE + "/" + "absent",
    ):
        client.ask(404, "GET", path)
    client.ask(200, "GET", BASE + "?other=1", value=everything)
    client.put("new one/"[:-1], "first", 3)
    client.put("new one", "second", 0)
    client.put("Ärmel %41", "third", 10**12)
    client.delete("new one")
    client.ask(404, "DELETE", BASE + "/new%20one")
    client.put("new one", "again", 1)
    client.same()


def errors(client):
    for value in ("x", "", "1.5"):
        client.ask(400, "GET", f"{BASE}?min={value}")
    for body in BODIES:
        client.ask(400, "PUT", BASE + "/wrong", body, {"Content-Length": str(len(body))})
    refused = [("POST", "/health", "GET"), ("DELETE", BASE, "GET"), ("PUT", "/health", "GET")]
    for method, path, allowed in [*refused, ("POST", BASE + "/x", "DELETE, GET, PUT")]:
        head = client.ask(405, method, path, b"" if method != "DELETE" else None)
        grade.need(head["Allow"] == allowed, f"{method} {path}: Allow is {head['Allow']!r}")
    raw(client, f"PUT {BASE}/x HTTP/1.1\r\nHost: x\r\n\r\n", 411)
    raw(client, f"PUT {BASE}/x HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n", 411)
    raw(client, f"PUT {BASE}/x HTTP/1.1\r\nHost: x\r\nContent-Length: 2001\r\n\r\n", 413)
    raw(client, f"PUT {BASE}/x HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n{{", 413)
    fits = json.dumps({"name": "x" * 1971, "stock": 1}).encode()
    client.put("big", "x" * (2000 - len(fits) + 1971), 1)
    client.same()


def raw(client, text, status):
    """A request that no client library would send; the answer's first line decides."""
    try:
        with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
            connection.sendall(text.encode())
            first = connection.makefile("rb").readline()
    except OSError as error:
        raise grade.Failed(f"{text.splitlines()[0]}: no answer ({error!r})") from None
    grade.need(
        first.split(b" ")[1:2] == [str(status).encode()],
        f"{text.split(chr(13))[0]} ...: wanted {status}, got {first[:40]!r}",
    )


def versions(client):
    id = sorted(client.stock)[0]
    path = f"{BASE}/{quote(id, safe='')}"
    now = str(client.stock[id]["version"])
    body = b'{"name": "x", "stock": 1}'
    for wrong in (str(int(now) + 1), "0", "x", now + ".0"):
        client.ask(412, "PUT", path, body, {"If-Match": wrong})
        client.ask(412, "DELETE", path, headers={"If-Match": wrong})
    client.ask(412, "PUT", BASE + "/absent", body, {"If-Match": "1"})
    client.ask(412, "DELETE", BASE + "/absent", headers={"If-Match": "1"})
    client.put(id, "matched", 2, {"If-Match": now})
    client.put("short lived", "x", 2)
    client.delete("short lived", {"If-Match": "1"})
    client.same()


def slow_client(client):
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as dawdler:
        dawdler.sendall(f"PUT {BASE}/slow HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{{".encode())
        time.sleep(0.3)
        client.same()


def listening(host, port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


def session(folder, port, env, stock, steps):
    """Start, run the steps, stop with SIGTERM; returns the client."""
    client = Client(port, {id: {"id": id, **item} for id, item in stock.items()})
    grade.need(not listening("127.0.0.1", port), f"port {port} is taken")
    with grade.start(["/bin/bash", f"{folder}/start.sh"], cwd=grade.scratch(), env=env, port=port) as service:
        up = service.wait_port(timeout=15)
        grade.need(up, f"nothing listens on port {port}: {service.log(2000)[-200:]!r}")
        grade.need(not listening("127.0.0.2", port), "it listens on more than 127.0.0.1")
        for step in steps:
            step(client)
        os.kill(service.process.pid, signal.SIGTERM)
        end = time.monotonic() + 5
        while time.monotonic() < end and (service.process.poll() is None or listening("127.0.0.1", port)):
            time.sleep(0.05)
        gone = service.process.poll() is not None and not listening("127.0.0.1", port)
        grade.need(gone, "it is still there five seconds after SIGTERM")
    return client


def main():
    g = grade.Grade()
    rng = grade.rng(EXPECT["seed"])
    folder = None
    with g.case("is a plain folder"):
        copy = Path(grade.copy_tree(FOLDER))
        folder = str(copy.rename(copy.parent / "my service"))
        for name, text in EXPECT["kept"].items():
            grade.need(grade.read_text(f"{FOLDER}/{name}") == text, f"{name} was changed or is gone")
        names = [name for name in ("config.json", "start.sh") if not grade.plain_file(f"{FOLDER}/{name}")]
        grade.need(not names, f"no plain file {names}")
    if folder and all(check["passed"] for check in g._checks):
        own = json.loads(EXPECT["kept"][f"{ITEM}s.json"])
        with g.case("starts with its own configuration"):
            session(folder, EXPECT["port"], {}, own, [Client.same, lambda client: routes(client, rng)])
        stock = draw_stock(rng)
        data = grade.scratch({"the stock.json": json.dumps(stock)}) + "/the stock.json"
        env = {"PORT": "18231", "DATA": data}
        with g.case("keeps its changes"):
            steps = [lambda client: routes(client, rng), errors, versions, slow_client]
            client = session(folder, 18231, env, stock, steps)
            again = {id: {key: item[key] for key in ("name", "stock", "version")} for id, item in client.stock.items()}
            session(folder, 18232, env | {"PORT": "18232"}, again, [Client.same])
    g.finish()


main()
