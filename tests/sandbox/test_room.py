"""Memory is promised once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from envwheel.sandbox.room import Room


def test_together_never_more_than_there_is():
    room, most, lock, now = Room(100), [0.0], threading.Lock(), [0.0]

    def use(mb: float) -> None:
        with room.taken(mb):
            with lock:
                now[0] += min(mb, 100)
                most[0] = max(most[0], now[0])
            threading.Event().wait(0.001)
            with lock:
                now[0] -= min(mb, 100)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, [10, 60, 30, 200, 90, 5] * 10))
    assert 90 <= most[0] <= 100
    assert room.free_mb == 100


def test_the_first_to_come_is_the_first_served():
    room, order = Room(100), []
    waits = threading.Event()

    def large() -> None:
        waits.set()
        with room.taken(100):
            order.append("large")

    def small() -> None:
        with room.taken(10):
            order.append("small")

    with room.taken(50):
        first = threading.Thread(target=large)
        first.start()
        waits.wait()
        while not room._queue:
            pass
        second = threading.Thread(target=small)
        second.start()
        second.join(0.05)
        assert order == []
    first.join()
    second.join()
    assert order == ["large", "small"]


def test_what_fails_gives_its_room_back():
    room = Room(10)
    try:
        with room.taken(10):
            raise ValueError
    except ValueError:
        pass
    assert room.free_mb == 10


def test_most_of_a_machine():
    assert Room.of_machine(1000).total_mb == 900
    assert Room.of_machine().total_mb > 100
